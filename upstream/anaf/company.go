package anaf

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/rodata/rodata/api"
)

// company converts a record into a profile. A record without a name or without VAT data
// is rejected: the format has changed, and nothing may be concluded from it.
func (r *record) company(resolve Resolver) (*api.Company, error) {
	name := optional(r.General.Name)
	if name == nil {
		return nil, errors.New("it has no name")
	}
	if r.VAT.Payer.bool == nil {
		return nil, errors.New("it does not say whether the company pays VAT")
	}

	c := &api.Company{
		TaxID:              api.CUI(r.General.CUI),
		Name:               *name,
		TradeNumber:        optional(r.General.TradeNumber),
		MainNACECode:       digits(r.General.CAEN, 4),
		RegistrationDate:   day(r.General.Registered),
		RegistrationStatus: optional(r.General.Status),
		StateRegistration:  r.state(),
		Address:            optional(r.General.Address),
		PostalCode:         digits(r.General.PostalCode, 6),
		LegalForm:          optional(r.General.LegalForm),
		OwnershipForm:      optional(r.General.Ownership),
		OrganizationForm:   optional(r.General.Organization),
		FiscalAuthority:    optional(r.General.Authority),
		VATPayer:           r.VAT.Payer.bool,
		VATPeriods:         r.vatPeriods(),
		VATOnCollection:    r.VATOnCollection.Status.bool,
		VATSplit:           r.SplitVAT.Status.bool,
		Phone:              optional(r.General.Phone),
		Seat:               r.Seat.structured(resolve),
		FiscalDomicile:     seat(r.Domicile).structured(resolve),
	}

	c.CompanyType = companyType(clean(r.General.LegalForm), c.Name)
	c.EUID = euid(c.TradeNumber)
	if *c.VATPayer && len(c.VATPeriods) > 0 {
		c.VATSince = c.VATPeriods[len(c.VATPeriods)-1].From
	}
	if c.Seat != nil {
		c.County, c.City = c.Seat.County, c.Seat.City
	}
	if s := r.Inactive; s.Status.bool != nil {
		c.Inactive = &api.Inactive{Status: *s.Status.bool, Since: day(s.Since), Reactivated: day(s.Reactivated),
			Published: day(s.Published), StruckOff: day(s.StruckOff)}
	}
	if r.General.EInvoice.bool != nil {
		c.EInvoice = &api.EInvoice{Registered: *r.General.EInvoice.bool, Since: day(r.General.EInvoiceSince)}
	}

	return c, nil
}

// vatPeriods are the registrations for VAT, oldest first; empty for a company
// that never was registered, nil when the register does not say.
func (r *record) vatPeriods() []api.VATPeriod {
	if r.VAT.Periods == nil {
		return nil
	}
	periods := make([]api.VATPeriod, 0, len(*r.VAT.Periods))
	for _, p := range *r.VAT.Periods {
		period := api.VATPeriod{From: day(p.From), To: day(p.To), CanceledOn: day(p.Canceled), Reason: optional(p.Reason)}
		if period != (api.VATPeriod{}) {
			periods = append(periods, period)
		}
	}

	slices.SortStableFunc(periods, func(a, b api.VATPeriod) int { return cmp.Compare(value(a.From), value(b.From)) })
	return periods
}

func value(d *api.Date) api.Date {
	if d == nil {
		return 0
	}
	return *d
}

// tradeNumber are the two spellings of a number of the trade register, of
// before and since 2024-07-26: J40/8302/1997 and J2023000003127.
var tradeNumber = regexp.MustCompile(`^[JFC](?:[0-9]{1,2}/[0-9]{1,6}/[0-9]{4}|[0-9]{13})$`)

// euid is the identifier that the European business registers share: the code
// of the Romanian one before the company's number there.
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
