package account

import (
	"errors"
	"time"
)

// Invoice is an invoice as the list of an account's invoices shows it.
type Invoice struct {
	ID string
	// Number is its series and number, as RD-0000042.
	Number string
	// IssueDate is its day in Bucharest, as 2026-11-20.
	IssueDate string
	Currency  string // ISO 4217
	// Net, VAT and Gross are in hundredths of the currency; Net + VAT is Gross. Those
	// of a correction are negative.
	Net, VAT, Gross int64
	// Transmission is what became of it at RO e-Factura: not_required, pending,
	// processing, accepted, rejected or failed.
	Transmission string
	// Rendered says that its PDF is there.
	Rendered bool
}

// The answers about invoices and payments.
var (
	// ErrNoBilling: no payment service is configured.
	ErrNoBilling = errors.New("no payment service is configured (RODATA_STRIPE_KEY)")
	// ErrNoInvoice: the account has no invoice of that id.
	ErrNoInvoice = errors.New("the account has no such invoice")
	// ErrNotRendered: the invoice is issued, and its PDF is not made yet.
	ErrNotRendered = errors.New("the PDF of the invoice is not made yet")
	// ErrNoCustomer: the account has never been to the checkout.
	ErrNoCustomer = errors.New("the account is no customer of the payment service")
	// ErrNotSold: there is no plan of that code that can be bought.
	ErrNotSold = errors.New("the plan cannot be bought")
	// ErrBadSignature: the payment service did not send this, or not lately.
	ErrBadSignature = errors.New("the signature is not valid")
)

// PaymentsDown is the error when the payment service, or what has to come before
// it is asked, does not work just now.
type PaymentsDown struct {
	// RetryAfter is when to try again.
	RetryAfter time.Duration
	// Err is the cause.
	Err error
}

func (e *PaymentsDown) Error() string { return "asking the payment service: " + e.Err.Error() }

// Unwrap is the cause.
func (e *PaymentsDown) Unwrap() error { return e.Err }
