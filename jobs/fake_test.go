package jobs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/jobs"
	"github.com/rodata/rodata/jobs/store"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

// registers is a fake of both registers. It knows every valid number that is not in unknown.
type registers struct {
	mu      sync.Mutex
	unknown map[ro.CUI]bool
	failing map[ro.CUI]bool
	fresh   map[ro.CUI]bool
	omitted map[ro.CUI]bool // the tax authority's answers leave them out; the trade register knows them
	silent  bool            // a smaller register does not answer
	warmed  []time.Time     // one for each requested company
	down    bool            // the tax authority must not be asked
	looked  func()          // called before each look-up
	broken  error           // the error of the next look-up
}

var (
	errDown    = errors.New("the registry is down")
	errOmitted = errors.New("the answer leaves it out")
)

func isUnusable(_ ro.CUI, err error) bool { return errors.Is(err, errOmitted) }

func (r *registers) isReady() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.down
}

func (r *registers) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

func (r *registers) Fresh(_ context.Context, c ro.CompanyDay) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fresh[c.CUI]
}

func (r *registers) Warm(_ context.Context, companies []ro.CompanyDay, each func(ro.CompanyDay, error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range companies {
		r.warmed = append(r.warmed, time.Now())
		switch {
		case r.failing[c.CUI]:
			each(c, errDown)
		case r.omitted[c.CUI]:
			each(c, errOmitted)
		default:
			each(c, nil)
		}
	}

	return nil
}

func (r *registers) Asked(_ context.Context, items []company.BatchRequest) []ro.CompanyDay {
	asked := make([]ro.CompanyDay, len(items))
	for i, item := range items {
		if asked[i].CUI.UnmarshalText([]byte(item.TaxID)) == nil && item.Date != "" {
			_ = asked[i].Day.UnmarshalText([]byte(item.Date)) // the dates of the tests are valid
		}
	}

	return asked
}

func (r *registers) LookUp(ctx context.Context, _ account.Caller, items []company.BatchRequest, fields []company.Field,
	_ time.Duration) ([]company.Outcome, error) {
	if r.looked != nil {
		r.looked()
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.broken; err != nil {
		r.broken = nil
		return nil, err
	}

	outcomes := make([]company.Outcome, len(items))
	for i, company := range r.Asked(ctx, items) {
		o := &outcomes[i]
		switch o.Company = company; {
		case company.CUI == 0:
			o.Status, o.Problem = 400, problem.InvalidRequest.New("taxId: %s is not valid", items[i].TaxID)
		case r.unknown[company.CUI]:
			o.Status, o.Problem = 404, problem.NotFound.New("no register knows %d", company.CUI)
		case r.failing[company.CUI]:
			o.Status, o.Problem = 502, problem.UpstreamError.New("the registry is down")
		default:
			o.Status, o.RetrievedAt = 200, time.Now()
			if r.silent {
				o.Unknown, o.Incomplete = []string{"registers.farmers"}, true
			}
			o.Profile = json.RawMessage(fmt.Sprintf(`{"taxId":%d,"name":"=EXEMPLU %d","vatPayer":true}`, company.CUI,
				company.CUI))
		}
	}

	return outcomes, ctx.Err()
}

func (r *registers) Problem(context.Context, error) *problem.Problem {
	return problem.UpstreamError.New("the registry is down")
}

// purse holds the credits of all accounts.
type purse struct {
	mu    sync.Mutex
	left  int
	named map[string]int
	held  int
	fails error
}

func (p *purse) Remaining(context.Context, string) (int64, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int64(p.left), true
}

func (p *purse) Hold(_ context.Context, _, _ string, credits int) (jobs.Hold, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held++
	return p, nil
}

func (p *purse) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held--
}

func (p *purse) Pay(_ context.Context, name string, credits int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	due := credits - p.named[name]
	if due > p.left {
		return jobs.ErrExhausted
	}

	p.left -= due
	p.named[name] += due
	return p.fails
}

// office is a service with a runner and its own store.
type office struct {
	*jobs.Service
	registers *registers
	purse     *purse
	store     *store.DB
	ended     atomic.Int64 // calls of Ended, one a job
	log       bytes.Buffer // of the runner
	stop      func()
}

var caller = account.Caller{Key: &account.Key{ID: "key", Account: "acc"}}

func open(t *testing.T, limits jobs.Limits) *office {
	t.Helper()
	db := testkit.Must(store.Open(t.Context(), filepath.Join(t.TempDir(), "jobs.db")))
	o := &office{store: db, registers: &registers{unknown: map[ro.CUI]bool{}, failing: map[ro.CUI]bool{},
		fresh: map[ro.CUI]bool{}, omitted: map[ro.CUI]bool{}},
		purse: &purse{left: 1_000_000, named: map[string]int{}}}
	o.Service = jobs.NewService(jobs.Service{Store: db, Purse: o.purse,
		Results: &jobs.Results{Store: db, Dir: t.TempDir()}, Limits: limits, Wake: func() {},
		Share: work.NewShare(0.5, 0, func() bool { return true })})
	t.Cleanup(func() {
		o.halt()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// run starts a runner, which halt stops.
func (o *office) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	runner := jobs.NewRunner(jobs.Options{
		Store: o.store, Desk: o.registers, Register: o.registers, Purse: o.purse,
		Share:    work.NewShare(0.5, 0, o.registers.isReady),
		Unusable: isUnusable,
		Log:      slog.New(slog.NewTextHandler(&o.log, nil)),
		Ended:    func(context.Context, *jobs.Job) { o.ended.Add(1) },
	})
	var running sync.WaitGroup
	running.Go(func() { runner.Run(ctx) })
	o.stop = func() {
		cancel()
		running.Wait()
		o.stop = nil
	}
}

func (o *office) halt() {
	if o.stop != nil {
		o.stop()
	}
}

// create uploads a CSV file with these rows below the names cui,name.
func (o *office) create(t *testing.T, rows ...string) *job.Job {
	t.Helper()
	return testkit.Must(o.CreateJob(t.Context(), caller, order(rows...)))
}

// file is an uploaded file.
func file(text string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))
}

func order(rows ...string) job.Order {
	return job.Order{File: file("cui,name\n" + strings.Join(rows, "\n")), Media: "text/csv",
		Fields: []company.Field{"taxId", "name", "vatPayer"}}
}

// await waits for the end of a job. It must be called in a bubble.
func (o *office) await(t *testing.T, id job.ID) *job.Job {
	t.Helper()
	for over := time.Now().Add(26 * time.Hour); ; <-time.After(10 * time.Second) {
		job, err := o.Job(t.Context(), "acc", id)
		switch {
		case err != nil:
			t.Fatal(err)
		case job.Status.Ended():
			return job
		case time.Now().After(over):
			t.Fatalf("%+v has not ended", job)
		}
	}
}

// numbers returns n distinct valid ids.
func numbers(n int) (ids []string) {
	for _, id := range invented.CUIs(100, n) {
		ids = append(ids, id.String())
	}
	return ids
}
