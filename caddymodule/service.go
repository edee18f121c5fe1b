package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/account/oauth"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/billing"
	billingstore "github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/caddymodule/telemetry"
	"github.com/rodata/rodata/compat"
	"github.com/rodata/rodata/fleet"
	"github.com/rodata/rodata/history/receipt"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/lease"
	"github.com/rodata/rodata/jobs"
	jobstore "github.com/rodata/rodata/jobs/store"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/rest"
	"github.com/rodata/rodata/site"
	"github.com/rodata/rodata/upstream/caen"
	"github.com/rodata/rodata/upstream/company"
	"github.com/rodata/rodata/upstream/holidays"
	"github.com/rodata/rodata/upstream/siruta"
	"github.com/rodata/rodata/upstream/vies"
	"github.com/rodata/rodata/watch"
	"github.com/rodata/rodata/watch/mirror"
	"github.com/rodata/rodata/watch/webhook"
)

// service serves one configuration: its settings, and its shares in the state that survives it.
type service struct {
	gateway    *api.Gateway
	keys       *account.Directory
	operations []*api.Operation
	callbacks  []*api.Callback
	rest       *rest.Handler
	mcp        mcpHandlers
	protocols  *compat.Operations // of the compat channel
	compat     *compat.Handler
	url        func(*http.Request) string // the service's address as in the request
	companies  *company.Register
	taxRecords *company.TaxRecords
	registries []source
	tax        *taxAuthority
	history    *historystore.DB // of the tax authority's answers
	watching   *watching        // watch-lists and events
	trade      *tradeRegister
	mirror     *mirror.Mirror
	jobs       *jobs.Service
	jobStore   *jobstore.DB
	results    *jobs.Results // of jobs
	vat        *vatRegister  // nil if it is off
	store      *store.DB
	receipts   *receipt.Issuer
	invoices   *billingstore.Store
	ledger     *metering.Ledger
	outbox     *mail.Outbox
	outboxKey  outboxKey
	inbox      *mail.Inbox
	auth       *auth.Auth
	baseURL    string // as configured; may be empty
	billing    *billing.Billing
	webhooks   *webhook.Webhooks
	oauth      *oauth.Server               // nil if OAuth is off
	secret     []byte                      // keys the hashes of API keys, sessions and mailed links
	ping       func(context.Context) error // pings the store
	core       *core
	streams    *api.Streams // REST's
	fleet      *fleet.Fleet // nil for a single edge
	site       *site.Site
	visitors   *rest.Visitors // nil without daily allowances

	ends   []func() // stop the service's background work, in reverse order
	shares shares
	// requests is read-locked by every request, and locked permanently once the service is closed.
	requests sync.RWMutex
	closing  sync.WaitGroup // waits for the last request
}

