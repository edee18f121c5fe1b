package service

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/jobs"
	jobstore "github.com/rodata/rodata/jobs/store"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/testkit/long"
)

const (
	jobOwner   = "01a20687-4086-7230-b751-69bbff36ef11"
	jobRepeats = 500 // rows at the end that repeat the first ones
)

// jobRows returns the number of rows of the job: more than a process can finish before it is killed.
func jobRows(t *testing.T) int {
	t.Helper()
	return long.Length(t, 32_000, 200_000)
}

// Even if processes are killed repeatedly while they work on a job, every row is eventually done and every company is
// charged once.
func TestJobCrashLong(t *testing.T) {
	if place, ok := databases.CrashPlace(); ok {
		openJobStores(t, place).work(t)
		return
	}

	databases.Places(t, "", func(t *testing.T, place string) {
		p := openJobStores(t, place)
		id := p.upload(t)
		p.close(t)
		for range long.Length(t, 4, 25) {
			databases.Crash(t, place, 1+rand.IntN(3), time.Duration(rand.IntN(30_000))*time.Microsecond)
			p = openJobStores(t, place)
			// The lease of a charge in progress ends two minutes after the kill.
			testkit.NoError(t, database.Exec(t.Context(), p.accounts.Writer,
				`UPDATE repeatable_calls SET runs_until = 0`))

			p.close(t)
		}

		p = openJobStores(t, place)
		p.finish(t, id)
		p.wantPaidOnce(t, id)
		p.close(t)
	})
}

// jobStores is the stores that a process has open.
type jobStores struct {
	accounts     *store.DB
	observations *historystore.DB // in PostgreSQL, in the same database as the jobs
	jobs         *jobstore.DB
	ledger       *metering.Ledger
	purse        purse
}

// openJobStores opens the stores in a folder, or in the database of a URL.
func openJobStores(t *testing.T, place string) *jobStores {
	t.Helper()
	p, ctx := new(jobStores), t.Context()
	var err error
	if databases.IsFile(place) {
		if p.accounts, err = store.Open(ctx, filepath.Join(place, "accounts.db")); err == nil {
			p.jobs, err = jobstore.Open(ctx, filepath.Join(place, "jobs.db"))
		}
	} else {
		if p.accounts, err = store.Open(ctx, place); err == nil {
			p.observations, err = historystore.Open(ctx, place)
		}
		if err == nil {
			p.jobs, err = jobstore.OpenIn(ctx, p.observations.DB)
		}
	}

	testkit.NoError(t, err)

	p.ledger = metering.NewLedger(p.accounts, slog.New(slog.DiscardHandler))
	p.purse = purse{payer{p.accounts, p.ledger, []metering.Plan{{Code: "pro", MonthlyCredits: 300_000}}}}
	return p
}

func (p *jobStores) close(t *testing.T) {
	t.Helper()
	for _, close := range []func() error{p.ledger.Close, p.accounts.Close, p.jobs.Close} {
		if err := close(); err != nil {
			t.Error(err)
		}
	}
}

// upload creates the account and its job.
func (p *jobStores) upload(t *testing.T) job.ID {
	t.Helper()
	testkit.NoError(t, p.accounts.CreateAccount(t.Context(),
		account.Account{ID: jobOwner, Plan: "pro", CreatedAt: time.Now()}))

	file, rows := []string{"cui"}, jobRows(t)
	for _, id := range invented.CUIs(100, rows-jobRepeats) {
		file = append(file, id.String())
	}

	file = append(file, file[1:jobRepeats+1]...)
	text := strings.Join(file, "\n")
	service := jobs.NewService(jobs.Service{Store: p.jobs, Purse: p.purse, Wake: func() {},
		Results: &jobs.Results{Store: p.jobs, Dir: t.TempDir()}})
	caller := account.Caller{Key: &account.Key{ID: "key", Account: jobOwner}}
	job, err := service.CreateJob(t.Context(), caller,
		job.Order{File: io.NewSectionReader(strings.NewReader(text), 0, int64(len(text))), Media: "text/csv",
			Fields: []company.Field{"name"}})
	testkit.NoError(t, err)

	return job.ID
}

// runner works on jobs whose companies are all stored and found.
func (p *jobStores) runner(looked func()) *jobs.Runner {
	return jobs.NewRunner(jobs.Options{
		Store: p.jobs, Desk: allFound{looked}, Register: allFound{}, Purse: p.purse,
		Share:    work.NewShare(1, 0, func() bool { return true }),
		Unusable: func(ro.CUI, error) bool { return false }, Log: slog.New(slog.DiscardHandler),
	})
}

// work works on the job until the process is killed, and reports each look-up.
func (p *jobStores) work(t *testing.T) {
	p.runner(func() { databases.Acknowledge("a look-up") }).Run(t.Context())
}

// finish works on the job until it has ended.
func (p *jobStores) finish(t *testing.T, id job.ID) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	service := jobs.NewService(jobs.Service{Store: p.jobs, Purse: p.purse, Wake: func() {}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.runner(func() {}).Run(ctx)
	}()
	j, err := service.AwaitJob(ctx, jobOwner, id, time.Minute)
	cancel()
	<-done
	if err != nil || j.Status != job.Completed {
		t.Fatalf("%+v, %v", j, err)
	}
}

// wantPaidOnce fails unless all rows were found, and the account was charged once for each company.
func (p *jobStores) wantPaidOnce(t *testing.T, id job.ID) {
	t.Helper()
	rows := jobRows(t)
	distinct := rows - jobRepeats
	job, err := p.jobs.Job(t.Context(), jobOwner, id)
	if err != nil || job.Found != rows || job.Done != rows || job.Cost != distinct {
		t.Errorf("the job is %+v, %v, want %d rows for %d credits", job, err, rows, distinct)
	}

	balance, err := p.accounts.Balance(t.Context(), jobOwner, metering.Period(time.Now()))
	if err != nil || balance.Used != int64(distinct) {
		t.Errorf("charged %d credits, %v, want %d", balance.Used, err, distinct)
	}
}

// allFound stands for registers that know every number.
type allFound struct{ looked func() }

func (allFound) Fresh(context.Context, ro.CompanyDay) bool { return true }
func (allFound) Warm(context.Context, []ro.CompanyDay, func(ro.CompanyDay, error)) error {
	return nil
}
func (allFound) Asked(_ context.Context, items []company.BatchRequest) []ro.CompanyDay {
	return make([]ro.CompanyDay, len(items))
}
func (allFound) Problem(_ context.Context, err error) *problem.Problem {
	return problem.Internal.New("%v", err)
}

func (a allFound) LookUp(_ context.Context, _ account.Caller, items []company.BatchRequest, _ []company.Field,
	_ time.Duration) ([]company.Outcome, error) {
	a.looked()
	outcomes := make([]company.Outcome, len(items))
	for i, item := range items {
		outcomes[i].Status, outcomes[i].Profile = 200, json.RawMessage(`{"name":"EXEMPLU"}`)
		if err := outcomes[i].Company.CUI.UnmarshalText([]byte(item.TaxID)); err != nil {
			return nil, err
		}
	}

	return outcomes, nil
}
