package service

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

// storeTime is the maximum time that the account store may take to answer a ping.
const storeTime = time.Second

// Ready returns the reason why the service cannot answer all requests, or nil. A registry that is down does not count:
// stored data is served meanwhile.
func (s *Service) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if err := s.ping(ctx); err != nil {
		return fmt.Errorf("pinging the account store: %w", err)
	}

	return nil
}

// Queue returns the state of the queue of requests to the tax authority.
func (s *Service) Queue() ration.Stats { return s.tax.Stats() }

// backlogTime bounds the read of the backlog, which a scrape waits for.
const backlogTime = 2 * time.Second

// Reading returns the state of the service for a scrape, apart from what the web server knows.
func (s *Service) Reading() telemetry.Reading {
	ctx, cancel := context.WithTimeout(context.Background(), backlogTime)
	defer cancel()

	r := telemetry.Reading{
		Meters: s.core.meters, Version: version(), Buckets: s.core.buckets.Len(), StoreUp: s.Ready(ctx) == nil,
		Ledger: s.ledger.Stats(),
		Cache:  s.core.cache.Stats(), Queue: s.Queue(), Register: s.trade.Status(), Mirror: s.mirror.Stats(),
		RefusedStatements: s.trade.statements().Catalog.Refused,
		SignInFailed:      s.Billing.EFacturaTrouble() != nil,
	}

	for _, status := range s.registries {
		r.Sources = append(r.Sources, status())
	}
	if s.vat != nil {
		status := s.vat.Register.Status()
		r.VATCollection = &status
	}
	if s.fleet != nil {
		stats := s.fleet.Stats()
		r.Fleet = &stats
	}
	if backlog, err := s.Invoices.Backlog(ctx); err == nil {
		r.Backlog = &backlog
	}

	if backlog, err := s.watching.store.Backlog(ctx); err == nil {
		r.Webhooks = &backlog
	}

	return r
}
