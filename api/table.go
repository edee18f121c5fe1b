package api

import (
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/api/release"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/api/vat"
	"github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
)

// Registries are the dependencies of the operations.
type Registries struct {
	Companies company.Companies
	// TaxRegisters are parts of companies.
	TaxRegisters company.TaxRegisters
	// CompanyHistory answers bitemporal questions about companies.
	CompanyHistory company.History
	// Trade searches the trade register. Releases provides it as files; nil if it offers no files.
	Trade    company.TradeRegister
	Releases release.Releases
	Fixings  rate.Fixings
	// VATNumbers checks VAT numbers of the Union. VATIdentities looks up the accounts' own numbers; nil for none.
	VATNumbers    vat.Numbers
	VATIdentities vat.Identities
	// Classification is CAEN.
	Classification reference.Classification
	// Gazetteer is the counties and places.
	Gazetteer reference.Gazetteer
	// Calendar is the public holidays and bank days.
	Calendar reference.Calendar
	// Keys manages the API keys of accounts; KeyManagement determines who may create and revoke them.
	Keys          customer.Keyring
	KeyManagement customer.KeyManagement
	// Usage is the usage of accounts.
	Usage customer.Usage
	// Billing sells plans.
	Billing customer.Billing
	// Batch bounds the companies of one call; the zero value means the default.
	Batch company.BatchLimits
	// Invoices is the invoices of accounts.
	Invoices customer.Invoices
	// Receipts are the receipts of answers.
	Receipts proof.Receipts
	// Watchlists are the watch-lists of accounts, within the limits of Watching; its zero value means the default.
	Watchlists monitoring.Watchlists
	Watching   monitoring.WatchLimits
	// Webhooks sends events to endpoints of accounts.
	Webhooks monitoring.Webhooks
	// Events has the events of watched companies; AllChanges also lets accounts read the events of all companies.
	Events     monitoring.Events
	AllChanges bool
	// Jobs looks up the companies of files.
	Jobs job.Jobs
	// Feeds are the feeds of watch-lists for feed readers.
	Feeds monitoring.WatchlistFeed
	// Inbox receives messages to the operators.
	Inbox customer.Inbox
	// Sources returns the state of the registries.
	Sources func() []system.SourceStatus
	// Mirror returns the state of the mirror. Nil if there is none.
	Mirror func() *system.MirrorStatus
	// History returns the availability of the registries in the last days, including today.
	History func(days int) []system.SourceHistory
}

// Operations returns the table: every operation of the service, in display order.
func Operations(r Registries, plans []metering.Plan, about system.About) []*op.Operation {
	checks := vat.Desk{Numbers: r.VATNumbers, Companies: r.Companies, Identities: r.VATIdentities, Receipts: r.Receipts}
	judge := verdict.JudgeOf(r.Companies, r.CompanyHistory)
	return []*op.Operation{
		company.Get(r.Companies, r.TaxRegisters, judge),
		company.Batch(r.Companies, r.TaxRegisters, r.Trade, judge, r.Batch),
		company.GetTable(r.Companies, r.TaxRegisters, r.Trade, judge),
		proof.Get(r.Receipts),
		company.GetStatus(r.CompanyHistory, r.Receipts),
		verdict.Verify(r.Companies, r.CompanyHistory, r.Receipts),
		verdict.ListRules(),
		company.GetStatementState(r.Companies),
		company.Compare(r.Companies),
		company.GetHistory(r.CompanyHistory),
		company.Search(r.Trade, r.Gazetteer, r.Classification),
		company.Suggest(r.Trade),
		release.List(r.Releases),
		release.GetFile(r.Releases, release.Parquet),
		release.GetFile(r.Releases, release.CSV),
		release.GetFile(r.Releases, release.Changes),
		monitoring.WatchCompany(r.Watchlists),
		monitoring.UnwatchCompany(r.Watchlists),
		monitoring.ListChanges(r.Events, r.Watchlists, r.Watching),
		monitoring.CreateWatchlist(r.Watchlists),
		monitoring.ListWatchlists(r.Watchlists),
		monitoring.GetWatchlist(r.Watchlists),
		monitoring.UpdateWatchlist(r.Watchlists),
		monitoring.DeleteWatchlist(r.Watchlists),
		monitoring.WatchCompanies(r.Watchlists, r.Trade, r.Watching),
		monitoring.ListWatchedCompanies(r.Watchlists),
		monitoring.ListAllChanges(r.Events, r.Watching, r.AllChanges),
		monitoring.GetWatchlistFeed(r.Feeds, true),
		monitoring.GetWatchlistFeed(r.Feeds, false),
		vat.Check(checks),
		vat.Batch(checks),
		job.PreviewOf(r.Jobs),
		job.Create(r.Jobs),
		job.List(r.Jobs),
		job.Get(r.Jobs),
		job.Cancel(r.Jobs),
		job.GetResult(r.Jobs),
		reference.GetCAENCode(r.Classification),
		reference.SearchCAENCodes(r.Classification),
		reference.SearchCounties(r.Gazetteer),
		reference.SearchCities(r.Gazetteer),
		rate.Get(r.Fixings),
		rate.GetHistory(r.Fixings),
		rate.Convert(r.Fixings),
		reference.GetHolidays(r.Calendar),
		reference.AddBusinessDays(r.Calendar),
		customer.CreateKey(r.Keys, r.KeyManagement),
		customer.ListKeys(r.Keys),
		customer.RevokeKey(r.Keys, r.KeyManagement),
		customer.GetUsage(r.Usage),
		customer.GetDailyUsage(r.Usage),
		customer.ListPlans(plans),
		customer.CreateCheckout(r.Billing, plans),
		customer.CreatePortal(r.Billing),
		customer.ListInvoices(r.Invoices),
		customer.GetInvoicePDF(r.Invoices),
		monitoring.CreateWebhook(r.Webhooks),
		monitoring.ListWebhooks(r.Webhooks),
		monitoring.GetWebhook(r.Webhooks),
		monitoring.UpdateWebhook(r.Webhooks),
		monitoring.DeleteWebhook(r.Webhooks),
		monitoring.RotateWebhookSecret(r.Webhooks),
		monitoring.SendTestEvent(r.Webhooks),
		monitoring.ListDeliveries(r.Webhooks),
		monitoring.RetryDelivery(r.Webhooks),
		monitoring.ReplayWebhook(r.Webhooks),
		customer.SendContact(r.Inbox),
		system.GetStatus(about, r.Sources, r.Mirror),
		system.GetStatusHistory(r.History),
		proof.GetSigningKeys(r.Receipts),
		system.GetHealth(),
	}
}
