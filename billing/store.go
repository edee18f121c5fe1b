package billing

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/invoice"
)

// Accounts finds whose plans are sold.
type Accounts interface {
	// Account finds an account, also a closed one; account.ErrNoAccount when there is none.
	Account(ctx context.Context, id string) (account.Account, error)
	// UserOfAccount finds the user of an account; account.ErrNoUser when nobody can sign in to it.
	UserOfAccount(ctx context.Context, account string) (account.User, error)
}

// Store keeps customers, payments and invoices. Its methods may be called
// concurrently, by several processes. Every change is one transaction.
type Store interface {
	// Customer finds the customer that an account is; api.ErrNoCustomer when it
	// is none.
	Customer(ctx context.Context, account string) (Customer, error)
	// CustomerByID finds the customer that Stripe knows by an id;
	// api.ErrNoCustomer when there is none.
	CustomerByID(ctx context.Context, id string) (Customer, error)
	// AddCustomer makes a customer of an account that is open. One that is there
	// already stays as it is.
	AddCustomer(ctx context.Context, account, id string) error
	// HoldCheckout has other checkouts of the account fail with ErrHeld until a
	// time; it fails so itself while another one is held.
	HoldCheckout(ctx context.Context, account string, now, until time.Time) error
	// ReleaseCheckout ends that early.
	ReleaseCheckout(ctx context.Context, account string, until time.Time) error
	// SaveSubscription writes what is now known of a customer's subscription in
	// place of what was, and with it the account's plan when Granted changes: to
	// that one, or when nothing is granted any more, and the account has what was,
	// to the plan fallback. The event, unless it is empty, has had its effect by
	// that. The error is ErrMoved when somebody else has written meanwhile, and
	// ErrSeen for an event that had its effect before.
	SaveSubscription(ctx context.Context, event string, was, is Customer, fallback string) error
	// Overdue are the customers with a plan by a subscription that has been overdue
	// since before a time.
	Overdue(ctx context.Context, before time.Time) ([]Customer, error)

	// SeenEvent reports whether an event has had its effect.
	SeenEvent(ctx context.Context, id string) (bool, error)
	// ForgetEvents deletes the memory of events that came before a time.
	ForgetEvents(ctx context.Context, before time.Time) error
	// NotePayment has a payment looked at from now on, since an event tells of it.
	// For an event that had its effect before, it does nothing.
	NotePayment(ctx context.Context, event string, p Payment, now time.Time) error

	// NextDue is when something in a queue is due or its lease ends; zero when
	// there is nothing.
	NextDue(ctx context.Context, q Queue) (time.Time, error)
	// ClaimPayments takes up to limit payments that are due and counts the try.
	// Until the lease nobody else gets them.
	ClaimPayments(ctx context.Context, now, lease time.Time, limit int) ([]Payment, error)
	// PostponePayment records why a claimed payment has no invoice, and when to try again. The error is
	// queue.ErrLeaseLost when the lease has been lost.
	PostponePayment(ctx context.Context, p Payment, due time.Time) error
	// Issue settles a claimed payment with the invoices that decide makes: latest is
	// the last one that there is for it, nil for none, and next the number after the
	// last one of the series. What decide returns is numbered from next on, without
	// a gap; it may be nothing. The payment's Problem, if any, is kept as a warning.
	// While it decides, others wait: it must be quick. The error is decide's own, or
	// queue.ErrLeaseLost.
	Issue(ctx context.Context, p Payment, series string, decide func(latest *invoice.Invoice, next int) ([]Issued, error)) error

	// ClaimInvoices takes up to limit invoices that are due in a queue, those that
	// have waited longest first. Until the lease nobody else gets them.
	ClaimInvoices(ctx context.Context, q Queue, now, lease time.Time, limit int) ([]Claimed, error)
	// PostponeInvoice records when to try a claimed invoice again; queue.ErrLeaseLost when the lease has been lost.
	PostponeInvoice(ctx context.Context, c Claimed, due time.Time) error
	// SaveDocuments keeps the documents of a claimed invoice for good. It is due for
	// its transmission then, unless that is done. The error is queue.ErrLeaseLost when the lease has been lost.
	SaveDocuments(ctx context.Context, c Claimed, d Documents) error
	// SaveTransmission keeps how far the transmission of a claimed invoice has come,
	// and its archive, once there is one. The lease stays unless due says otherwise;
	// a transmission that is done is due no more. The error is queue.ErrLeaseLost when the lease has been lost.
	SaveTransmission(ctx context.Context, c Claimed, t efactura.Transmission, due time.Time) error
	// ReopenInvoice has the transmission of an invoice, by its id or number, go on as
	// change says; it is due now. The archive of the one before is kept beside the new
	// one. The error is change's own, efactura.ErrNotReopened for an invoice without
	// documents, api.ErrNoInvoice, or ErrMoved when somebody else has had it go on
	// meanwhile.
	ReopenInvoice(ctx context.Context, name string, now time.Time, change func(Claimed) (efactura.Transmission, error)) error
}

// The answers of a Store.
var (
	// ErrMoved: somebody else has changed it meanwhile.
	ErrMoved = errors.New("it was changed by somebody else meanwhile")
	// ErrSeen: the event had its effect before.
	ErrSeen = errors.New("the event had its effect before")
	// ErrHeld: another checkout of the account is being made.
	ErrHeld = errors.New("another checkout of the account is being made")
)

// Customer is an account that has been to the checkout.
type Customer struct {
	Account string
	// ID is how Stripe calls the customer.
	ID string
	// Subscription is how Stripe calls the subscription, and Status how it is; both
	// are empty when there has been none.
	Subscription, Status string
	// Plan is the code of the plan that the subscription is for.
	Plan string
	// Granted is the code of the plan that the account has by the subscription;
	// empty for none.
	Granted string
	// OverdueSince is since when a payment has been; zero while none is.
	OverdueSince time.Time
	// Revision counts the changes.
	Revision int64
}

// Payment is an invoice of Stripe that was paid.
type Payment struct {
	// ID is how Stripe calls its invoice.
	ID      string
	Account string
	// Tries is how often it was claimed, since it was noted.
	Tries int
	// NotedAt is when it was first heard of.
	NotedAt time.Time
	// Problem is what kept the last try from an invoice; empty when nothing did. Of an
	// invoiced payment it is a warning.
	Problem string
	// Lease is until when it is claimed, to the millisecond.
	Lease time.Time
}

// Issued is an invoice that is to be kept, and the state in which its
// transmission begins.
type Issued struct {
	Invoice invoice.Invoice
	State   efactura.State
}

// Queue is what is to be done.
type Queue int

// The queues.
const (
	Payments  Queue = iota // to be invoiced
	Rendering              // invoices without documents
	Sending                // invoices that RO e-Factura wants
)

// String is the name of the queue in logs.
func (q Queue) String() string {
	return [...]string{"payments", "invoices to be rendered", "invoices to be sent"}[q]
}

// Claimed is an invoice that is being worked on.
type Claimed struct {
	ID string
	// Invoice is what it says.
	Invoice invoice.Invoice
	State   efactura.State
	// Transmission is how far it has come; in the queue Rendering it has not begun.
	Transmission efactura.Transmission
	// Tries is how often it was claimed since it entered the queue.
	Tries int
	// Lease is until when it is claimed, to the millisecond.
	Lease time.Time
}

// Documents are what is made of an invoice, once.
type Documents struct {
	XML, PDF []byte
	// Transmission is the one that begins with them.
	Transmission efactura.Transmission
}
