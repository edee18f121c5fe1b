package api

import (
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/api/release"
	"github.com/rodata/rodata/api/vat"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
)

// Registries are the dependencies of the operations.
type Registries struct {
	Companies company.Companies
	// company.TaxRegisters are parts of companies.
	TaxRegisters company.TaxRegisters
	// company.History answers bitemporal questions about companies.
	CompanyHistory company.History
	// Trade searches the trade register. Releases provides it as files; nil if it offers no files.
	Trade    company.TradeRegister
	Releases release.Releases
	Fixings  rate.Fixings
	// vat.Numbers checks VAT numbers of the Union. vat.Identities looks up the accounts' own numbers; nil for none.
	VATNumbers    vat.Numbers
	VATIdentities vat.Identities
	// Classification is CAEN.
	Classification reference.Classification
	// Gazetteer is the counties and places.
	Gazetteer reference.Gazetteer
	// Calendar is the public holidays and bank days.
	Calendar reference.Calendar
	// Keys manages the API keys of accounts; KeyManagement determines who may create and revoke them.
	Keys          Keyring
	KeyManagement KeyManagement
	// Usage is the usage of accounts.
	Usage Usage
	// Billing sells plans.
	Billing Billing
	// Batch bounds the companies of one call; the zero value means the default.
	Batch company.BatchLimits
	// Invoices is the invoices of accounts.
	Invoices Invoices
	// Receipts are the receipts of answers.
	Receipts proof.Receipts
	// Watchlists are the watch-lists of accounts, within the limits of Watching; its zero value means the default.
	Watchlists Watchlists
	Watching   WatchLimits
	// Webhooks sends events to endpoints of accounts.
	Webhooks Webhooks
	// Events has the events of watched companies; AllChanges also lets accounts read the events of all companies.
	Events     Events
	AllChanges bool
	// Jobs looks up the companies of files.
	Jobs Jobs
	// Feeds are the feeds of watch-lists for feed readers.
	Feeds WatchlistFeed
	// Inbox receives messages to the operators.
	Inbox Inbox
	// Sources returns the state of the registries.
	Sources func() []SourceStatus
	// Mirror returns the state of the mirror. Nil if there is none.
	Mirror func() *MirrorStatus
	// History returns the availability of the registries in the last days, including today.
	History func(days int) []SourceHistory
}

// Operations returns the table: every operation of the service, in display order.
func Operations(r Registries, plans []metering.Plan, about About) []*op.Operation {
	checks := vat.Desk{Numbers: r.VATNumbers, Companies: r.Companies, Identities: r.VATIdentities, Receipts: r.Receipts}
	return []*op.Operation{
		company.Get(r.Companies, r.TaxRegisters),
		company.Batch(r.Companies, r.TaxRegisters, r.Trade, r.Batch),
		company.GetTable(r.Companies, r.TaxRegisters, r.Trade),
		proof.Get(r.Receipts),
		company.GetStatus(r.CompanyHistory, r.Receipts),
		company.GetHistory(r.CompanyHistory),
		company.Search(r.Trade, r.Gazetteer, r.Classification),
		company.Suggest(r.Trade),
		release.List(r.Releases),
		release.GetFile(r.Releases, release.Parquet),
		release.GetFile(r.Releases, release.CSV),
		release.GetFile(r.Releases, release.Changes),
		watchCompany(r.Watchlists),
		unwatchCompany(r.Watchlists),
		listChanges(r.Events, r.Watchlists, r.Watching),
		createWatchlist(r.Watchlists),
		listWatchlists(r.Watchlists),
		getWatchlist(r.Watchlists),
		updateWatchlist(r.Watchlists),
		deleteWatchlist(r.Watchlists),
		watchCompanies(r.Watchlists, r.Trade, r.Watching),
		listWatchedCompanies(r.Watchlists),
		listAllChanges(r.Events, r.Watching, r.AllChanges),
		getWatchlistFeed(r.Feeds, true),
		getWatchlistFeed(r.Feeds, false),
		vat.Check(checks),
		vat.Batch(checks),
		createJob(r.Jobs),
		listJobs(r.Jobs),
		getJob(r.Jobs),
		cancelJob(r.Jobs),
		getJobResult(r.Jobs),
		reference.GetCAENCode(r.Classification),
		reference.SearchCAENCodes(r.Classification),
		reference.SearchCounties(r.Gazetteer),
		reference.SearchCities(r.Gazetteer),
		rate.Get(r.Fixings),
		rate.GetHistory(r.Fixings),
		rate.Convert(r.Fixings),
		reference.GetHolidays(r.Calendar),
		reference.AddBusinessDays(r.Calendar),
		createKey(r.Keys, r.KeyManagement),
		listKeys(r.Keys),
		revokeKey(r.Keys, r.KeyManagement),
		getUsage(r.Usage),
		getDailyUsage(r.Usage),
		listPlans(plans),
		createCheckout(r.Billing, plans),
		createPortal(r.Billing),
		listInvoices(r.Invoices),
		getInvoicePDF(r.Invoices),
		createWebhook(r.Webhooks),
		listWebhooks(r.Webhooks),
		getWebhook(r.Webhooks),
		updateWebhook(r.Webhooks),
		deleteWebhook(r.Webhooks),
		rotateWebhookSecret(r.Webhooks),
		sendTestEvent(r.Webhooks),
		listDeliveries(r.Webhooks),
		retryDelivery(r.Webhooks),
		replayWebhook(r.Webhooks),
		sendContact(r.Inbox),
		getStatus(about, r.Sources, r.Mirror),
		getStatusHistory(r.History),
		proof.GetSigningKeys(r.Receipts),
		getHealth(),
	}
}
