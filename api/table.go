package api

import (
	"time"

	"github.com/rodata/rodata/metering"
)

// About is what the service says of itself.
type About struct {
	// Version is the running version.
	Version string
	// Environment is production or sandbox.
	Environment string
	// Started is when the process began to serve.
	Started time.Time
}

// Registries is what the operations stand on.
type Registries struct {
	Companies Companies
	// Trade is the search of the trade register.
	Trade   TradeRegister
	Fixings Fixings
	// Classification is CAEN.
	Classification Classification
	// Gazetteer is the counties and places.
	Gazetteer Gazetteer
	// Keys is the API keys of accounts, and KeyManagement who may create and revoke
	// them.
	Keys          Keyring
	KeyManagement KeyManagement
	// Usage is what accounts have used.
	Usage Usage
	// Billing sells plans.
	Billing Billing
	// Invoices is the invoices of accounts.
	Invoices Invoices
	// Desk takes messages for the operators.
	Desk Desk
	// Sources says how the registries are, for the status.
	Sources func() []SourceStatus
	// History says how the registries were in a number of days, today included.
	History func(days int) []SourceHistory
}

// Operations is the table: every operation of the service, in the order in which
// the description shows them.
func Operations(r Registries, plans []metering.Plan, about About) []*Operation {
	return []*Operation{
		getCompany(r.Companies),
		searchCompanies(r.Trade, r.Gazetteer, r.Classification),
		suggestCompanies(r.Trade),
		getCAENCode(r.Classification),
		searchCAENCodes(r.Classification),
		searchCounties(r.Gazetteer),
		searchCities(r.Gazetteer),
		getFXRates(r.Fixings),
		getFXRateHistory(r.Fixings),
		convertCurrency(r.Fixings),
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
		sendContact(r.Desk),
		getStatus(about, r.Sources),
		getStatusHistory(r.History),
		getHealth(),
	}
}
