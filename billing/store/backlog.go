package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/internal/database"
)

// InvoiceSummary is the operator's view of an invoice.
type InvoiceSummary struct {
	ID, Account string
	// Payment is Stripe's ID of the paid invoice.
	Payment string
	// Number is its series and number, such as RD-0000042.
	Number string
	// IssueDate is the day of issue in Bucharest, such as 2026-11-20.
	IssueDate string
	Currency  string // ISO 4217
	// Gross is in hundredths of the currency, negative for a correction.
	Gross int64
	// Rendered means that its documents exist.
	Rendered bool
	// Transmission is its progress at RO e-Factura, without documents. Until the invoice is rendered, only the state is
	// set.
	Transmission efactura.Transmission
	// DueAt is the time of the next attempt. It is zero if no work is left.
	DueAt time.Time
}

// Backlog is the work that is waiting or needs manual action. It excludes invoices that have been corrected.
type Backlog struct {
	// Payments is the number of payments without an invoice. PaidSince is the time of the oldest one, or zero if there
	// is none.
	Payments  int
	PaidSince time.Time
	// Invoices counts, by state, the invoices that RO e-Factura requires and has not accepted. IssuedOn is the start of
	// the day, in UTC, on which the oldest one was issued, or zero if there is none.
	Invoices map[efactura.State]int
	IssuedOn time.Time
}

// Owed are the states of invoices that RO e-Factura requires and has not accepted.
var Owed = []efactura.State{efactura.Pending, efactura.Processing, efactura.Held, efactura.Failed, efactura.Rejected}

const summaryQuery = `SELECT id, account_id AS account, payment_id AS payment, label AS number, issue_date, currency,
	gross, rendered = 1 AS rendered, state, transmission, due_at FROM invoices `

// summaryRow is an invoice with its state, which is not read from the stored transmission.
type summaryRow struct {
	InvoiceSummary
	State efactura.State
}

func (r *summaryRow) summary() InvoiceSummary {
	r.Transmission.State = r.State
	return r.InvoiceSummary
}

// AllInvoices lists at most limit invoices of all accounts in the order of issue, after the ID after. If a state is
// given, it lists only invoices in that state.
func (s *Store) AllInvoices(ctx context.Context, state efactura.State, after string,
	limit int) ([]InvoiceSummary, error) {
	rows, err := database.All[summaryRow](ctx, s.db.Reader, "listing invoices",
		summaryQuery+`WHERE ($1 = '' OR state = $1) AND id > $2 ORDER BY id LIMIT $3`, string(state), after, limit)
	all := make([]InvoiceSummary, len(rows))
	for i := range rows {
		all[i] = rows[i].summary()
	}

	return all, err
}

// InvoiceByName finds an invoice by ID or number. It returns customer.ErrNoInvoice if there is none.
func (s *Store) InvoiceByName(ctx context.Context, name string) (InvoiceSummary, error) {
	row, err := database.One[summaryRow](ctx, s.db.Reader, "reading invoice "+name, customer.ErrNoInvoice,
		summaryQuery+`WHERE id = $1 OR label = $1`, name)
	return row.summary(), err
}

const paymentsQuery = `SELECT id, account_id AS account, tries, problem, noted_at, due_at AS lease FROM payments `

// WaitingPayments lists at most limit payments without an invoice, the oldest first. Their Lease is the time of the
// next attempt.
func (s *Store) WaitingPayments(ctx context.Context, limit int) ([]Payment, error) {
	return database.All[Payment](ctx, s.db.Reader, "listing payments",
		paymentsQuery+`WHERE due_at > 0 ORDER BY noted_at, id LIMIT $1`, limit)
}

// WarnedPayments lists at most limit payments that were invoiced with a warning since a time, the newest first. Their
// Lease is zero.
func (s *Store) WarnedPayments(ctx context.Context, since time.Time, limit int) ([]Payment, error) {
	return database.All[Payment](ctx, s.db.Reader, "listing payments with a warning",
		paymentsQuery+`WHERE due_at IS NULL AND problem <> '' AND noted_at >= $1 ORDER BY noted_at DESC, id LIMIT $2`,
		since.UnixMilli(), limit)
}

