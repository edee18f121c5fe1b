package service

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/billing"
	billingstore "github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/history/receipt"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

// Controls are the part of a service that operators act on. They may be used while a request is registered with
// [Service.Enter].
type Controls struct {
	Store    *store.DB
	Keys     *account.Directory
	Auth     *auth.Auth
	Billing  *billing.Billing
	Invoices *billingstore.Store
	History  *historystore.DB
	Receipts *receipt.Issuer
	Plans    []metering.Plan
	// BaseURL is the address of the service; empty if it is not configured.
	BaseURL string
	// Sources returns the state of the registries, and Queue the requests waiting for the tax authority.
	Sources func() []system.SourceStatus
	Queue   func() ration.Stats
	// Mirror returns the state of the mirror.
	Mirror func() *system.MirrorStatus
	// Forget removes a company from the cache, of all edges.
	Forget func(context.Context, ro.CUI) error
	// Ready returns the reason why the service cannot answer all requests, or nil. A registry that is down does not
	// count: stored data is served meanwhile.
	Ready func(context.Context) error
}

// Controls returns the part of the service that operators act on.
func (s *Service) Controls() *Controls {
	return &Controls{
		Store: s.store, Keys: s.keys, Auth: s.auth, Billing: s.billing, Invoices: s.invoices, Plans: s.gateway.Plans,
		BaseURL: s.config.BaseURL, History: s.observed.DB, Receipts: s.receipts,
		Sources: s.sources, Queue: s.tax.Stats, Mirror: s.mirrorStatus, Forget: s.forget, Ready: s.ready,
	}
}

// storeTime is the maximum time that the account store may take to answer a ping.
const storeTime = time.Second

func (s *Service) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if err := s.ping(ctx); err != nil {
		return fmt.Errorf("pinging the account store: %w", err)
	}

	return nil
}

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
	if backlog, err := s.invoices.Backlog(ctx); err == nil {
		r.Backlog = &backlog
	}

	if backlog, err := s.watching.store.Backlog(ctx); err == nil {
		r.Webhooks = &backlog
	}

	return r
}
