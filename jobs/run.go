package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

const (
	// patience bounds a look-up's wait for companies that were fetched but are not stored yet.
	patience = 25 * time.Second
	// chargeTime bounds a charge, which is completed even when the process stops.
	chargeTime = 10 * time.Second
	// nameTime is the time in which a charge can be repeated without paying twice. It is a little shorter than the time
	// for which the names of charges are remembered.
	nameTime = account.RepeatFor - time.Hour
)

// errEnded is the error of a step that ended the job.
var errEnded = errors.New("the job has ended")

// run is the work of one process on a job.
type run struct {
	*Runner
	job    *Job
	caller account.Caller // on whose behalf the registries are asked
	hold   Hold
	paid   map[api.CompanyDay]bool // the charged companies, each with a day
}

// open reserves the credits for the rows that have not been charged yet.
func (r *run) open(ctx context.Context) error {
	r.paid = make(map[api.CompanyDay]bool)
	if r.job.Status == api.RunningJob {
		if err := r.recall(ctx); err != nil {
			return err
		}
	}

	if err := r.Store.Start(ctx, r.job.ID, time.Now()); err != nil {
		return err
	}

	var err error
	r.hold, err = r.Purse.Hold(ctx, r.job.Account, r.job.Order.Key, max(0, r.job.Distinct-r.job.Asked))
	return err
}

// recall reads from the store which companies earlier passes have charged.
func (r *run) recall(ctx context.Context) error {
	for number := 0; ; number++ {
		c, err := r.Store.Chunk(ctx, r.job.ID, number)
		if err != nil || c == nil {
			return err
		}
		if len(c.Outcomes) == 0 {
			continue
		}

		outcomes := unpack(c.Outcomes)
		for o := new(Outcome); outcomes.next(o); *o = (Outcome{Profile: o.Profile[:0]}) {
			if o.Paid {
				r.paid[r.companyOf(o)] = true
			}
		}

		if err := outcomes.close(); err != nil {
			return err
		}
	}
}

// companyOf returns the company and day of a row that was found. For a row without a day, that is the day of the
// upload.
func (r *run) companyOf(o *Outcome) api.CompanyDay {
	day := o.Day
	if day == 0 {
		day = api.DateIn(r.job.CreatedAt, api.Bucharest)
	}
	return api.CompanyDay{CUI: o.TaxID, Day: day}
}

func (r *run) release() {
	if r.hold != nil {
		r.hold.Release()
	}
}

// step processes the next rows of the job. If the job has to wait, it returns the time to continue.
func (r *run) step(ctx context.Context) (later time.Time, err error) {
	now := time.Now()
	chunk, due, err := r.Store.Next(ctx, r.job.ID, now)
	switch {
	case err != nil:
		return time.Time{}, err
	case chunk == nil && due.IsZero():
		return time.Time{}, r.end(ctx, api.CompletedJob, nil)
	case chunk == nil:
		return due, nil
	}

	if chunk.State != Priced {
		outcomes, waits, err := r.lookUp(ctx, chunk, now)
		switch {
		case err != nil:
			return time.Time{}, err
		case waits:
			return now.Add(postponed), nil
		}

		chunk.Price = r.price(outcomes)
		if err := r.Store.Price(ctx, r.job.ID, chunk, outcomes, time.Now()); err != nil {
			return time.Time{}, err
		}
	}

	return r.charge(ctx, chunk)
}

// price marks the rows to be charged, and returns their number.
func (r *run) price(outcomes []Outcome) (credits int) {
	for i := range outcomes {
		o := &outcomes[i]
		if o.Status != http.StatusOK || o.Paid {
			continue
		}
		if company := r.companyOf(o); !r.paid[company] {
			r.paid[company], o.Paid = true, true
			credits++
		}
	}

	return credits
}

// charge charges the price of a chunk and settles the chunk. It continues even if the context ends in the meantime.
func (r *run) charge(ctx context.Context, c *Chunk) (later time.Time, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), chargeTime)
	defer cancel()
	if c.Price > 0 {
		switch err := r.pay(ctx, c); {
		case errors.Is(err, ErrPaying):
			return time.Now().Add(postponed), nil
		case errors.Is(err, ErrExhausted):
			return time.Time{}, r.end(ctx, api.FailedJob, r.unpaid(ctx))
		case err != nil:
			return time.Time{}, err
		}
	}

	now := time.Now()
	state, due := r.stateOf(c, now)
	return time.Time{}, r.Store.Settle(ctx, r.job.ID, c, state, due, now)
}

// pay charges the price of a chunk once. If the charge began long ago, its name has been forgotten, and it is unknown
// whether it was paid. It then counts as paid.
func (r *run) pay(ctx context.Context, c *Chunk) error {
	if time.Since(c.Due) > nameTime {
		r.Log.Error("it is unknown whether rows of a job were charged; they count as paid", "job", r.job.ID, "rows",
			c.Number, "credits", c.Price)
		return nil
	}

	return r.hold.Pay(ctx, fmt.Sprintf("job %s rows %d pass %d", r.job.ID, c.Number, c.Pass), c.Price)
}

// unpaid returns the problem of a job that its account cannot pay for any more.
func (r *run) unpaid(ctx context.Context) *Problem {
	if fresh, err := r.Store.Job(ctx, "", r.job.ID); err == nil {
		r.job = fresh
	}
	return newProblem(problem.QuotaExhausted.New("the account's credits of the month were used up by other calls "+
		"after %d of %d rows; the result has the rows until then. Change to a plan with more credits (GET /v1/plans) "+
		"and upload the others", r.job.Done, r.job.Total))
}

