package anaf

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// MaxEntries is the maximum number of companies per call to the registers of farmers and of non-profits (documentation
// of version 2 of both).
const MaxEntries = 500

// service is one of the tax authority's registers that are queried by company and day. All accept the same request and
// return the same kind of body.
type service struct {
	name, path string
	// flagged is true if the register's records say whether the company is registered. The register then returns an
	// otherwise empty record for an unregistered company.
	flagged bool
}

var (
	taxpayerService = service{name: "the register of taxpayers", path: "/api/PlatitorTvaRest/v9/tva"}
	// eInvoiceService answers 404 if it has none of the numbers (documentation of 2024-11-05).
	eInvoiceService = service{name: "RO e-Factura", path: "/api/registruroefactura/v1/interogare"}
	// farmerService lists the farmers of the flat-rate scheme of art. 315^1 of the Fiscal Code.
	farmerService = service{"the register of farmers", "/RegAgric/api/v2/ws/agric", true}
	// nonProfitService lists the religious and non-profit entities for which donors get tax deductions, art. 25 of the
	// Fiscal Code; the tax authority calls it the register of cult.
	nonProfitService = service{"the register of non-profits", "/RegCult/api/v2/ws/cult", true}
)

// EInvoices makes one call about up to MaxBatch companies to the RO e-Factura register. It has the same arguments and
// results as Profiles. Several records of a number are stored as one, separated by commas. The records do not contain
// the day.
func (c *Client) EInvoices(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]Result, error) {
	return c.entries(ctx, eInvoiceService, companies)
}

// Farmers makes one call about up to MaxEntries companies to the register of farmers, like EInvoices. A company that is
// not in the register has a record that says so.
func (c *Client) Farmers(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]Result, error) {
	return c.entries(ctx, farmerService, companies)
}

// NonProfits makes one call about up to MaxEntries companies to the register of non-profits, like Farmers.
func (c *Client) NonProfits(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]Result, error) {
	return c.entries(ctx, nonProfitService, companies)
}

// entries makes one call to one of the smaller registers.
func (c *Client) entries(ctx context.Context, s service,
	companies []ro.CompanyDay) (map[ro.CompanyDay]Result, error) {
	a, err := query[enrolmentRecord](ctx, c, s, companies, ro.Today())
	if err != nil {
		return nil, err
	}

	found := make(map[ro.CUI][]enrolmentRecord, len(a.Found))
	for _, e := range a.Found {
		found[ro.CUI(e.CUI)] = append(found[ro.CUI(e.CUI)], e)
	}

	missing := a.unknownNumbers()
	return resultsOf(companies, func(company ro.CompanyDay) Result {
		return s.result(company, found[company.CUI], missing[company.CUI])
	})
}

// enrolmentRecord is one record of a register, with its raw JSON.
type enrolmentRecord struct {
	raw []byte
	// CUI and Day repeat the request. Records of RO e-Factura have no day.
	CUI number `json:"cui"`
	Day text   `json:"data"`
	enrolment
}

func (e *enrolmentRecord) UnmarshalJSON(raw []byte) error {
	type fields enrolmentRecord // without this method
	if err := unmarshal(raw, (*fields)(e)); err != nil {
		return err
	}

	e.raw = bytes.Clone(raw)
	return nil
}

// result returns the answer about one company.
func (s *service) result(company ro.CompanyDay, found []enrolmentRecord, missing bool) Result {
	switch {
	case len(found) == 0 && missing:
		return Result{Err: op.ErrUnknown}
	case len(found) == 0 || missing:
		return Result{Err: broken(&unusableError{company, fmt.Errorf("%s returned %d records for it, and listed it as unknown: %t", s.name,
			len(found), missing)})}
	}

	raws := make([][]byte, len(found))
	for i, e := range found {
		if err := s.check(company, &e); err != nil {
			return Result{Err: broken(fmt.Errorf("reading the answer of %s about %s: %w", s.name, company, err))}
		}
		raws[i] = e.raw
	}

	return Result{Record: NewRecord(bytes.Join(raws, []byte(",")))}
}

var errNoStatus = errors.New("it does not say whether the company is registered")

// check rejects an empty record, and a record for another day than the requested past day.
func (s *service) check(company ro.CompanyDay, e *enrolmentRecord) error {
	if s.flagged && e.status() == nil {
		return errNoStatus
	}
	if recorded := day(e.Day); company.Day != 0 && recorded != nil && *recorded != company.Day {
		return fmt.Errorf("it is about %s", *recorded)
	}
	return nil
}
