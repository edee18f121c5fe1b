package company

// StatusNames are the names of the tax authority's statuses, in display order. All lists of the statuses have this
// order, which is also that of history.Status.
var StatusNames = [...]string{"vatPayer", "vatOnCollection", "vatSplit", "inactive", "eInvoice"}

// Statuses returns the profile's statuses on its own day, in the order of StatusNames; nil for an unknown one.
func (c *Company) Statuses() [len(StatusNames)]*bool {
	var inactive, eInvoice *bool
	if c.Inactive != nil {
		inactive = &c.Inactive.Status
	}
	if c.EInvoice != nil {
		eInvoice = &c.EInvoice.Registered
	}

	return [...]*bool{c.VATPayer, c.VATOnCollection, c.VATSplit, inactive, eInvoice}
}

// All returns the statuses in the order of StatusNames.
func (s *StatusesOnDay) All() [len(StatusNames)]*StatusOnDay {
	return [...]*StatusOnDay{&s.VATPayer, &s.VATOnCollection, &s.VATSplit, &s.Inactive, &s.EInvoice}
}

// All returns the sources in the order of StatusNames.
func (b *AsOfBases) All() [len(StatusNames)]**AsOfBasis {
	return [...]**AsOfBasis{&b.VATPayer, &b.VATOnCollection, &b.VATSplit, &b.Inactive, &b.EInvoice}
}
