package caddymodule

import (
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/metering"
)

// ledgerKey names the ledger over a store among what is shared.
type ledgerKey struct{ place string }

// sharedLedger is an open ledger among what is shared.
type sharedLedger struct{ *metering.Ledger }

// Destruct closes the ledger.
func (l sharedLedger) Destruct() error {
	if err := l.Close(); err != nil {
		return fmt.Errorf("closing the ledger: %w", err)
	}
	return nil
}

// openLedger opens the ledger over the service's store. It has to be leased after
// the store, so that it is closed before it.
func (s *service) openLedger(place string) error {
	shared, err := lease(&s.leases, ledgerKey{place}, func() (sharedLedger, error) {
		return sharedLedger{metering.NewLedger(s.store, slog.New(liveLog{}))}, nil
	})
	s.ledger = shared.Ledger
	return err
}

var (
	creditsDesc       = figure("rodata_credits_charged_total", "Credits charged.")
	exhaustedDesc     = figure("rodata_credits_refused_total", "Calls refused since the month's credits of their account were used up.")
	commitsDesc       = figure("rodata_ledger_commits_total", "Transactions in which charges were written.")
	commitErrorsDesc  = figure("rodata_ledger_errors_total", "Transactions of charges that failed; their calls were answered with 503.")
	commitSecondsDesc = figure("rodata_ledger_commit_seconds_total", "Time that the transactions took.")
	unsettledDesc     = figure("rodata_ledger_queue", "Charges that wait to be written.")
)

// readLedger reads the ledger's figures.
func (s *service) readLedger(r readings) {
	stats := s.ledger.Stats()
	r.counter(creditsDesc, stats.Credits)
	r.counter(exhaustedDesc, stats.Refused)
	r.counter(commitsDesc, stats.Commits)
	r.counter(commitErrorsDesc, stats.Failures)
	r.metrics <- prometheus.MustNewConstMetric(commitSecondsDesc, prometheus.CounterValue, stats.CommitTime.Seconds())
	r.gauge(unsettledDesc, float64(stats.Queued))
}
