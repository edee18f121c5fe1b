package caddymodule

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/caddymodule/accesslog"
	"github.com/rodata/rodata/service/telemetry"
)

// expose adds the metrics of the current service to a configuration's registry.
func expose(registry *prometheus.Registry) error {
	return telemetry.Expose(registry, func() (telemetry.Reading, bool) {
		s := serving.enter()
		if s == nil {
			return telemetry.Reading{}, false
		}
		defer s.leave()

		return s.reading(), true
	})
}

// backlogTime bounds the read of the backlog, which a scrape waits for.
const backlogTime = 2 * time.Second

// reading is the state of the service for a scrape.
func (s *service) reading() telemetry.Reading {
	ctx, cancel := context.WithTimeout(context.Background(), backlogTime)
	defer cancel()

	r := telemetry.Reading{
		Meters: s.core.meters, Version: version(), Buckets: s.core.buckets.Len(), StoreUp: s.ready(ctx) == nil,
		Ledger: s.ledger.Stats(), LogDropped: accesslog.Dropped(),
		Cache: s.core.cache.Stats(), Queue: s.tax.Stats(), Register: s.trade.Status(), Mirror: s.mirror.Stats(),
		SignInFailed: s.billing.EFacturaTrouble() != nil,
	}

	for _, source := range s.registries {
		r.Sources = append(r.Sources, telemetry.Source{SourceStatus: source.status(), DataTime: source.dataTime()})
	}
	if s.vat != nil {
		status := s.vat.Register.Status()
		r.VATCollection = &status
	}
	if s.fleet != nil {
		stats := s.fleet.Stats()
		r.Fleet = &stats
	}
	if backlog, err := s.invoices.Backlog(ctx); err == nil {
		r.Backlog = &backlog
	}

	if backlog, err := s.watching.store.Backlog(ctx); err == nil {
		r.Webhooks = &backlog
	}

	return r
}