// stateOf returns the next state of a chunk that has been charged. Failed rows are retried until the job is a day old.
func (r *run) stateOf(c *Chunk, now time.Time) (ChunkState, time.Time) {
	if c.Failed == 0 || r.late(now) {
		return Settled, time.Time{}
	}

	due := now.Add(min(firstRetry<<min(c.Pass-1, 10), lastRetry))
	if last := r.job.CreatedAt.Add(TriedFor); due.After(last) {
		due = last
	}

	return Partly, due
}

// late reports whether it is too late to retry failed rows.
func (r *run) late(now time.Time) bool { return !now.Before(r.job.CreatedAt.Add(TriedFor)) }

// end ends the job.
func (r *run) end(ctx context.Context, status api.JobStatus, why *Problem) error {
	if err := r.Store.End(ctx, r.job.ID, status, why, time.Now()); err != nil {
		return err
	}

	job, err := r.Store.Job(ctx, "", r.job.ID)
	if err == nil && r.Ended != nil {
		r.Ended(ctx, job)
	}

	return errEnded
}

// lookUp looks up the rows of a chunk that have no outcome, or a failed one. It reports that the job has to wait if the
// tax authority must not be asked now.
func (r *run) lookUp(ctx context.Context, c *Chunk, now time.Time) (outcomes []Outcome, waits bool, err error) {
	outcomes, err = c.done()
	if err != nil {
		return nil, false, err
	}

	places, items, err := c.missing(&r.job.Order, outcomes)
	if err != nil {
		return nil, false, err
	}

	failures, waits, err := r.fetch(ctx, items, r.late(now))
	if err != nil || waits {
		return nil, waits, err
	}

	var known []int
	for n, failure := range failures {
		if failure == nil {
			known = append(known, n)
			continue
		}

		p := r.Desk.Problem(ctx, failure)
		outcomes[places[n]] = Outcome{Status: p.Status(), Problem: newProblem(p), Pass: c.Pass + 1}
	}

	return outcomes, false, r.answer(ctx, c, items, known, places, outcomes)
}

// missing returns the rows that have no outcome, or a failed one, with their positions in the chunk.
func (c *Chunk) missing(order *Order, outcomes []Outcome) (places []int, items []api.BatchRequest, err error) {
	rows := unpack(c.Input)
	defer func() { err = errors.Join(err, rows.close()) }()
	var cells []string
	for i := range outcomes {
		if !rows.next(&cells) {
			return nil, nil, errRowsMissing
		}
		if outcomes[i].Status == 0 || outcomes[i].failed() {
			places, items = append(places, i), append(items, order.request(cells))
		}
	}

	return places, items, nil
}

// answer looks up the known items, after fetch has stored the registries' records of them.
func (r *run) answer(ctx context.Context, c *Chunk, items []api.BatchRequest, known, places []int,
	outcomes []Outcome) error {
	if len(known) == 0 {
		return nil
	}

	some := make([]api.BatchRequest, len(known))
	for i, n := range known {
		some[i] = items[n]
	}

	found, err := r.Desk.LookUp(ctx, r.caller, some, r.job.Order.Fields, patience)
	if err != nil {
		return err
	}

	for i, n := range known {
		f := &found[i]
		o := Outcome{Status: f.Status, TaxID: f.Company.CUI, Day: f.Company.Day, Profile: f.Profile, Pass: c.Pass + 1}
		if f.Problem != nil {
			o.Problem = newProblem(f.Problem)
		}
		if !f.RetrievedAt.IsZero() {
			o.RetrievedAt = f.RetrievedAt.Unix()
		}

		outcomes[places[n]] = o
	}

	return nil
}

// callCompanies is the number of companies in one call to the tax authority.
const callCompanies = 100

// fetch asks the tax authority about companies without a fresh stored record, within the share of jobs and with lower
// priority than callers. It returns, for each item, the reason why it could not be fetched, or nil. It reports waits if
// the tax authority must not be asked now. With last, no later pass follows: fetch then returns no failures and does
// not wait, and the items are looked up as for a caller.
func (r *run) fetch(ctx context.Context, items []api.BatchRequest,
	last bool) (failures []error, waits bool, err error) {
	failures = make([]error, len(items))
	places := make(map[api.CompanyDay][]int)
	var missing []api.CompanyDay
	for i, company := range r.Desk.Asked(ctx, items) {
		if company.CUI == 0 {
			continue
		}
		if places[company] == nil && !r.Register.Fresh(ctx, company) {
			missing = append(missing, company)
		}

		places[company] = append(places[company], i)
	}

	switch {
	case len(missing) == 0:
		return failures, false, nil
	case !r.Ready():
		return failures, !last, nil
	}

	outcomes := make(chan fetched, len(missing))
	if err := r.pace.await(ctx, r.calls(len(missing))); err != nil {
		return nil, false, err
	}

	for _, company := range missing {
		r.Register.Warm(api.WithCaller(ctx, r.caller), company, func(err error) { outcomes <- fetched{company, err} })
	}

	for range missing {
		select {
		case f := <-outcomes:
			if f.err == nil || last || errors.Is(f.err, api.ErrUnknown) {
				continue
			}

			for _, i := range places[f.company] {
				failures[i] = f.err
			}
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}

	return failures, false, nil
}

type fetched struct {
	company api.CompanyDay
	err     error
}

// calls returns the number of calls for a number of companies. The registers of farmers, non-profits and RO e-Factura
// take as many calls each.
func (r *run) calls(companies int) int {
	n := (companies + callCompanies - 1) / callCompanies
	for _, f := range r.job.Order.Fields {
		if part, _, _ := strings.Cut(string(f), "."); part == string(api.IncludeRegisters) {
			return 4 * n
		}
	}

	return n
}
