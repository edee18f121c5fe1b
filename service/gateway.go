package service

import (
	"runtime/debug"
	"slices"
	"sync"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/compat"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/rest"
	"github.com/rodata/rodata/upstream/caen"
	"github.com/rodata/rodata/upstream/holidays"
	"github.com/rodata/rodata/upstream/siruta"
	"github.com/rodata/rodata/upstream/vies"
	"github.com/rodata/rodata/watch"
)

// openGateway defines the operations, and opens the gateway that performs them for all channels.
func (s *Service) openGateway(c *Config) error {
	s.defineOperations(c)
	observed := slices.Concat(s.operations, op.Exports(s.operations), s.protocols.All())
	for _, c := range s.callbacks {
		observed = append(observed, c.Operation)
	}

	s.gateway = &op.Gateway{
		Keys: s.Keys, Sessions: s.Auth, TrustedOrigins: c.Auth.TrustedOrigins, Repeats: s.Store,
		Plans: c.Catalogue(), Anonymous: c.Anonymous.Limit(),
		Buckets: s.core.buckets, Fleet: s.fleetBuckets(), Ledger: s.ledger, Secret: s.secret, Uploads: s.core.uploads,
		Observe: s.core.meters.Observer(observed, c.Record), Logger: c.Logger,
	}
	if s.oauth != nil {
		s.gateway.Tokens = s.oauth.Tokens
	}

	s.limitDays(c)
	return nil
}

// defineOperations defines the operations of the contract and of the registries' own protocols, and the callbacks.
func (s *Service) defineOperations(c *Config) {
	s.operations = api.Operations(s.contractRegistries(c), c.Catalogue(),
		system.About{Version: version(), Environment: c.Environment, Started: s.core.started})
	s.protocols = compat.NewOperations(compat.Registries{
		Companies: s.companies, Tax: s.taxRecords, Bank: s.bank.Registry, Answers: &s.core.answers,
	})
	s.callbacks = []*op.Callback{customer.StripeCallback(s.Billing)}
}

// contractRegistries are the sources of the contract's operations.
func (s *Service) contractRegistries(c *Config) api.Registries {
	return api.Registries{
		Companies: s.companies, Trade: s.companies, TaxRegisters: s.taxRecords, Batch: company.BatchLimits(c.Batch),
		CompanyHistory: s.companyHistory(),
		Releases:       s.trade.releases(), Receipts: s.Receipts,
		VATNumbers:    vies.NewRegister(s.cache(), s.numbers.Lanes),
		VATIdentities: newVATIdentities(s.Invoices.VATNumberOf, s.live),

		Fixings: s.bank.Registry, Classification: caen.Load(), Gazetteer: siruta.Load(), Calendar: holidays.Calendar{},

		Watchlists: s.watching.lists(s, c), Watching: c.Watch.Limits(), AllChanges: c.Watch.Changes == "on",
		Events: s.watching.feeds(), Feeds: &watch.Feeds{Store: s.watching.store, Hash: s.hashSecret},
		Webhooks: s.webhooks, Jobs: s.jobs,

		Keys: s.Keys, KeyManagement: c.KeyManagement, Usage: s.Store, Billing: s.Billing, Invoices: s.Invoices,
		Inbox: s.inbox,

		Sources: s.Sources, Mirror: s.Mirror, History: s.core.uptime.Days,
	}
}

// limitDays enforces the daily allowances of callers without a key, if the settings have any.
func (s *Service) limitDays(c *Config) {
	daily := c.Anonymous.Daily()
	if daily.Companies == 0 {
		return
	}

	s.visitors = rest.NewVisitors(s.secret)
	s.gateway.Daily = daily
	s.gateway.Allowances = s.core.days
	if s.fleet != nil {
		s.gateway.Allowances = metering.NewFleetDays(s.fleet, s.core.days, s.fleet.Edges())
	}
}

const modulePath = "github.com/rodata/rodata"

// Version returns the version of this module in the build; in a build from a working copy, the version of the contract
// with the suffix -dev.
func Version() string { return version() }

var version = sync.OnceValue(func() string {
	working := api.Version + "-dev"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return working
	}

	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == modulePath && m.Version != "" && m.Version != "(devel)" && m.Version != "v0.0.0" &&
			m.Replace == nil {
			return m.Version
		}
	}

	return working
})
