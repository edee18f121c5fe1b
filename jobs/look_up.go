package jobs

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// patience bounds a look-up's wait for companies that were fetched but are not stored yet.
const patience = 25 * time.Second

// lookUp looks up the rows of a chunk that have no outcome, or a failed one. It reports that the job has to wait if the
// tax authority must not be queried now.
func (r *run) lookUp(ctx context.Context, c *Chunk, now time.Time) (outcomes []Outcome, waits bool, err error) {
	outcomes, err = c.readOutcomes()
	if err != nil {
		return nil, false, err
	}

	end, err := upload.TakeTurn(ctx) // the rows may have many columns
	if err != nil {
		return nil, false, err
	}

	indexes, items, err := c.missingRows(&r.job.Order, outcomes)
	if end(); err != nil {
		return nil, false, err
	}

	last := r.isTooLate(now)
	failures, waits, err := r.fetch(ctx, items, last)
	if err != nil || waits {
		return nil, waits, err
	}

	pass := c.Pass + 1
	var fetched []int // indexes
	var requests []company.BatchRequest
	for i, failure := range failures {
		if failure == nil {
			fetched, requests = append(fetched, indexes[i]), append(requests, items[i])
			continue
		}

		p := r.Desk.Problem(ctx, failure)
		outcomes[indexes[i]] = Outcome{Status: p.Status(), Problem: newProblem(p), Pass: pass}
	}

	if len(fetched) == 0 {
		return outcomes, false, nil
	}

	found, err := r.Desk.LookUp(ctx, r.caller, requests, r.job.Order.Fields, patience)
	if err != nil {
		return nil, false, err
	}

	for i, index := range fetched {
		outcomes[index] = newOutcome(&found[i], pass, last)
		outcomes[index].Blank = requests[i].TaxID == ""
	}

	return outcomes, false, nil
}

// fetch queries the tax authority about companies without a fresh stored record, within the share of jobs and with
// lower priority than callers. It returns, for each item, the reason why it could not be fetched, or nil. It reports
// waits if the tax authority must not be queried now. With last, no later pass follows: fetch then returns no failures
// and does not wait, and the items are looked up as for a caller.
func (r *run) fetch(ctx context.Context, items []company.BatchRequest,
	last bool) (failures []error, waits bool, err error) {
	failures = make([]error, len(items))
	indexes := make(map[ro.CompanyDay][]int)
	var missing []ro.CompanyDay
	for i, company := range r.Desk.Asked(ctx, items) {
		if company.CUI == 0 {
			continue
		}
		if indexes[company] == nil && !r.Register.Fresh(ctx, company) {
			missing = append(missing, company)
		}

		indexes[company] = append(indexes[company], i)
	}

	if len(missing) == 0 {
		return failures, false, nil
	}
	if ready, err := r.Share.Turn(ctx, r.job.Order.calls(len(missing))); err != nil || !ready {
		return failures, !last, err
	}

	err = r.Register.Warm(op.WithCaller(ctx, r.caller), missing, func(company ro.CompanyDay, err error) {
		// The trade register may know a company that the tax authority's answer leaves out.
		if err == nil || last || errors.Is(err, op.ErrUnknown) || r.Unusable(company.CUI, err) {
			return
		}

		for _, i := range indexes[company] {
			failures[i] = err
		}
	})
	return failures, false, err
}

// callCompanies is the maximum number of companies in one call to the tax authority.
const callCompanies = 100

// calls returns the number of calls for a number of companies. The registers of farmers, non-profits and RO e-Factura
// take as many calls each.
func (o *Order) calls(companies int) int {
	n := (companies + callCompanies - 1) / callCompanies
	for _, f := range o.Fields {
		if part, _, _ := strings.Cut(string(f), "."); part == string(company.IncludeRegisters) {
			return 4 * n
		}
	}

	return n
}
