package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/internal/database"
)

// NotePayment implements billing.Store.
func (s *Store) NotePayment(ctx context.Context, event string, p billing.Payment, now time.Time) error {
	err := s.db.Transact(ctx, func(tx *sql.Tx) error {
		if err := takeEvent(ctx, tx, event, now); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx,
			`INSERT INTO payments (id, account_id, tries, problem, noted_at, due_at) VALUES ($1, $2, 0, '', $3, $3)
			 ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, holder = NULL, tries = 0`, p.ID, p.Account, now.UnixMilli())
		return err
	})
	if errors.Is(err, billing.ErrSeen) {
		return nil
	}
	return database.Doing("noting payment "+p.ID, err)
}

// dueQueries say when something in a queue is due.
var dueQueries = map[billing.Queue]string{
	billing.Payments:  `SELECT MIN(due_at) FROM payments`,
	billing.Rendering: `SELECT MIN(due_at) FROM invoices WHERE due_at IS NOT NULL AND rendered = 0`,
	billing.Sending:   `SELECT MIN(due_at) FROM invoices WHERE due_at IS NOT NULL AND rendered = 1`,
}

// NextDue implements billing.Store.
func (s *Store) NextDue(ctx context.Context, q billing.Queue) (time.Time, error) {
	var due sql.NullInt64
	if err := s.db.Reader.QueryRowContext(ctx, dueQueries[q]).Scan(&due); err != nil {
		return time.Time{}, fmt.Errorf("asking what is to be done about invoices: %w", err)
	}
	return database.OrZero(due), nil
}

// ClaimPayments implements billing.Store.
func (s *Store) ClaimPayments(ctx context.Context, now, lease time.Time, limit int) ([]billing.Payment, error) {
	// The outer condition is the one that PostgreSQL checks again when another
	// process was faster.
	claimed, err := database.Collect(ctx, s.db.Writer, func(r database.Row) (billing.Payment, error) {
		p := billing.Payment{Lease: time.UnixMilli(lease.UnixMilli())}
		var noted int64
		err := r.Scan(&p.ID, &p.Account, &p.Tries, &p.Problem, &noted)
		p.NotedAt = time.UnixMilli(noted).UTC()
		return p, err
	}, `UPDATE payments SET due_at = $1, holder = $2, tries = tries + 1
		WHERE due_at <= $3 AND id IN (SELECT id FROM payments WHERE due_at <= $3 ORDER BY due_at, id LIMIT $4)
		RETURNING id, account_id, tries, problem, noted_at`, lease.UnixMilli(), s.db.Holder, now.UnixMilli(), limit)
	return claimed, database.Doing("claiming payments", err)
}

// PostponePayment implements billing.Store.
func (s *Store) PostponePayment(ctx context.Context, p billing.Payment, due time.Time) error {
	_, err := s.db.Writer.ExecContext(ctx, `UPDATE payments SET problem = $1, due_at = $2, holder = NULL WHERE id = $3 AND due_at = $4`,
		p.Problem, due.UnixMilli(), p.ID, p.Lease.UnixMilli())
	return database.Doing("postponing payment "+p.ID, err)
}

// Issue implements billing.Store.
func (s *Store) Issue(ctx context.Context, p billing.Payment, series string, decide func(*invoice.Invoice, int) ([]billing.Issued, error)) error {
	err := s.db.Transact(ctx, func(tx *sql.Tx) error {
		// The lock of its row has others wait who look after the same payment.
		if err := database.ChangeOne(ctx, tx, billing.ErrMoved, `UPDATE payments SET problem = $1, due_at = NULL, holder = NULL WHERE id = $2 AND due_at = $3`,
			p.Problem, p.ID, p.Lease.UnixMilli()); err != nil {
			return err
		}
		latest, part, err := latestInvoice(ctx, tx, p.ID)
		if err != nil {
			return err
		}
		next, err := holdSeries(ctx, tx, series)
		if err != nil {
			return err
		}
		issued, err := decide(latest, next)
		if err != nil || len(issued) == 0 {
			return err
		}
		for n, i := range issued {
			if i.Invoice.Series != series || i.Invoice.Number != next+n {
				return fmt.Errorf("invoice %s is out of turn: number %d of series %s is next", i.Invoice.Label(), next+n, series)
			}
			if err := addInvoice(ctx, tx, p, part+1+n, i); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE invoice_series SET next = $1 WHERE series = $2`, next+len(issued), series)
		return err
	})
	return database.Doing("issuing invoices for payment "+p.ID, err)
}

// latestInvoice is the last one that there is for a payment, and its part in it.
func latestInvoice(ctx context.Context, tx *sql.Tx, payment string) (latest *invoice.Invoice, part int, err error) {
	var content string
	err = tx.QueryRowContext(ctx, `SELECT part, content FROM invoices WHERE payment_id = $1 ORDER BY part DESC LIMIT 1`, payment).Scan(&part, &content)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, 0, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(content), &latest)
	}
	return latest, part, err
}

// holdSeries is the next number of a series; nobody else gets it before the end of
// the transaction. When that fails, the number is not used up.
func holdSeries(ctx context.Context, tx *sql.Tx, series string) (next int, err error) {
	err = tx.QueryRowContext(ctx,
		`INSERT INTO invoice_series (series, next) VALUES ($1, 1) ON CONFLICT (series) DO UPDATE SET next = invoice_series.next RETURNING next`,
		series).Scan(&next)
	return next, err
}
