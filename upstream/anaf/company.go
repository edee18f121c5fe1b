package anaf

import (
	"cmp"
	"slices"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
)

// check rejects a record without a name, because such a record proves nothing.
func (t *taxpayer) check() error {
	if optional(t.General.Name) == nil {
		return ErrNoName
	}
	return nil
}

// lacksVAT reports that the record does not say whether the company pays VAT.
func (t *taxpayer) lacksVAT() bool { return t.VAT.Payer.bool == nil }

// company converts a record into a profile. Values that the record lacks are null. The identity of a company is as of
// the day of receipt, even in a record about a past day.
func (t *taxpayer) company(resolve Resolver, received ro.Date) (*company.Company, error) {
	if err := t.check(); err != nil {
		return nil, err
	}

	c := &company.Company{
		TaxID:              ro.CUI(t.General.CUI),
		Name:               *optional(t.General.Name),
		TradeNumber:        optional(t.General.TradeNumber),
		MainNACECode:       digits(t.General.CAEN, 4),
		RegistrationDate:   day(t.General.Registered),
		RegistrationStatus: optional(t.General.Status),
		Address:            optional(t.General.Address),
		LegalForm:          optional(t.General.LegalForm),
		OwnershipForm:      optional(t.General.Ownership),
		OrganizationForm:   optional(t.General.Organization),
		FiscalAuthority:    optional(t.General.Authority),
		VATPayer:           t.VAT.Payer.bool,
		VATPeriods:         t.vatPeriods(),
		VATOnCollection:    t.VATOnCollection.Status.bool,
		VATSplit:           t.SplitVAT.Status.bool,
		Phone:              optional(t.General.Phone),
		Seat:               t.Seat.toAPI(resolve),
		FiscalDomicile:     seat(t.Domicile).toAPI(resolve),
	}

	c.TaxState, c.TaxStateSince = t.state(received)
	c.StateRegistration = c.TaxState
	c.CompanyType = companyType(clean(t.General.LegalForm), c.Name)
	if id, ok := tradenumber.EUID(deref(c.TradeNumber)); ok {
		c.EUID = &id
	}
	if isTrue(c.VATPayer) {
		c.VATSince = RegisteredSince(c.VATPeriods, cmp.Or(deref(day(t.General.Day)), received))
	}

	var country *string
	if d := c.FiscalDomicile; d != nil { // the address on one line is the domicile's
		c.County, c.City, country = d.County, d.City, d.Country
	}

	c.PostalCode = postalCode(t.General.PostalCode, country)
	if s := t.Inactive; s.Status.bool != nil {
		c.Inactive = &company.Inactive{
			Status: *s.Status.bool, Since: day(s.Since), Reactivated: day(s.Reactivated),
			Published: day(s.Published), StruckOff: day(s.StruckOff),
		}
	}
	if t.General.EInvoice.bool != nil {
		c.EInvoice = &company.EInvoice{Registered: *t.General.EInvoice.bool, Since: day(t.General.EInvoiceSince)}
	}

	return c, nil
}

// vatPeriods returns the VAT registrations, oldest first. It returns an empty list for a company that was never
// registered, and nil if the register does not say.
func (t *taxpayer) vatPeriods() []company.VATPeriod {
	if t.VAT.Periods == nil {
		return nil
	}

	periods := make([]company.VATPeriod, 0, len(t.VAT.Periods))
	for _, p := range t.VAT.Periods {
		period := company.VATPeriod{
			From: day(p.From), To: day(p.To), CanceledOn: day(p.Canceled), Reason: optional(p.Reason),
		}
		if period != (company.VATPeriod{}) {
			periods = append(periods, period)
		}
	}

	slices.SortStableFunc(periods, func(a, b company.VATPeriod) int {
		return cmp.Compare(deref(a.From), deref(b.From))
	})
	return periods
}

// RegisteredSince returns the first day of the VAT registration that holds on a day. It returns nil if the periods have
// no such registration.
func RegisteredSince(periods []company.VATPeriod, day ro.Date) *ro.Date {
	for _, p := range periods {
		if p.From != nil && *p.From <= day && (p.To == nil || day < *p.To) {
			return p.From
		}
	}

	return nil
}
