package service

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/jobs"
	jobstore "github.com/rodata/rodata/jobs/store"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/watch"
)

// openJobStore takes a share in the store of jobs: a file in the data directory, or the database of the fleet.
func (s *Service) openJobStore(c *Config) error {
	return share(&s.shares, &s.jobStore, "the store of jobs", s.History, func() (*jobstore.DB, error) {
		if s.History.IsPostgres() {
			return jobstore.OpenIn(context.Background(), s.History.DB)
		}
		return jobstore.Open(context.Background(), filepath.Join(c.DataDir, "jobs.db"))
	})
}

// openJobs starts working on jobs. Of several edges that share the store, one does.
func (s *Service) openJobs(c *Config) error {
	db, ration := s.jobStore, s.tax.share(c, c.Jobs.Fraction())
	purse := purse{payer{s.Store, s.ledger, c.Catalogue()}}
	runner := jobs.NewRunner(jobs.Options{
		Store: db, Register: s.companies, Purse: purse,
		Desk: &company.Desk{
			Companies: s.companies, Registers: s.taxRecords, Trade: s.companies, Logger: s.live,
			Judge: verdict.JudgeOf(s.companies, s.companyHistory()),
		},
		Unusable: anaf.IsUnusable, Share: ration,
		Ended: func(ctx context.Context, job *jobs.Job) { s.watching.tellJob(ctx, job) }, Log: s.live,
	})
	s.results = &jobs.Results{Store: db, Dir: filepath.Join(c.DataDir, "jobs"),
		Through: s.trade.DataThrough}
	s.jobs = jobs.NewService(jobs.Service{
		Store: db, Purse: purse, Results: s.results, Limits: c.Jobs.Limits(), Wake: runner.Wake, Share: ration,
	})
	s.lead(db.Leases(), "jobs", runner.Run)
	return nil
}

// tellJob writes the event of a job that has ended. If that fails, the job has still ended.
func (w *sharedWatch) tellJob(ctx context.Context, job *jobs.Job) {
	event := watch.Event{
		At: job.CompletedAt, Type: monitoring.JobCompleted, Severity: monitoring.Low,
		Source: monitoring.EventSource{Name: "rodata"},
		Job: &monitoring.EventJob{ID: job.ID, Status: job.Status, Total: job.Total, Found: job.Found,
			CreditsCost: job.Cost},
	}
	err := w.store.Transact(ctx, func(tx *sql.Tx) error { return w.store.AddTo(ctx, tx, job.Account, 0, event) })
	if err != nil {
		w.log.Error("writing the event of a finished job failed", "job", job.ID, "error", err)
		return
	}

	w.hub.Wake()
}

// tidyJobs deletes expired jobs and the files of their results.
func (s *Service) tidyJobs(ctx context.Context, now time.Time) error {
	expired, err := s.jobStore.Expire(ctx, now)
	return errors.Join(err, s.results.Delete(expired), s.results.Tidy(now))
}

// forgetJobs deletes the jobs that an account created until a given time.
func (s *Service) forgetJobs(ctx context.Context, account string, until time.Time) error {
	ids, err := s.jobStore.DeleteCreated(ctx, account, until)
	return errors.Join(err, s.results.Delete(ids))
}

// purse charges accounts for the rows of jobs.
type purse struct{ payer }

// Remaining implements [jobs.Purse].
func (p purse) Remaining(ctx context.Context, id string) (int64, bool) {
	owner, err := p.accounts.Account(ctx, id)
	if err != nil {
		return 0, false // the charge will report the error
	}
	return p.ledger.Remaining(ctx, id, p.monthly(owner.Plan))
}

// Hold implements [jobs.Purse].
func (p purse) Hold(ctx context.Context, id, key string, credits int) (jobs.Hold, error) {
	owner, err := p.accounts.Account(ctx, id)
	if err != nil {
		return nil, err
	}

	h := &jobHold{purse: p, charge: metering.Charge{
		Account: id, Key: key, Operation: "create_job", Credits: int64(credits),
		Monthly: p.monthly(owner.Plan), Hit: true,
	}}
	if credits == 0 {
		return h, nil
	}
	if h.hold, err = p.reserve(ctx, &h.charge); err != nil {
		return nil, err
	}
	if h.hold != nil {
		h.left = h.charge.Credits
	}

	return h, nil
}

// jobHold is credits reserved for a job.
type jobHold struct {
	purse
	charge metering.Charge
	hold   *metering.Hold // nil without credits
	left   int64
}

// Pay implements [jobs.Hold]. The name is recorded with the charge, like a call's Idempotency-Key.
func (h *jobHold) Pay(ctx context.Context, name string, credits int) error {
	paid, err := h.accounts.BeginCall(ctx, h.charge.Account, name, name)
	switch {
	case errors.Is(err, account.ErrCallRuns):
		return jobs.ErrPaying
	case err != nil:
		return err
	}
	// If this fails, the lease of the call expires later.
	defer func() { _ = h.accounts.EndCall(context.WithoutCancel(ctx), h.charge.Account, name) }()

	due := int64(credits) - paid
	if due <= 0 {
		return nil
	}

	part, err := h.take(ctx, due)
	if err == nil {
		_, err = part.Repeatable(name).Settle(ctx, true)
	}
	if errors.Is(err, metering.ErrExhausted) {
		return jobs.ErrExhausted
	}

	return err
}

// take takes credits out of the hold. If the hold has too few, it reserves new ones.
func (h *jobHold) take(ctx context.Context, credits int64) (*metering.Hold, error) {
	if h.hold != nil && h.left >= credits {
		h.left -= credits
		return h.hold.Split(credits), nil
	}

	charge := h.charge
	charge.Credits = credits
	return h.ledger.Reserve(ctx, charge)
}

// Release implements [jobs.Hold].
func (h *jobHold) Release() { h.hold.Release() }
