package anaf

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// service is one of the tax authority's registers that are queried by company and day. All accept the same request and
// return the same kind of body.
type service struct{ name, path string }

var taxpayerService = service{name: "the register of taxpayers", path: "/api/PlatitorTvaRest/v9/tva"}

// SmallRegister is one of the tax authority's registers besides that of taxpayers.
type SmallRegister struct {
	// Source is its name in sources and in the status.
	Source string
	// MaxBatch is the maximum number of companies per call.
	MaxBatch int
	// Entry parses a record of the register for a day. Registers other than RO e-Factura leave Entries nil.
	Entry func(r *Record, on ro.Date) (company.EInvoiceEntry, error)

	service
	// flagged is true if the register's records say whether the company is registered. The register then returns an
	// otherwise empty record for an unregistered company.
	flagged bool
}

// The small registers.
var (
	// Farmers lists the farmers of the flat-rate scheme of art. 315^1 of the Fiscal Code. The number of companies is
	// from its documentation of version 2, as that of NonProfits.
	Farmers = &SmallRegister{Source: "anaf-farmers", MaxBatch: 500, Entry: (*Record).enrolment,
		service: service{"the register of farmers", "/RegAgric/api/v2/ws/agric"}, flagged: true}
	// NonProfits lists the religious and non-profit entities for which donors get tax deductions, art. 25 of the Fiscal
	// Code; the tax authority calls it the register of cult.
	NonProfits = &SmallRegister{Source: "anaf-nonprofits", MaxBatch: 500, Entry: (*Record).enrolment,
		service: service{"the register of non-profits", "/RegCult/api/v2/ws/cult"}, flagged: true}
	// EInvoices is the RO e-Factura register. It answers 404 if it has none of the numbers (documentation of
	// 2024-11-05).
	EInvoices = &SmallRegister{Source: "anaf-efactura", MaxBatch: MaxBatch, Entry: (*Record).eInvoiceEntry,
		service: service{"RO e-Factura", "/api/registruroefactura/v1/interogare"}}

	// SmallRegisters are all of them, in the order of the sources of an answer.
	SmallRegisters = []*SmallRegister{Farmers, NonProfits, EInvoices}
)

// Entries returns a fetch that makes one call about up to MaxBatch companies to a small register. It has the same
// arguments and results as Profiles. Several records of a number are stored as one, separated by commas.
func (c *Client) Entries(s *SmallRegister) Fetch {
	return func(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]Result, error) {
		a, err := query[enrolment](ctx, c, s.service, companies, ro.Today())
		if err != nil {
			return nil, err
		}

		return a.results(companies, func(e *enrolment) number { return e.CUI }, s.result)
	}
}

// result returns the answer about one company.
func (s *SmallRegister) result(company ro.CompanyDay, found []*element[enrolment], missing bool) Result {
	switch {
	case len(found) == 0 && missing:
		return Result{Err: op.ErrUnknown}
	case len(found) == 0 || missing:
		return Result{Err: broken(&unusableError{company, fmt.Errorf(
			"%s returned %d records for it, and listed it as unknown: %t", s.name, len(found), missing)})}
	}

	raws := make([][]byte, len(found))
	for i, e := range found {
		if err := s.check(company, &e.read); err != nil {
			return Result{Err: broken(fmt.Errorf("reading the answer of %s about %s: %w", s.name, company, err))}
		}
		raws[i] = e.raw
	}

	return Result{Record: NewRecord(bytes.Join(raws, []byte(",")))}
}

var errNoStatus = errors.New("it does not say whether the company is registered")

// check rejects an empty record, and a record for another day than the requested past day.
func (s *SmallRegister) check(company ro.CompanyDay, e *enrolment) error {
	if s.flagged && e.status() == nil {
		return errNoStatus
	}
	if recorded := day(e.Day); company.Day != 0 && recorded != nil && *recorded != company.Day {
		return fmt.Errorf("it is about %s", *recorded)
	}
	return nil
}
