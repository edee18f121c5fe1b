package service

import (
	"context"
	"time"

	"github.com/rodata/rodata/service/telemetry"
)

// backlogTime bounds the read of the backlog, which a scrape waits for.
const backlogTime = 2 * time.Second

// Reading returns the state of the service for a scrape, apart from what the web server knows.
func (s *Service) Reading() telemetry.Reading {
	ctx, cancel := context.WithTimeout(context.Background(), backlogTime)
	defer cancel()

	r := telemetry.Reading{
		Meters: s.core.meters, Version: version(), Buckets: s.core.buckets.Len(), StoreUp: s.ready(ctx) == nil,
		Ledger: s.ledger.Stats(),
		Cache:  s.core.cache.Stats(), Queue: s.tax.Stats(), Register: s.trade.Status(), Mirror: s.mirror.Stats(),
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
