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
	"github.com/rodata/rodata/compat"
	"github.com/rodata/rodata/fleet"
	"github.com/rodata/rodata/history/receipt"
	"github.com/rodata/rodata/internal/lease"
	"github.com/rodata/rodata/jobs"
	jobstore "github.com/rodata/rodata/jobs/store"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/rest"
	"github.com/rodata/rodata/site"
	"github.com/rodata/rodata/watch/mirror"
	"github.com/rodata/rodata/watch/webhook"
)

// service serves one configuration: its settings, and its shares in the state that survives it.
type service struct {
	url     func(*http.Request) string // the service's address as in the request
	baseURL string                     // as configured; may be empty
	core    *core
	secret  []byte       // keys the hashes of API keys, sessions and mailed links
	fleet   *fleet.Fleet // nil for a single edge

	store     *store.DB
	ping      func(context.Context) error // pings the store
	keys      *account.Directory
	ledger    *metering.Ledger
	outbox    *mail.Outbox
	outboxKey outboxKey
	inbox     *mail.Inbox
	auth      *auth.Auth
	oauth     *oauth.Server // nil if OAuth is off
	invoices  *billingstore.Store
	billing   *billing.Billing

	observed sharedHistory // the tax authority's answers
	watching *watching     // watch-lists and events
	webhooks *webhook.Webhooks
	receipts *receipt.Issuer

	registries []source // all of the following
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

	operations []*api.Operation
	callbacks  []*api.Callback
	protocols  *compat.Operations // of the compat channel
	gateway    *api.Gateway
	visitors   *rest.Visitors // nil without daily allowances
	streams    *api.Streams   // REST's

	rest   *rest.Handler
	mcp    mcpHandlers
	compat *compat.Handler
	site   *site.Site

	ends   []func() // stop the service's background work, in reverse order
	shares shares
	// requests is read-locked by every request, and locked permanently once the service is closed.
	requests sync.RWMutex
	closing  sync.WaitGroup // waits for the last request
}

// openService opens, or takes shares in, everything that the settings name. The order matters: each step uses what the
// steps before it opened, and everything is closed in reverse order.
func openService(a *App) (*service, error) {
	s := &service{url: a.URL, baseURL: a.BaseURL}
	for _, open := range []func(*App) error{
		s.openCore, s.openFleet,
		s.openStore, s.openLedger, s.openMail, s.openAuth, s.openOAuth,
		s.openHistory, s.openWatching, s.openWebhooks, s.openReceipts,
		s.openRegistries, s.openCompanies, s.openBilling, s.openMirror, s.openJobs,
		s.openGateway, s.openREST, s.openCompat, s.openSite,
	} {
		if err := open(a); err != nil {
			return nil, errors.Join(err, s.release())
		}
	}

	s.listen()
	s.ends = append(s.ends, s.core.uptime.Watch(s.sources))
	s.announce()
	s.ends = append(s.ends, s.store.Watch(s.recheckStreams)) // after those that drop what was cached
	s.tidyStore()
	s.forgetDisowned()
	s.sendDigests()
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
