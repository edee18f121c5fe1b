package anaf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rodata/rodata/api"
)

// MaxEntries is the maximum number of companies per call to the registers of farmers and of non-profits (documentation
// of version 2 of both).
const MaxEntries = 500

// otherRegister is one of the tax authority's smaller registers. All accept the same request and return the same kind
// of body.
type otherRegister struct {
	name, path string
	// flagged is true if the register's records say whether the company is registered. The register then returns an
	// otherwise empty record for an unregistered company.
	flagged bool
}

// The tax authority's smaller registers.
var (
	// eInvoiceRegister answers 404 if it has none of the numbers (documentation of 2024-11-05).
	eInvoiceRegister = otherRegister{name: "RO e-Factura", path: "/api/registruroefactura/v1/interogare"}
	// farmerRegister has the farmers of the flat-rate scheme of art. 315^1 of the Fiscal Code.
	farmerRegister = otherRegister{"the register of farmers", "/RegAgric/api/v2/ws/agric", true}
	// nonProfitRegister is the register of religious and non-profit entities for which donors get tax
	// deductions, art. 25 of the Fiscal Code; the tax authority calls it the register of cult.
	nonProfitRegister = otherRegister{"the register of non-profits", "/RegCult/api/v2/ws/cult", true}
)

// EInvoices makes one call about up to MaxBatch companies to the RO e-Factura register. It has the same arguments and
// results as Profiles. Several records of a number are stored as one, separated by commas. The records do not contain
// the day.
func (c *Client) EInvoices(ctx context.Context, companies []api.CompanyDay) (map[api.CompanyDay]Result, error) {
	return c.entries(ctx, eInvoiceRegister, companies)
}

// Farmers makes one call about up to MaxEntries companies to the register of farmers, like EInvoices. A company that is
// not in the register has a record that says so.
func (c *Client) Farmers(ctx context.Context, companies []api.CompanyDay) (map[api.CompanyDay]Result, error) {
	return c.entries(ctx, farmerRegister, companies)
}

// NonProfits makes one call about up to MaxEntries companies to the register of non-profits, like Farmers.
func (c *Client) NonProfits(ctx context.Context, companies []api.CompanyDay) (map[api.CompanyDay]Result, error) {
	return c.entries(ctx, nonProfitRegister, companies)
}

// entries makes one call to a register.
func (c *Client) entries(ctx context.Context, of otherRegister,
	companies []api.CompanyDay) (map[api.CompanyDay]Result, error) {
	res, err := c.post(ctx, of.path, companies, api.Today())
	if err != nil {
		return nil, err
	}

	work := newRelief()
	a, err := decode[enrolled](res.Status, res.Body, func() { work.rest(ctx) })
	if err != nil {
		return nil, broken(fmt.Errorf("asking %s about %d companies: status %d: %w", of.name, len(companies),
			res.Status, err))
	}

	found := make(map[api.CUI][]enrolled, len(a.Found))
	for _, e := range a.Found {
		found[api.CUI(e.CUI)] = append(found[api.CUI(e.CUI)], e)
	}

	missing, results, usable := a.missing(), make(map[api.CompanyDay]Result, len(companies)), false
	for _, company := range companies {
		r := of.result(company, found[company.CUI], missing[company.CUI])
		if r.Err == nil || r.Err == api.ErrUnknown {
			usable = true
		} else {
			err = r.Err
		}

		results[company] = r
	}

	if !usable {
		return nil, err
	}

	return results, nil
}

// enrolled is one record of a register, with its raw JSON.
type enrolled struct {
	raw []byte
	// CUI and Day repeat the request. Records of RO e-Factura have no day.
	CUI number `json:"cui"`
	Day text   `json:"data"`
	enrolment
}

func (e *enrolled) UnmarshalJSON(raw []byte) error {
	type fields enrolled // without this method
	if err := json.Unmarshal(raw, (*fields)(e)); err != nil {
		return err
	}

	e.raw = bytes.Clone(raw)
	return nil
}

// result returns the answer about one company.
func (r *otherRegister) result(company api.CompanyDay, found []enrolled, missing bool) Result {
	switch {
	case len(found) == 0 && missing:
		return Result{Err: api.ErrUnknown}
	case len(found) == 0 || missing:
		return Result{Err: broken(fmt.Errorf("%s has %s %d times, missing %t", r.name, company.CUI,
			len(found), missing))}
	}

	raws := make([][]byte, len(found))
	for i, e := range found {
		if err := r.check(company, &e); err != nil {
			return Result{Err: broken(fmt.Errorf("reading what %s says of %s: %w", r.name, company, err))}
		}
		raws[i] = e.raw
	}

	return Result{Record: NewRecord(bytes.Join(raws, []byte(",")))}
}

var errNoStatus = errors.New("it does not say whether the company is registered")

// check rejects an empty record, and a record for another day than the requested past day.
func (r *otherRegister) check(company api.CompanyDay, e *enrolled) error {
	if r.flagged && e.status() == nil {
		return errNoStatus
	}
	if said := day(e.Day); company.Day != 0 && said != nil && *said != company.Day {
		return fmt.Errorf("it is about %s", *said)
	}
	return nil
}
