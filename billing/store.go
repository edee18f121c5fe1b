package billing

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/invoice"
)

// Accounts reads the accounts that plans are sold to.
type Accounts interface {
	// Account finds an account, even a closed one. It returns account.ErrNoAccount if there is none.
	Account(ctx context.Context, id string) (account.Account, error)
	// UserOfAccount finds the user of an account. It returns account.ErrNoUser if the account has none.
	UserOfAccount(ctx context.Context, account string) (account.User, error)
}

// Store stores customers, payments and invoices. Its methods may be called concurrently and by several processes. Every
// change is one transaction.
type Store interface {
	// Customer finds the customer of an account. It returns customer.ErrNoCustomer if the account has none.
	Customer(ctx context.Context, account string) (Customer, error)
	// CustomerByID finds a customer by Stripe's ID. It returns customer.ErrNoCustomer if there is none.
	CustomerByID(ctx context.Context, id string) (Customer, error)
	// AddCustomer adds the customer of an open account. An existing customer stays unchanged.
	AddCustomer(ctx context.Context, account, id string) error
	// LockCheckout locks the checkout of an account until a time. It returns ErrLocked while the checkout is locked.
	LockCheckout(ctx context.Context, account string, now, until time.Time) error
	// UnlockCheckout releases the lock of LockCheckout early.
	UnlockCheckout(ctx context.Context, account string, until time.Time) error
	// SaveSubscription replaces the stored subscription of a customer, under an optimistic lock. If Granted changes, so
	// does the account's plan. It becomes the granted plan. If no plan is granted any more, it becomes the plan
	// fallback, unless the account no longer has the plan that was granted before. Unless event is empty,
	// SaveSubscription records the event as handled. It returns ErrConflict if the customer was changed in the
	// meantime, and ErrDuplicateEvent if the event was handled before.
	SaveSubscription(ctx context.Context, event string, before, after Customer, fallback string) error
	// Overdue returns the customers with a granted plan and a payment that has been overdue since before a time.
	Overdue(ctx context.Context, before time.Time) ([]Customer, error)

	// SeenEvent reports whether an event has been handled.
	SeenEvent(ctx context.Context, id string) (bool, error)
	// ForgetEvents deletes the IDs of events received before a time.
	ForgetEvents(ctx context.Context, before time.Time) error
	// NotePayment queues a payment, which is due now. It does nothing if the event was handled before.
	NotePayment(ctx context.Context, event string, p Payment, now time.Time) error

	// NextDue returns the time at which the next item of a queue is due or its lease ends. It is zero if the queue is
	// empty.
	NextDue(ctx context.Context, q Queue) (time.Time, error)
	// ClaimPayments leases up to limit due payments and increments their Tries.
	ClaimPayments(ctx context.Context, now, lease time.Time, limit int) ([]Payment, error)
	// PostponePayment records why a claimed payment has no invoice, and the time of the next attempt. It returns
	// work.ErrLeaseLost if the lease has been lost.
	PostponePayment(ctx context.Context, p Payment, due time.Time) error
	// Issue completes a claimed payment with the invoices that decide returns, if any. decide gets the payment's latest
	// invoice, which may be nil, and the next number of the series. It numbers its invoices from there without a gap,
	// and must be quick, because other writers wait for it. The payment's Problem, if any, is stored as a warning.
	// Issue returns the error of decide, or work.ErrLeaseLost.
	Issue(ctx context.Context, p Payment, series string,
		decide func(latest *invoice.Invoice, next int) ([]Issuance, error)) error

	// ClaimInvoices leases up to limit invoices that are due in a queue, the longest-waiting first.
	ClaimInvoices(ctx context.Context, q Queue, now, lease time.Time, limit int) ([]Claim, error)
	// PostponeInvoice records the time of the next attempt for a claimed invoice. It returns work.ErrLeaseLost if the
	// lease has been lost.
	PostponeInvoice(ctx context.Context, c Claim, due time.Time) error
	// SaveDocuments stores the documents of a claimed invoice, which never change. Its transmission is then due, unless
	// it is done. SaveDocuments returns work.ErrLeaseLost if the lease has been lost.
	SaveDocuments(ctx context.Context, c Claim, d Documents) error
	// SaveTransmission stores the progress of a claimed invoice's transmission, and its archive once there is one. The
	// lease continues unless due is set. A completed transmission is never due again. SaveTransmission returns
	// work.ErrLeaseLost if the lease has been lost.
	SaveTransmission(ctx context.Context, c Claim, t efactura.Transmission, due time.Time) error
	// ReopenInvoice replaces the transmission of an invoice, given by its ID or number, with the result of change, and
	// makes it due now. It keeps the previous archive beside the new one. It returns the error of change,
	// efactura.ErrNotReopened for an invoice without documents, customer.ErrNoInvoice, or ErrConflict if the invoice
	// was reopened in the meantime.
	ReopenInvoice(ctx context.Context, name string, now time.Time,
		change func(Claim) (efactura.Transmission, error)) error
}

// The errors of a Store.
var (
	// ErrConflict: the row was changed in the meantime.
	ErrConflict = errors.New("it was changed in the meantime")
	// ErrDuplicateEvent: the event was handled before.
	ErrDuplicateEvent = errors.New("the event was handled before")
	// ErrLocked: another checkout of the account is being created.
	ErrLocked = errors.New("another checkout of the account is being created")
)

// Customer is an account that has been to the checkout.
type Customer struct {
	Account string
	// ID is Stripe's ID of the customer.
	ID string
	// Subscription is the ID of the subscription at Stripe, and Status its state there. Both are empty if there has
	// been no subscription.
	Subscription, Status string
	// Plan is the code of the subscription's plan.
	Plan string
	// Granted is the code of the plan that the account has through the subscription. It is empty if there is none.
	Granted string
	// OverdueSince is the time at which a payment became overdue. It is zero if no payment is overdue.
	OverdueSince time.Time
	// Revision counts the changes, for the optimistic lock.
	Revision int64
}

// Payment is a paid invoice of Stripe.
type Payment struct {
	// ID is Stripe's ID of its invoice.
	ID      string
	Account string
	// Tries is the number of times it was claimed.
	Tries int
	// NotedAt is the time of the first event about the payment.
	NotedAt time.Time
	// Problem is the reason why the last attempt issued no invoice. For an invoiced payment, it is a warning. It is
	// empty if there is no problem.
	Problem string
	// Lease is the end of the lease, to the millisecond.
	Lease time.Time
}

// Issuance is an invoice to store, and the initial state of its transmission.
type Issuance struct {
	Invoice invoice.Invoice
	State   efactura.State
}

// Queue is a kind of work.
type Queue int

// The queues.
const (
	Payments  Queue = iota // to be invoiced
	Rendering              // invoices without documents
	Sending                // invoices required by RO e-Factura
)

// String returns the name of the queue in logs.
func (q Queue) String() string {
	return [...]string{"payments", "invoices to be rendered", "invoices to be sent"}[q]
}

// Claim is an invoice leased by this process.
type Claim struct {
	ID string
	// Invoice is its content.
	Invoice invoice.Invoice
	State   efactura.State
	// Transmission is the progress of its transmission, which has not begun in the queue Rendering.
	Transmission efactura.Transmission
	// Tries is the number of times that the invoice was claimed since it entered the queue.
	Tries int
	// Lease is the end of the lease, to the millisecond.
	Lease time.Time
}

// Documents are the documents of an invoice. They are created only once.
type Documents struct {
	XML, PDF []byte
	// Transmission is the transmission of the invoice, which has not begun.
	Transmission efactura.Transmission
}
