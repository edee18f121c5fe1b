package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/caen"
	"github.com/rodata/rodata/upstream/company"
	"github.com/rodata/rodata/upstream/siruta"
)

// service is what one configuration serves with: its settings, over shares in
// the state that outlives it.
type service struct {
	gateway    *api.Gateway
	operations []*api.Operation
	router     *api.Router
	companies  *company.Register
	registries []source
	tax        *taxAuthority
	trade      *tradeRegister
	store      account.Store
	core       *core
	openapi    atomic.Pointer[description]

	leases leases
	// requests is held for reading by every request, and for good once the service
	// is closed.
	requests sync.RWMutex
	closing  sync.WaitGroup // what waits for the last request
}

// openService opens or shares all that the app's settings name.
func openService(a *App) (_ *service, err error) {
	s := new(service)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.leases.release())
		}
	}()
	if s.core, err = lease(&s.leases, coreKey{a.DataDir}, func() (*core, error) { return openCore(a.DataDir, a.Cache.Size) }); err != nil {
		return nil, err
	}
	keys, err := s.openDirectory(a)
	if err != nil {
		return nil, err
	}
	if s.tax, err = a.anaf.open(&s.leases, a.DataDir, s.core.meters); err != nil {
		return nil, err
	}
	bank, err := a.bnr.open(&s.leases, a.DataDir, s.core.meters)
	if err != nil {
		return nil, err
	}
	if s.trade, err = a.onrc.open(&s.leases, a.DataDir, s.core.meters); err != nil {
		return nil, err
	}
	s.registries = []source{s.tax, s.trade, bank}
	sheets := company.NewSheets(s.core.cache, s.trade.statements, traced("upstream.bilant", s.tax.statement), slog.New(liveLog{}))
	s.companies = company.NewRegister(s.core.cache, a.Cache.Companies.lifetimes(), traced("upstream.anaf", s.tax.Company), s.trade, sheets)
	s.operations = api.Operations(api.Registries{
		Companies: s.companies, Trade: s.companies, Fixings: bank.Registry, Classification: caen.Load(), Gazetteer: siruta.Load(), Sources: s.sources,
	}, a.plans, api.About{Version: version(), Environment: a.Environment, Started: s.core.started})
	s.router = api.NewRouter(s.operations)
	s.gateway = &api.Gateway{
		Keys: keys, Plans: a.plans, Anonymous: a.anonymous(), Buckets: s.core.buckets,
		Observe: s.core.meters.observer(s.operations), Logger: a.logger,
	}
	return s, nil
}

// openDirectory opens the store of accounts and the secret that its hashes need.
func (s *service) openDirectory(a *App) (*account.Directory, error) {
	secret, err := account.LoadSecret(a.Secret, a.DataDir)
	if err != nil {
		return nil, err
	}
	store, err := lease(&s.leases, storeKey{a.store.Place(a.DataDir)}, func() (sharedStore, error) {
		store, err := a.store.Open(context.Background(), a.DataDir)
		return sharedStore{store}, err
	})
	if err != nil {
		return nil, err
	}
	s.store = store
	return account.NewDirectory(store, secret, a.KeyPrefix), nil
}

// enter counts a request in; it reports false when the service is closed.
func (s *service) enter() bool { return s.requests.TryRLock() }

func (s *service) leave() { s.requests.RUnlock() }

// close lets no further request in, and gives back what the service shares when
// the last one has left. It does not wait for that: a reload must not hang on a
// slow request.
func (s *service) close() error {
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
	if err := s.leases.release(); err != nil {
		return fmt.Errorf("closing the gateway: %w", err)
	}
	return nil
}

// description is the OpenAPI description for one address of the service.
type description struct {
	baseURL  string
	document *api.Document
}

// describe gives the description, which it keeps for the next call.
func (s *service) describe(baseURL string) *api.Document {
	d := s.openapi.Load()
	if d == nil || d.baseURL != baseURL {
		d = &description{baseURL, api.OpenAPI(s.operations, baseURL)}
		s.openapi.Store(d)
	}
	return d.document
}