// Backlog counts the waiting work.
func (s *Store) Backlog(ctx context.Context) (Backlog, error) {
	// A range, because SQLite does not use the index for IS NOT NULL.
	b, err := database.One[Backlog](ctx, s.db.Reader, "counting payments", nil,
		`SELECT COUNT(*) AS payments, MIN(noted_at) AS paid_since FROM payments WHERE due_at > 0`)
	if err != nil {
		return b, err
	}

	b.Invoices = make(map[efactura.State]int)
	// A correction is the next part of its payment after the corrected invoice.
	owed, err := database.All[struct {
		State efactura.State
		N     int
		First string
	}](ctx, s.db.Reader, "counting invoices", `SELECT state, COUNT(*) AS n, MIN(issue_date) AS first FROM invoices i
		WHERE state IN ($1, $2, $3, $4, $5) AND NOT EXISTS (SELECT 1 FROM invoices c WHERE c.payment_id = i.payment_id
		AND c.part = i.part + 1 AND c.gross < 0) GROUP BY state`, owedStates()...)
	for _, o := range owed {
		day, e := time.Parse(time.DateOnly, o.First)
		err = cmp.Or(err, e)
		b.Invoices[o.State] = o.N
		if b.IssuedOn.IsZero() || day.Before(b.IssuedOn) {
			b.IssuedOn = day
		}
	}

	return b, err
}

func owedStates() (states []any) {
	for _, s := range Owed {
		states = append(states, string(s))
	}
	return states
}

// ReopenInvoice replaces the transmission of an invoice, given by its ID or number, with the result of change, and
// makes it due now. It keeps the previous archive beside the new one. It returns the error of change,
// efactura.ErrNotReopened for an invoice without documents, customer.ErrNoInvoice, or ErrConflict if the invoice
// was reopened in the meantime.
func (s *Store) ReopenInvoice(ctx context.Context, name string, now time.Time,
	change func(Claim) (efactura.Transmission, error)) error {
	summary, err := s.InvoiceByName(ctx, name)
	if err != nil {
		return err
	}

	c := Claim{ID: summary.ID, State: summary.Transmission.State, Transmission: summary.Transmission}
	if !summary.Rendered {
		return fmt.Errorf("%w: its documents have not been rendered yet", efactura.ErrNotReopened)
	}

	stored, err := database.One[struct{ Content invoice.Invoice }](ctx, s.db.Reader, "reading invoice "+name, nil,
		`SELECT content FROM invoices WHERE id = $1`, c.ID)
	if err == nil {
		c.Invoice = stored.Content
		err = s.readDocuments(ctx, &c)
	}
	if err != nil {
		return err
	}

	next, err := change(c)
	if err != nil {
		return err
	}

	return database.Wrap("reopening invoice "+name, s.reopen(ctx, c, next, now))
}

func (s *Store) reopen(ctx context.Context, c Claim, next efactura.Transmission, now time.Time) error {
	text, err := transmissionText(next)
	if err != nil {
		return err
	}
	return s.db.Transact(ctx, func(tx *sql.Tx) error {
		if err := database.ChangeOne(ctx, tx, ErrConflict,
			`UPDATE invoices SET state = $1, transmission = $2, due_at = $3 WHERE id = $4 AND due_at IS NULL`,
			string(next.State), text, now.UnixMilli(), c.ID); err != nil {
			return err
		}

		if len(c.Transmission.Document.XML) == 0 {
			if err := addFile(ctx, tx, c.ID, xmlFile, next.Document.XML); err != nil {
				return err
			}
		}

		if c.Transmission.Archive == nil || next.Archive != nil {
			return nil
		}

		return database.Exec(ctx, tx, `UPDATE invoice_files SET kind = $1 WHERE invoice_id = $2 AND kind = $3`,
			archiveFile+" "+c.Transmission.DownloadID, c.ID, archiveFile)
	})
}
