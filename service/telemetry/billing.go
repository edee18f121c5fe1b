package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	billingstore "github.com/rodata/rodata/billing/store"
)

var (
	paymentsDesc    = desc("rodata_payments_waiting", "Payments without an invoice.")
	paymentsAgeDesc = desc("rodata_payments_waiting_age_seconds",
		"Time since the oldest payment without an invoice was recorded; 0 if there is none.")
	invoicesDesc = desc("rodata_efactura_invoices",
		"Invoices due at RO e-Factura and not yet accepted, by state, without those that were corrected.", "state")
	invoicesAgeDesc = desc("rodata_efactura_waiting_age_seconds",
		"Time since 00:00 UTC of the issue date of the oldest invoice in rodata_efactura_invoices; 0 if there is none.")
	signInDesc = desc("rodata_efactura_signin_failed",
		"1 while the access token for RO e-Factura cannot be renewed.")
	creditsDesc   = desc("rodata_credits_charged_total", "Credits charged.")
	exhaustedDesc = desc("rodata_credits_refused_total",
		"Calls refused because the account's monthly credits were used up.")
	commitsDesc      = desc("rodata_ledger_commits_total", "Transactions in which charges were written.")
	commitErrorsDesc = desc("rodata_ledger_errors_total",
		"Failed transactions of charges; their calls were answered with 503.")
	commitSecondsDesc = desc("rodata_ledger_commit_seconds_total", "Time spent in transactions of charges.")
	unsettledDesc     = desc("rodata_ledger_queue", "Charges waiting to be written.")
)

func (r *Reading) writeLedger(o output) {
	o.counter(creditsDesc, r.Ledger.Credits)
	o.counter(exhaustedDesc, r.Ledger.Refused)
	o.counter(commitsDesc, r.Ledger.Commits)
	o.counter(commitErrorsDesc, r.Ledger.Failures)
	o.metrics <- prometheus.MustNewConstMetric(commitSecondsDesc, prometheus.CounterValue,
		r.Ledger.CommitTime.Seconds())
	o.gauge(unsettledDesc, float64(r.Ledger.Queued))
}

// writeBilling writes the backlog of invoices. All processes on one store report the same values.
func (r *Reading) writeBilling(o output) {
	o.gauge(signInDesc, boolValue(r.SignInFailed))
	b := r.Backlog
	if b == nil {
		return // rodata_store_up is 0
	}

	o.gauge(paymentsDesc, float64(b.Payments))
	o.gauge(paymentsAgeDesc, age(b.PaidSince))
	for _, state := range billingstore.Owed {
		o.gauge(invoicesDesc, float64(b.Invoices[state]), string(state))
	}

	o.gauge(invoicesAgeDesc, age(b.IssuedOn))
}
