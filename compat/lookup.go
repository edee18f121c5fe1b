package compat

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// inquiryArg is the body argument of operations for inquiries.
type inquiryArg struct {
	all inquiry
}

// UnmarshalText parses the body of a request.
func (a *inquiryArg) UnmarshalText(text []byte) (err error) {
	a.all, err = parseInquiry(text, ro.Today())
	return err
}

// Schema describes the array.
func (inquiryArg) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object"}}
}

type inquiryInput struct {
	Items inquiryArg `arg:"items" required:"true" doc:"The companies, in the tax authority's format."`
}

// lookupTimeout bounds the time that a request waits for the registry. Clients wait 30 s at most.
const lookupTimeout = 25 * time.Second

// finder looks up distinct companies, each on a day, and reports each result by its position in the list.
type finder func(ctx context.Context, companies []ro.CompanyDay, each func(i int, o outcome))

// answerInquiries returns an operation that looks up the companies of an inquiry. The price is per company found; all
// companies are charged together at the end, since the answer is sent as one document.
func answerInquiries(name string, look finder) *op.Operation {
	return op.DefineRows[inquiryInput, inquiry, *outcome](op.Spec{
		Name: name, Method: http.MethodPost, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(in inquiryInput, _ op.CallerInfo) (inquiry, op.RowPlan, error) {
		companies, _ := in.Items.all.distinct()
		return in.Items.all, op.RowPlan{Items: len(in.Items.all), Most: len(companies)}, nil
	}, func(ctx context.Context, caller account.Caller, asked inquiry, out *op.Rows) (struct{}, error) {
		if err := accept(ctx, &caller, len(asked)); err != nil {
			return struct{}{}, err
		}

		rows, failure := asked.answer(ctx, look)
		if failure != nil {
			p := out.Problem(failure)
			if noneAnswered(rows) {
				return struct{}{}, unavailable(p)
			}
		}

		return struct{}{}, out.Send(rows)
	})
}

// distinct returns the companies to look up, each on a day, and the positions that request each of them.
func (all inquiry) distinct() (companies []ro.CompanyDay, positions map[ro.CompanyDay][]int) {
	positions = make(map[ro.CompanyDay][]int, len(all))
	for i, a := range all {
		if !a.isPossible() {
			continue
		}

		company := a.company()
		if positions[company] == nil {
			companies = append(companies, company)
		}

		positions[company] = append(positions[company], i)
	}

	return companies, positions
}

// answer looks the companies up. The rows are in the order of the inquiry; the failure is the first failure of a
// company that could not be looked up.
func (all inquiry) answer(ctx context.Context, look finder) (rows []op.Row, failure error) {
	outcomes := make([]outcome, len(all))
	companies, positions := all.distinct()
	if len(companies) > 0 {
		look(ctx, companies, func(i int, o outcome) {
			for n, position := range positions[companies[i]] {
				o.repeated = n > 0
				outcomes[position] = o
			}
			if o.err != nil && failure == nil {
				failure = o.err
			}
		})
	}

	rows = make([]op.Row, len(all))
	for i, a := range all {
		o := &outcomes[i]
		o.inquiryItem, o.position = a, i
		switch {
		case !a.isPossible():
			o.unknown, o.Cache = true, op.Hit
		case o.record == nil && !o.unknown && failure == nil: // the call ended before the result was known
			failure = context.Cause(ctx)
		}

		rows[i] = o
	}

	return rows, failure
}

// noneAnswered reports whether there is no result for any company.
func noneAnswered(rows []op.Row) bool {
	for _, row := range rows {
		if o := row.(*outcome); o.record != nil || o.unknown {
			return false
		}
	}

	return true
}

// retryLater is the Retry-After if a registry specifies none.
const retryLater = 5 * time.Second

// unavailable is the problem if the registry has no result for any requested company.
func unavailable(cause *problem.Problem) *problem.Problem {
	if cause.Status() < http.StatusBadGateway {
		return cause
	}

	return problem.Unavailable.New("%s", cause.Detail).After(max(cause.RetryAfter, retryLater))
}

// taxpayers finds the tax authority's records of companies.
func taxpayers(register company.Companies) finder {
	return func(ctx context.Context, companies []ro.CompanyDay, each func(int, outcome)) {
		register.Companies(ctx, companies, lookupTimeout, func(found []company.Found) bool {
			for _, f := range found {
				each(f.Index, taxpayer(f))
			}
			return ctx.Err() == nil
		})
	}
}

// eInvoices finds records of the RO e-Factura register. It requests all of them together, so that they share requests
// to the registry.
func eInvoices(tax company.TaxRecords) finder {
	return func(ctx context.Context, companies []ro.CompanyDay, each func(int, outcome)) {
		outcomes := make([]outcome, len(companies))
		ctx, stop := context.WithTimeout(ctx, lookupTimeout)
		defer stop()
		var asking sync.WaitGroup
		for i, company := range companies {
			asking.Go(func() {
				answer, err := tax.EInvoiceRecord(ctx, company)
				outcomes[i] = outcomeOf(answer, err)
			})
		}

		asking.Wait()
		for i, o := range outcomes {
			each(i, o)
		}
	}
}
