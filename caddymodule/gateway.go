package caddymodule

import (
	"slices"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/caddymodule/accesslog"
	"github.com/rodata/rodata/compat"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/upstream/caen"
	"github.com/rodata/rodata/upstream/holidays"
	"github.com/rodata/rodata/upstream/siruta"
	"github.com/rodata/rodata/upstream/vies"
	"github.com/rodata/rodata/watch"
)

// openGateway defines the operations, and opens the gateway that performs them for all channels.
func (s *service) openGateway(a *App) error {
	s.defineOperations(a)
	observed := slices.Concat(s.operations, api.Exports(s.operations), s.protocols.All())
	for _, c := range s.callbacks {
		observed = append(observed, c.Operation)
	}

	s.gateway = &api.Gateway{
		Keys: s.keys, Sessions: s.auth, TrustedOrigins: a.Auth.TrustedOrigins, Repeats: s.store,
		Plans: a.Catalogue(), Anonymous: a.Anonymous.Limit(),
		Buckets: s.core.buckets, Fleet: s.fleetBuckets(), Ledger: s.ledger, Secret: s.secret, Uploads: s.core.uploads,
		Observe: s.core.meters.Observer(observed, accesslog.Record), Logger: a.logger,
	}
	if s.oauth != nil {
		s.gateway.Tokens = s.oauth
	}

	s.limitDays(a)
	return nil
}

// defineOperations defines the operations of the contract and of the registries' own protocols, and the callbacks.
func (s *service) defineOperations(a *App) {
	s.operations = api.Operations(s.contractRegistries(a), a.Catalogue(),
		api.About{Version: version(), Environment: a.Environment, Started: s.core.started})
	s.protocols = compat.NewOperations(compat.Registries{
		Companies: s.companies, Tax: s.taxRecords, Bank: s.bank.Registry, Answers: &s.core.answers,
	})
	s.callbacks = []*api.Callback{api.StripeCallback(s.billing)}
}

// contractRegistries are the sources of the contract's operations.
func (s *service) contractRegistries(a *App) api.Registries {
	return api.Registries{
		Companies: s.companies, Trade: s.companies, TaxRegisters: s.taxRecords, Batch: api.BatchLimits(a.Batch),
		CompanyHistory: profile.NewHistory(s.companies, s.observed.DB, s.collections()),
		Releases:       s.trade.releases(), Receipts: s.receipts,
		VATNumbers:    vies.NewRegister(s.cache(), s.numbers.Lanes),
		VATIdentities: &vatIdentities{read: s.invoices.VATNumberOf},

		Fixings: s.bank.Registry, Classification: caen.Load(), Gazetteer: siruta.Load(), Calendar: holidays.Calendar{},

		Watchlists: s.watching.lists(s, a), Watching: a.Watch.Limits(), AllChanges: a.Watch.Changes == "on",
		Events: s.watching.feeds(), Feeds: &watch.Feeds{Store: s.watching.store, Hash: s.hashSecret},
		Webhooks: s.webhooks, Jobs: s.jobs,

		Keys: s.keys, KeyManagement: a.KeyManagement, Usage: s.store, Billing: s.billing, Invoices: s.invoices,
		Inbox: s.inbox,

		Sources: s.sources, Mirror: s.mirrorStatus, History: s.core.uptime.Days,
	}
}
