package compat

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

// inquiryArg is the body argument of operations for inquiries.
type inquiryArg struct {
	all inquiry
}

// UnmarshalText parses the body of a request.
func (a *inquiryArg) UnmarshalText(text []byte) (err error) {
	a.all, err = parseInquiry(text, api.Today())
	return err
}

// Schema describes the array.
func (inquiryArg) Schema() api.Schema {
	return api.Schema{Type: "array", Items: &api.Schema{Type: "object"}}
}

type inquiryInput struct {
	Items inquiryArg `arg:"items" required:"true" doc:"The companies, in the tax authority's format."`
}

// outcome is the result for one item of an inquiry. It implements api.Row.
type outcome struct {
	asked
	place    int
	repeated bool // an earlier item requested the same company on the same day
	record   []byte
	unknown  bool // the registry has confirmed that it does not know the company
	free     bool // it only has the registry's format
	err      error
	api.Freshness
}

// Position implements api.Row.
func (o *outcome) Position() int { return o.place }

// Charged implements api.Row.
func (o *outcome) Charged() bool { return o.record != nil && !o.repeated && !o.free }

// Stored implements api.Row.
func (o *outcome) Stored() bool { return o.Cache == api.Hit }

// AppendJSON implements api.Row.
func (o *outcome) AppendJSON(b []byte, _ string) []byte { return append(b, o.record...) }

// Cells implements api.Row.
func (o *outcome) Cells() []string { return nil }

// patience bounds the time that a request waits for the registry. Clients wait 30 s at most.
const patience = 25 * time.Second

// find looks up distinct companies, each on a day, and reports each result by its position in the list.
type find func(ctx context.Context, companies []api.CompanyDay, each func(i int, o outcome))

// answerInquiries returns an operation that looks up the companies of an inquiry. The price is per company found; all
// companies are charged together at the end, since the answer is sent as one document.
func answerInquiries(name string, look find) *api.Operation {
	return api.DefineRows[inquiryInput, inquiry, *outcome](api.Spec{
		Name: name, Method: http.MethodPost, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.QuotaExhausted, problem.EntitlementMissing, problem.UpstreamError,
			problem.Unavailable, problem.UpstreamTimeout},
	}, func(in inquiryInput, _ api.Asker) (inquiry, api.RowPlan, error) {
		companies, _ := in.Items.all.distinct()
		return in.Items.all, api.RowPlan{Items: len(in.Items.all), Most: len(companies)}, nil
	}, func(ctx context.Context, caller account.Caller, asked inquiry, out *api.Rows) (struct{}, error) {
		if err := announce(ctx, &caller, len(asked)); err != nil {
			return struct{}{}, err
		}

		rows, failure := asked.answer(ctx, look)
		if failure != nil {
			p := out.Problem(failure)
			if unanswered(rows) {
				return struct{}{}, notNow(p)
			}
		}

		return struct{}{}, out.Send(rows)
	})
}

// distinct returns the companies to look up, each on a day, and the positions that request each of them.
func (all inquiry) distinct() (companies []api.CompanyDay, places map[api.CompanyDay][]int) {
	places = make(map[api.CompanyDay][]int, len(all))
	for i, a := range all {
		if !a.possible() {
			continue
		}

		company := a.company()
		if places[company] == nil {
			companies = append(companies, company)
		}

		places[company] = append(places[company], i)
	}

	return companies, places
}

// answer looks the companies up. The rows are in the order of the inquiry; the failure is the first failure of a
// company that could not be looked up.
func (all inquiry) answer(ctx context.Context, look find) (rows []api.Row, failure error) {
	outcomes := make([]outcome, len(all))
	companies, places := all.distinct()
	if len(companies) > 0 {
		look(ctx, companies, func(i int, o outcome) {
			for n, place := range places[companies[i]] {
				o.repeated = n > 0
				outcomes[place] = o
			}
			if o.err != nil && failure == nil {
				failure = o.err
			}
		})
	}

	rows = make([]api.Row, len(all))
	for i, a := range all {
		o := &outcomes[i]
		o.asked, o.place = a, i
		switch {
		case !a.possible():
			o.unknown, o.Cache = true, api.Hit
		case o.record == nil && !o.unknown && failure == nil: // the call ended before the result was known
			failure = context.Cause(ctx)
		}

		rows[i] = o
	}

	return rows, failure
}

// unanswered reports whether there is no result for any company.
func unanswered(rows []api.Row) bool {
	for _, row := range rows {
		if o := row.(*outcome); o.record != nil || o.unknown {
			return false
		}
	}

	return true
}

// retryLater is the Retry-After if a registry specifies none.
const retryLater = 5 * time.Second

// notNow is the answer if the registry has no result for any requested company.
func notNow(cause *problem.Problem) *problem.Problem {
	if cause.Status() < http.StatusBadGateway {
		return cause
	}

	p := problem.Unavailable.New("%s", cause.Detail)
	p.RetryAfter = max(cause.RetryAfter, retryLater)
	return p
}

// taxpayers finds the tax authority's records of companies.
func taxpayers(register api.Companies) find {
	return func(ctx context.Context, companies []api.CompanyDay, each func(int, outcome)) {
		register.Companies(ctx, companies, patience, func(found []api.Found) bool {
			for _, f := range found {
				each(f.Index, taxpayer(f))
			}
			return ctx.Err() == nil
		})
	}
}

// errNoRecord is the error for a profile without the tax authority's record, because only other registers could be
// asked.
var errNoRecord = &api.Failure{Registry: "anaf", Kind: api.Closed,
	Err: errors.New("the profile has no record of the tax authority")}

// taxpayer returns the tax authority's part of a profile.
func taxpayer(f api.Found) (o outcome) {
	o.Freshness = f.Answer.Freshness
	switch company := f.Answer.Value; {
	case errors.Is(f.Err, api.ErrUnknown), f.Err == nil && company.Unlisted:
		o.unknown = true
	case f.Err != nil:
		o.err = f.Err
	case company.Record == nil:
		o.err = errNoRecord
	default:
		o.record, o.err = company.Record.Raw()
	}

	return o
}

// eInvoices finds records of the RO e-Factura register. It requests all of them together, so that they share requests
// to the registry.
func eInvoices(tax api.TaxRecords) find {
	return func(ctx context.Context, companies []api.CompanyDay, each func(int, outcome)) {
		outcomes := make([]outcome, len(companies))
		ctx, stop := context.WithTimeout(ctx, patience)
		defer stop()
		var asking sync.WaitGroup
		for i, company := range companies {
			asking.Go(func() {
				answer, err := tax.EInvoiceRecord(ctx, company)
				outcomes[i] = recorded(answer, err)
			})
		}

		asking.Wait()
		for i, o := range outcomes {
			each(i, o)
		}
	}
}

// recorded is the outcome for one record.
func recorded(answer api.Answer[api.Record], err error) (o outcome) {
	o.Freshness = answer.Freshness
	switch {
	case errors.Is(err, api.ErrUnknown):
		o.unknown = true
	case err != nil:
		o.err = err
	default:
		o.record, o.err = answer.Value.Raw()
	}

	return o
}
