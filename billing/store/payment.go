package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
)

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

// NotePayment queues a payment, which is due now. It does nothing if the event was handled before.
func (s *Store) NotePayment(ctx context.Context, event string, p Payment, now time.Time) error {
	err := s.db.Transact(ctx, func(tx *sql.Tx) error {
		if err := takeEvent(ctx, tx, event, now); err != nil {
			return err
		}
		return database.Exec(ctx, tx,
			`INSERT INTO payments (id, account_id, tries, problem, noted_at, due_at) VALUES ($1, $2, 0, '', $3, $3)
			 ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, holder = NULL, tries = 0`, p.ID, p.Account, now.UnixMilli())
	})
	if errors.Is(err, ErrDuplicateEvent) {
		return nil
	}

	return database.Wrap("queueing payment "+p.ID, err)
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

var queues = map[Queue]*work.Queue{
	Payments:  work.NewQueue("payments", "", "account_id AS account, problem, noted_at"),
	Rendering: work.NewQueue("invoices", "rendered = 0", "content AS invoice, state, transmission"),
	Sending:   work.NewQueue("invoices", "rendered = 1", "content AS invoice, state, transmission"),
}

// payments and invoices are the queues for statements that do not claim a row.
var payments, invoices = queues[Payments], queues[Sending]

// NextDue returns the time at which the next item of a queue is due or its lease ends. It is zero if the queue is
// empty.
func (s *Store) NextDue(ctx context.Context, q Queue) (time.Time, error) {
	return queues[q].NextDue(ctx, s.db.DB)
}

// ClaimPayments leases up to limit due payments and increments their Tries.
func (s *Store) ClaimPayments(ctx context.Context, now, lease time.Time, limit int) ([]Payment, error) {
	return work.Claim[Payment](ctx, s.db.DB, payments, now, lease, limit)
}

// PostponePayment records why a claimed payment has no invoice, and the time of the next attempt. It returns
// work.ErrLeaseLost if the lease has been lost.
func (s *Store) PostponePayment(ctx context.Context, p Payment, due time.Time) error {
	err := s.db.Transact(ctx, func(tx *sql.Tx) error {
		return cmp.Or(payments.Retry(ctx, tx, p.ID, p.Lease, due, p.Tries), setProblem(ctx, tx, p))
	})
	return database.Wrap("postponing payment "+p.ID, err)
}

func setProblem(ctx context.Context, tx *sql.Tx, p Payment) error {
	return database.Exec(ctx, tx, `UPDATE payments SET problem = $1 WHERE id = $2`, p.Problem, p.ID)
}

// Issue completes a claimed payment with the invoices that decide returns, if any. decide gets the payment's latest
// invoice, which may be nil, and the next number of the series. It numbers its invoices from there without a gap,
// and must be quick, because other writers wait for it. The payment's Problem, if any, is stored as a warning.
// Issue returns the error of decide, or work.ErrLeaseLost.
func (s *Store) Issue(ctx context.Context, p Payment, series string,
	decide func(*invoice.Invoice, int) ([]Issuance, error)) error {
	err := s.db.Transact(ctx, func(tx *sql.Tx) error {
		// The row lock blocks other processes that work on the same payment.
		if err := payments.Done(ctx, tx, p.ID, p.Lease); err != nil {
			return err
		}
		if err := setProblem(ctx, tx, p); err != nil {
			return err
		}

		latest, err := database.One[struct {
			Part    int
			Content *invoice.Invoice
		}](ctx, tx, "reading its latest invoice", nil,
			`SELECT part, content FROM invoices WHERE payment_id = $1 ORDER BY part DESC LIMIT 1`, p.ID)
		if err != nil {
			return err
		}

		next, err := lockSeries(ctx, tx, series)
		if err != nil {
			return err
		}

		issued, err := decide(latest.Content, next)
		if err != nil || len(issued) == 0 {
			return err
		}

		for n, i := range issued {
			if i.Invoice.Series != series || i.Invoice.Number != next+n {
				return fmt.Errorf("invoice %s is out of sequence: number %d of series %s is next", i.Invoice.Label(),
					next+n, series)
			}
			if err := addInvoice(ctx, tx, p, latest.Part+1+n, i); err != nil {
				return err
			}
		}

		return database.Exec(ctx, tx, `UPDATE invoice_series SET next = $1 WHERE series = $2`, next+len(issued), series)
	})
	return database.Wrap("issuing invoices for payment "+p.ID, err)
}

// lockSeries returns the next number of a series, locked until the end of the transaction. A rollback leaves no gap.
func lockSeries(ctx context.Context, tx *sql.Tx, series string) (next int, err error) {
	return database.One[int](ctx, tx, "locking series "+series, nil,
		`INSERT INTO invoice_series (series, next) VALUES ($1, 1) ON CONFLICT (series)
			DO UPDATE SET next = invoice_series.next RETURNING next`,
		series)
}
