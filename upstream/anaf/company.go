package anaf

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/rodata/rodata/api"
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

// company converts a record into a profile. Values that the record lacks are null.
func (t *taxpayer) company(resolve Resolver) (*api.Company, error) {
	if err := t.check(); err != nil {
		return nil, err
	}

	c := &api.Company{
		TaxID:              api.CUI(t.General.CUI),
		Name:               *optional(t.General.Name),
		TradeNumber:        optional(t.General.TradeNumber),
		MainNACECode:       digits(t.General.CAEN, 4),
		RegistrationDate:   day(t.General.Registered),
		RegistrationStatus: optional(t.General.Status),
		StateRegistration:  t.state(),
		Address:            optional(t.General.Address),
		PostalCode:         digits(t.General.PostalCode, 6),
		LegalForm:          optional(t.General.LegalForm),
		OwnershipForm:      optional(t.General.Ownership),
		OrganizationForm:   optional(t.General.Organization),
		FiscalAuthority:    optional(t.General.Authority),
		VATPayer:           t.VAT.Payer.bool,
		VATPeriods:         t.vatPeriods(),
		VATOnCollection:    t.VATOnCollection.Status.bool,
		VATSplit:           t.SplitVAT.Status.bool,
		Phone:              optional(t.General.Phone),
		Seat:               t.Seat.structured(resolve),
		FiscalDomicile:     seat(t.Domicile).structured(resolve),
	}

	c.CompanyType = companyType(clean(t.General.LegalForm), c.Name)
	c.EUID = euid(c.TradeNumber)
	if !t.lacksVAT() && *c.VATPayer && len(c.VATPeriods) > 0 {
		c.VATSince = c.VATPeriods[len(c.VATPeriods)-1].From
	}
	if c.Seat != nil {
		c.County, c.City = c.Seat.County, c.Seat.City
	}
	if s := t.Inactive; s.Status.bool != nil {
		c.Inactive = &api.Inactive{
			Status: *s.Status.bool, Since: day(s.Since), Reactivated: day(s.Reactivated),
			Published: day(s.Published), StruckOff: day(s.StruckOff),
		}
	}
	if t.General.EInvoice.bool != nil {
		c.EInvoice = &api.EInvoice{Registered: *t.General.EInvoice.bool, Since: day(t.General.EInvoiceSince)}
	}

	return c, nil
}

// vatPeriods returns the VAT registrations, oldest first. It returns an empty list for a company that was never
// registered, and nil if the register does not say.
func (t *taxpayer) vatPeriods() []api.VATPeriod {
	if t.VAT.Periods == nil {
		return nil
	}

	periods := make([]api.VATPeriod, 0, len(*t.VAT.Periods))
	for _, p := range *t.VAT.Periods {
		period := api.VATPeriod{
			From: day(p.From), To: day(p.To), CanceledOn: day(p.Canceled), Reason: optional(p.Reason),
		}
		if period != (api.VATPeriod{}) {
			periods = append(periods, period)
		}
	}

	slices.SortStableFunc(periods, func(a, b api.VATPeriod) int { return cmp.Compare(deref(a.From), deref(b.From)) })
	return periods
}

// tradeNumber matches the two formats of a trade register number, before and since 2024-07-26: J40/8302/1997 and
// J2023000003127.
var tradeNumber = regexp.MustCompile(`^[JFC](?:[0-9]{1,2}/[0-9]{1,6}/[0-9]{4}|[0-9]{13})$`)

// euid returns the European Unique Identifier (EUID) used by the business registers: the code of the Romanian register,
// followed by the company's number there.
func euid(number *string) *string {
	if number == nil {
		return nil
	}

	n := strings.ToUpper(strings.ReplaceAll(*number, " ", ""))
	if !tradeNumber.MatchString(n) {
		return nil
	}

	return new("ROONRC." + n)
}
