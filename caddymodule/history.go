package caddymodule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/caddymodule/telemetry"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/history/receipt"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/upstream/anaf"
)

// sharedHistory is the open store of observations and receipts, which configurations share.
type sharedHistory struct {
	*historystore.DB
	place  string
	issued *receipt.Issued // receipts
	shared bool            // with other edges
}

type historyKey struct{ place string }

// openHistory takes a share in the store of observations: a file in the data directory, or the database of the
// accounts if that is PostgreSQL.
func openHistory(l *shares, s *settings.Store, dataDir string) (sharedHistory, error) {
	open, place := historystore.OpenSQLite, filepath.Join(dataDir, "history.db")
	if s.Type == settings.Postgres {
		open, place = historystore.OpenPostgres, s.URL
	}

	return share(l, historyKey{place}, func() (sharedHistory, error) {
		db, err := open(context.Background(), place)
		return sharedHistory{db, place, new(receipt.Issued), s.Type == settings.Postgres}, err
	})
}

// Destruct closes the store.
func (h sharedHistory) Destruct() error {
	if err := h.Close(); err != nil {
		return fmt.Errorf("closing the store of observations: %w", err)
	}
	return nil
}

// observer stores what the tax authority says of companies.
type observer struct {
	store  *historystore.DB
	meters *telemetry.Meters
	log    *slog.Logger
	failed atomic.Bool // the last write
}

// observingTime bounds a write, which callers wait for.
const observingTime = 5 * time.Second

// observe stores the results of a call. If that fails, callers are answered all the same.
func (o *observer) observe(ctx context.Context, asked api.Date, results map[api.CompanyDay]anaf.Result) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), observingTime)
	defer cancel()

	all, err := observations(results, asked, time.Now())
	if len(all) > 0 {
		err = errors.Join(err, o.store.Append(ctx, all))
	}
	o.meters.Observed(len(all), err)
	switch failed := err != nil; {
	case failed && !o.failed.Swap(true):
		o.log.Error("what the tax authority says is not stored as observations; it is served all the same", "error", err)
	case !failed && o.failed.Swap(false):
		o.log.Info("observations are stored again")
	}
}

// observations are the records among results, as of the day for which each was asked. The error names those that cannot
// be read.
func observations(results map[api.CompanyDay]anaf.Result, asked api.Date, at time.Time) ([]history.Observation, error) {
	all, errs := make([]history.Observation, 0, len(results)), []error(nil)
	for company, result := range results {
		if result.Err != nil || result.Record == nil || result.Record.Outdated() {
			continue
		}
		fingerprint, err := result.Record.Fingerprint()
		if err != nil {
			errs = append(errs, fmt.Errorf("reading the record of company %s: %w", company.CUI, err))
			continue
		}

		all = append(all, history.Observation{
			Company: company.CUI, Day: cmp.Or(company.Day, asked), At: at, Fingerprint: fingerprint,
			Record: result.Record.Packed(),
		})
	}
	return all, errors.Join(errs...)
}
