// Package service puts a gateway together: settings in, a running gateway out. It opens the stores and the connections
// to the registries, starts the background work, and composes the operations and the channels that serve them. What
// survives a reload is shared by the services of a process. The package has no rules of the contract, and does not
// import the web server.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/account/oauth"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/billing"
	billingstore "github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/compat"
	"github.com/rodata/rodata/fleet"
	"github.com/rodata/rodata/history/receipt"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/jobs"
	jobstore "github.com/rodata/rodata/jobs/store"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/rest"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/site"
	"github.com/rodata/rodata/watch/mirror"
	"github.com/rodata/rodata/watch/webhook"
)

// Service is an open gateway: it serves one configuration. Its channels answer requests that [Service.Enter] has
// registered.
type Service struct {
	// REST is the channel for programs, Compat the channel of the registries' own protocols, and Site the channel for
	// people. The channel for language models is [Service.MCP].
	REST   *rest.Handler
	Compat *compat.Handler
	Site   *site.Site

	// Config is the configuration that the service serves. The following are what operators act on.
	Config   Config
	Store    *store.DB
	Keys     *account.Directory
	Auth     *auth.Auth
	Billing  *billing.Billing
	Invoices *billingstore.Store
	History  *historystore.DB // the tax authority's answers
	Receipts *receipt.Issuer

	live   *slog.Logger // of the state that survives the configuration
	core   *core
	secret []byte       // keys the hashes of API keys, sessions and mailed links
	fleet  *fleet.Fleet // nil for a single edge

	ping   func(context.Context) error // pings the store
	ledger *metering.Ledger
	outbox *mail.Outbox
	inbox  *mail.Inbox
	oauth  *oauth.Server // nil if OAuth is off

	issued   *receipt.Memory // receipts
	watching *sharedWatch    // watch-lists and events
	webhooks *webhook.Webhooks

	registries []func() telemetry.Source // the states of all of the following
	tax        *taxAuthority
	bank       *centralBank
	trade      *tradeRegister
	vat        *vatRegister // nil if it is off
	numbers    *vatNumbers

	companies  *profile.Register
	taxRecords *profile.TaxRecords
	mirror     *mirror.Mirror
	jobStore   *jobstore.DB
	results    *jobs.Results // of jobs
	jobs       *jobs.Service

	operations []*op.Operation
	callbacks  []*op.Callback
	protocols  *compat.Operations // of the compat channel
	gateway    *op.Gateway
	visitors   *rest.Visitors // nil without daily allowances
	streams    *op.Streams    // REST's
	mcp        mcpHandlers

	ends   []func() // stop the service's background work, in reverse order
	shares shares
	// requests is read-locked by every request, and locked permanently once the service is closed.
	requests sync.RWMutex
	closing  sync.WaitGroup // waits for the last request
}

// Open opens, or takes shares in, everything that the settings name. The caller must close the service. If Open fails,
// it has closed what it opened.
func Open(c Config) (*Service, error) {
	s := &Service{Config: c, live: c.Live}
	// Each step uses what the steps before it opened, and everything is closed in reverse order.
	for _, open := range []func(*Config) error{
		s.openCore, s.openFleet,
		s.openStore, s.openLedger, s.openMail, s.openAuth, s.openOAuth,
		s.openHistory, s.openWatching, s.openWebhooks, s.openReceipts,
		s.openTaxAuthority, s.openCentralBank, s.openTradeRegister, s.openVATRegister, s.openVIES, s.listSources,
		s.openCompanies, s.openBilling, s.openMirror, s.openJobStore, s.openJobs,
		s.openGateway, s.openREST, s.openCompat, s.openSite,
	} {
		if err := open(&c); err != nil {
			return nil, errors.Join(err, s.release())
		}
	}

	s.listen()
	s.ends = append(s.ends, s.core.uptime.Watch(s.Sources))
	s.announce()
	s.ends = append(s.ends, s.Store.Watch(s.recheckStreams)) // after those that drop what was cached
	s.tidyStore()
	s.forgetDisowned()
	s.sendDigests()
	s.list()
	return s, nil
}

// background runs a function until the service ends.
func (s *Service) background(run func(context.Context)) {
	p := new(work.Pool)
	p.Go(run)
	s.ends = append(s.ends, p.Close)
}

// lead runs a function until the service ends, while this edge holds a lease, so that only one of several edges does.
func (s *Service) lead(leases work.Leases, name string, run func(context.Context)) {
	s.background(func(ctx context.Context) { work.Lead(ctx, leases, name, work.LeaseTime, s.live, run) })
}

// Enter registers a request, for which the service stays open. It reports false if the service is closed.
func (s *Service) Enter() bool { return s.requests.TryRLock() }

// Leave ends a request that Enter has registered.
func (s *Service) Leave() { s.requests.RUnlock() }

// AllowsEnumeration reports whether sign-up reveals who has an account: see [auth.Auth.AllowsEnumeration].
func (s *Service) AllowsEnumeration() bool { return s.Auth.AllowsEnumeration() }

// Close rejects further requests, and releases the shares once the last request has ended. It returns at once, because
// a reload must not hang on a slow request.
func (s *Service) Close() error {
	s.unlist()
	s.mcp.close()
	s.streams.Close()
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

func (s *Service) release() error {
	for _, end := range slices.Backward(s.ends) {
		end()
	}

	s.ends = nil
	if err := s.shares.release(); err != nil {
		return fmt.Errorf("closing the gateway: %w", err)
	}

	return nil
}

// openServices lists the open services, the newest last: the current configuration's, and during a reload also the next
// one's. The newest one answers requests to a configuration that is already closed. It also answers requests of
// operators, because the web server may hand these to a new configuration before the configuration is known to work,
// and not hand them back.
var openServices struct {
	sync.Mutex
	open []*Service
}

// Enter registers a request with the newest open service and returns the service. It returns nil if no service is open.
// The caller must call [Service.Leave] when the request has been answered.
func Enter() *Service {
	openServices.Lock()
	defer openServices.Unlock()
	for _, s := range slices.Backward(openServices.open) {
		if s.Enter() {
			return s
		}
	}

	return nil
}

// list adds the service to those that serve.
func (s *Service) list() {
	openServices.Lock()
	defer openServices.Unlock()
	openServices.open = append(openServices.open, s)
}

// unlist removes the service from those that serve.
func (s *Service) unlist() {
	openServices.Lock()
	defer openServices.Unlock()
	openServices.open = slices.DeleteFunc(openServices.open, func(o *Service) bool { return o == s })
}
