package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/history/receipt"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream/anaf"
	watchstore "github.com/rodata/rodata/watch/store"
)

// sharedHistory is the open store of observations and receipts, which configurations share.
type sharedHistory struct {
	*historystore.DB
	issued *receipt.Memory // receipts
}

// openHistory takes a share in the store of observations: a file in the data directory, or the database of the
// accounts if that is PostgreSQL.
func (s *Service) openHistory(c *Config) error {
	place := filepath.Join(c.DataDir, "history.db")
	if c.Store.Type == settings.Postgres {
		place = c.Store.URL
	}

	var h sharedHistory
	err := share(&s.shares, &h, "the store of observations", place, func() (sharedHistory, error) {
		db, err := historystore.Open(context.Background(), place)
		return sharedHistory{db, receipt.NewMemory()}, err
	})
	s.History, s.issued = h.DB, h.issued
	return err
}

// openReceipts opens the issuer of receipts for observations.
func (s *Service) openReceipts(c *Config) (err error) {
	s.Receipts, err = receipt.Open(context.Background(), receipt.Options{
		Store: s.History, Memory: s.issued, Secret: s.secret, BaseURL: c.BaseURL, Logger: s.live,
	})
	return err
}

// observer stores the tax authority's answers about companies.
type observer struct {
	recorder *watchstore.Recorder
	meters   *telemetry.Meters
	log      *slog.Logger
	patience patience // limits how long callers wait for writes
}

// observe stores the results of a call. If that fails, callers are still answered.
func (o *observer) observe(ctx context.Context, asked ro.Date, results map[ro.CompanyDay]anaf.Result) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.patience.next(time.Now()))
	defer cancel()

	n, err := o.record(ctx, asked, results)
	o.meters.CountObserved(n, err)
	switch failed, news := err != nil, o.patience.report(err != nil); {
	case failed && news:
		o.log.Error("storing an answer of the tax authority as observations failed; it is served anyway", "error", err)
	case news:
		o.log.Info("observations are stored again")
	}
}

// record returns the number of observations. A panic becomes an error.
func (o *observer) record(ctx context.Context, asked ro.Date,
	results map[ro.CompanyDay]anaf.Result) (n int, err error) {
	defer panics.Recover(&err, "storing observations")
	answer, err := answerOf(results, asked, time.Now())
	if len(answer.Observations)+len(answer.Looks) > 0 {
		err = errors.Join(err, o.recorder.Record(ctx, answer))
	}

	return len(answer.Observations), err
}

// answerOf converts results about companies to the form in which they are stored. The error names unreadable records.
func answerOf(results map[ro.CompanyDay]anaf.Result, asked ro.Date, at time.Time) (watchstore.Answer, error) {
	answer := watchstore.Answer{
		Observations: make([]history.Observation, 0, len(results)), Looks: make([]history.Finding, 0, len(results)),
	}
	var errs []error
	for company, result := range results {
		if missing := errors.Is(result.Err, op.ErrUnknown) || errors.Is(result.Err, anaf.ErrNoName); missing &&
			company.Day == 0 {
			answer.Looks = append(answer.Looks, history.Finding{Company: company.CUI, At: at, Missing: true})
		}

		if result.Err != nil || result.Record == nil {
			continue
		}
		if err := appendRecord(&answer, company.CUI, cmp.Or(company.Day, asked), at, result.Record); err != nil {
			errs = append(errs, fmt.Errorf("reading the record of company %s: %w", company.CUI, err))
		}
	}

	return answer, errors.Join(errs...)
}

// appendRecord adds a record to an answer: an observation, and a look if it belongs to the day on which it was sent.
func appendRecord(a *watchstore.Answer, company ro.CUI, day ro.Date, at time.Time, record *anaf.Record) error {
	fingerprint, err := record.Fingerprint()
	if err != nil {
		return err
	}

	o := history.Observation{Company: company, Day: day, At: at, Fingerprint: fingerprint, Record: record.Packed()}
	a.Observations = append(a.Observations, o)
	if !o.Ordinary() {
		return nil
	}

	finding, err := record.Finding(company, at)
	if err != nil {
		return err
	}

	a.Looks = append(a.Looks, finding)
	return nil
}

// patience limits how long a caller waits for a store that the answer does not depend on. While the store fails, an
// occasional call waits the full time to notice a recovery. All other calls hardly wait, because a database that drops
// packets must not slow down every answer.
type patience struct {
	mu      sync.Mutex
	failing bool
	probed  time.Time // the last call during the failure that waited the full time
}

const (
	fullPatience    = 5 * time.Second
	failingPatience = 200 * time.Millisecond
	probePause      = 10 * time.Second
)

// next returns the time limit of the next call.
func (p *patience) next(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing && now.Sub(p.probed) < probePause {
		return failingPatience
	}

	p.probed = now
	return fullPatience
}

// report records the outcome of a call, and reports whether it differs from the previous outcome.
func (p *patience) report(failed bool) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	changed = failed != p.failing
	p.failing = failed
	return changed
}