// openService opens, or takes shares in, everything that the settings name.
func openService(a *App) (_ *service, err error) {
	s := &service{url: a.URL}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release())
		}
	}()

	if s.core, err = share(&s.shares, coreName, a.DataDir,
		func() (*core, error) { return openCore(a.DataDir, a.Cache.Size) }); err != nil {
		return nil, err
	}
	if s.secret, err = account.LoadSecret(a.Secret, a.DataDir); err != nil {
		return nil, err
	}
	if err := s.openFleet(a.Redis); err != nil {
		return nil, err
	}
	if err := s.openDirectory(a); err != nil {
		return nil, err
	}
	// The ledger is opened after the store, so that it is closed first.
	if s.ledger, err = share(&s.shares, "the ledger", a.Store.Place(a.DataDir),
		func() (*metering.Ledger, error) { return metering.NewLedger(s.store, live), nil }); err != nil {
		return nil, err
	}
	if err := s.openMail(a); err != nil {
		return nil, err
	}

	s.openAuth(a)
	s.openOAuth(a)
	observed, err := openHistory(&s.shares, &a.Store, a.DataDir)
	if err != nil {
		return nil, err
	}

	s.history = observed.DB
	if s.watching, err = openWatching(&s.shares, observed); err != nil {
		return nil, err
	}
	if err := s.openWebhooks(a, observed); err != nil {
		return nil, err
	}
	if s.receipts, err = receipt.Open(context.Background(), receipt.Options{
		Store: s.history, Issued: observed.issued, Secret: s.secret, BaseURL: a.BaseURL, Logger: live,
	}); err != nil {
		return nil, err
	}
	if s.tax, err = openTaxAuthority(&s.shares, &a.Upstreams.ANAF, a.DataDir, s.core.meters, s.fleet, observed,
		s.watching); err != nil {
		return nil, err
	}

	bank, err := openCentralBank(&s.shares, &a.Upstreams.BNR, a.DataDir, s.core.meters)
	if err != nil {
		return nil, err
	}
	if s.trade, err = openTradeRegister(&s.shares, &a.Upstreams.ONRC, a.DataDir, s.core.meters); err != nil {
		return nil, err
	}
	if s.vat, err = openVATRegister(&s.shares, &a.Upstreams.ANAFFiles, a.DataDir, s.core.meters); err != nil {
		return nil, err
	}

	numbers, err := openVIES(&s.shares, &a.Upstreams.VIES, a.DataDir, s.core.meters)
	if err != nil {
		return nil, err
	}

	s.registries = []source{s.tax, s.trade, bank, numbers, s.tax.farmers, s.tax.nonProfits, s.tax.eInvoices}
	if s.vat != nil {
		s.registries = append(s.registries, s.vat)
	}

	sheets := company.NewSheets(s.cache(), s.trade.statements, telemetry.Traced("upstream.bilant", s.tax.statement),
		live)
	s.companies = company.NewRegister(s.cache(), a.Cache.Companies.Company(),
		telemetry.Traced("upstream.anaf", s.tax.Company), s.trade, sheets)
	s.ends = append(s.ends, s.companies.Close)
	s.taxRecords = company.NewTaxRecords(s.cache(), a.Cache.Companies.Company(), s.companies, company.RegisterLoaders{
		EInvoices: s.tax.eInvoices.record, Farmers: s.tax.farmers.record, NonProfits: s.tax.nonProfits.record,
	})
	s.ends = append(s.ends, s.taxRecords.Close)
	if err := s.openBilling(a, bank.Registry); err != nil {
		return nil, err
	}

	looks := looks{s.watching.store}
	s.companies.Looked = looks.of
	s.background(func(ctx context.Context) { s.trade.Follow(ctx, looks.since) })
	s.openMirror(a, observed.shared)
	if err := s.openJobs(a, observed); err != nil {
		return nil, err
	}

	s.operations = api.Operations(api.Registries{
		TaxRegisters: s.taxRecords, Companies: s.companies, Trade: s.companies,
		CompanyHistory: company.NewHistory(s.companies, s.history, s.collections()),
		Releases:       s.trade.releases(), Batch: api.BatchLimits(a.Batch), Fixings: bank.Registry,
		Classification: caen.Load(), Gazetteer: siruta.Load(), Calendar: holidays.Calendar{}, Sources: s.sources,
		Mirror: s.mirrorStatus, History: s.core.uptime.Days,
		Keys: s.keys, KeyManagement: a.KeyManagement, Usage: s.store, Inbox: s.inbox,
		Billing: s.billing, Invoices: s.invoices, Receipts: s.receipts, Webhooks: s.webhooks,
		VATNumbers:    vies.NewRegister(s.cache(), numbers.Lanes),
		VATIdentities: &vatIdentities{read: s.invoices.VATNumberOf},
		Watchlists:    s.watching.lists(s, a), Watching: a.Watch.Limits(), Events: s.watching.feeds(),
		AllChanges: a.Watch.Changes == "on", Jobs: s.jobs, Feeds: &watch.Feeds{Store: s.watching.store},
	}, a.Catalogue(), api.About{Version: version(), Environment: a.Environment, Started: s.core.started})

	s.protocols = compat.NewOperations(compat.Registries{
		Companies: s.companies, Tax: s.taxRecords, Bank: bank.Registry, Answers: &s.core.answers,
	})
	stripe := api.StripeCallback(s.billing)
	s.callbacks = []*api.Callback{stripe}
	s.gateway = &api.Gateway{
		Keys: s.keys, Sessions: s.auth, TrustedOrigins: a.Auth.TrustedOrigins, Repeats: s.store,
		Plans: a.Catalogue(), Anonymous: a.Anonymous.Limit(), Buckets: s.core.buckets, Ledger: s.ledger,
		Observe: s.core.meters.Observer(slices.Concat(s.operations, api.Exports(s.operations), s.protocols.All(),
			[]*api.Operation{stripe.Operation})),
		Logger: a.logger,
	}
	if s.oauth != nil {
		s.gateway.Tokens = s.oauth
	}

	s.gateway.Fleet = s.fleetBuckets()
	s.limitDays(a)
	s.openREST(a)
	s.openCompat(a)
	s.listen()
	s.site = s.newSite(a, bank.Registry)
	s.ends = append(s.ends, s.core.uptime.Watch(s.sources))
	s.announce(bank)
	s.tidyStore()
	s.forgetClosed()
	s.sendDigests(observed.shared)
	return s, nil
}

// background runs a function until the service ends.
func (s *service) background(run func(context.Context)) {
	k := new(keeper)
	k.start(run)
	s.ends = append(s.ends, k.stop)
}

// lead runs a function until the service ends, while this edge holds a lease, so that only one of several edges does.
func (s *service) lead(leases lease.Leases, name string, run func(context.Context)) {
	s.background(func(ctx context.Context) { lease.Lead(ctx, leases, name, lease.Duration, live, run) })
}

// enter registers a request; it reports false if the service is closed.
func (s *service) enter() bool { return s.requests.TryRLock() }

func (s *service) leave() { s.requests.RUnlock() }

// close rejects further requests, and releases the shares once the last request has ended. It returns at once, because
// a reload must not hang on a slow request.
func (s *service) close() error {
	s.mcp.close()
	if s.streams != nil {
		s.streams.Close()
	}
	if s.requests.TryLock() {
		return s.release()
	}

	s.closing.Go(func() {
		s.requests.Lock()
		if err := s.release(); err != nil {
			s.gateway.Logger.Error("closing a replaced configuration", "error", err)
		}
	})

	return nil
}

func (s *service) release() error {
	for _, end := range slices.Backward(s.ends) {
		end()
	}

	s.ends = nil
	if err := s.shares.release(); err != nil {
		return fmt.Errorf("closing the gateway: %w", err)
	}

	return nil
}
