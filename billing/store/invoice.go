package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
)

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

func addInvoice(ctx context.Context, tx *sql.Tx, p Payment, part int, issued Issuance) error {
	i := issued.Invoice
	content, err := json.Marshal(i)
	if err != nil {
		return err
	}

	return database.Exec(ctx, tx,
		`INSERT INTO invoices (id, account_id, payment_id, part, series, number, label, issue_date, currency, net, vat,
			gross, content, rendered, state, transmission, due_at)
		 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, $14, '', $15)`,
		i.ID, p.Account, p.ID, part, i.Series, i.Number, i.Label(), i.IssueDate.String(), i.Currency, int64(i.Net),
		int64(i.VAT), int64(i.Gross), string(content), string(issued.State), time.Now().UnixMilli())
}

// Invoices lists the invoices of an account, the newest first.
func (s *Store) Invoices(ctx context.Context, owner string) ([]customer.Invoice, error) {
	rows, err := database.All[struct {
		customer.Invoice
		State efactura.State
	}](ctx, s.db.Reader, "listing invoices", `SELECT id, label AS number, issue_date, currency, net AS net_total,
		vat AS vat_total, gross AS gross_total, state, rendered = 1 AS pdf_ready FROM invoices
		WHERE account_id = $1 ORDER BY issue_date DESC, number DESC`, owner)
	all := make([]customer.Invoice, len(rows))
	for i, r := range rows {
		all[i] = r.Invoice
		all[i].EFacturaStatus = string(r.State.ForCustomer())
	}

	return all, err
}

// VATNumberOf returns the customer's VAT number in the account's latest invoice. It is empty if there is none.
func (s *Store) VATNumberOf(ctx context.Context, owner string) (string, error) {
	latest, err := database.One[struct{ Content invoice.Invoice }](ctx, s.db.Reader,
		"reading the latest invoice of "+owner, nil,
		`SELECT content FROM invoices WHERE account_id = $1 ORDER BY issue_date DESC, number DESC LIMIT 1`, owner)
	return latest.Content.Customer.VATID, err
}

// ClaimInvoices leases up to limit invoices that are due in a queue, the longest-waiting first.
func (s *Store) ClaimInvoices(ctx context.Context, q Queue, now, lease time.Time,
	limit int) ([]Claim, error) {
	claimed, err := work.Claim[Claim](ctx, s.db.DB, queues[q], now, lease, limit)
	if err != nil || q != Sending {
		return claimed, err
	}

	for n := range claimed {
		if err := s.readDocuments(ctx, &claimed[n]); err != nil {
			return nil, err
		}
	}

	return claimed, nil
}

// PostponeInvoice records the time of the next attempt for a claimed invoice. It returns work.ErrLeaseLost if the
// lease has been lost.
func (s *Store) PostponeInvoice(ctx context.Context, c Claim, due time.Time) error {
	err := invoices.Retry(ctx, s.db.Writer, c.ID, c.Lease, due, c.Tries)
	return database.Wrap("postponing invoice "+c.ID, err)
}

// SaveTransmission stores the progress of a claimed invoice's transmission, and its archive once there is one. The
// lease continues unless due is set. A completed transmission is never due again. SaveTransmission returns
// work.ErrLeaseLost if the lease has been lost.
func (s *Store) SaveTransmission(ctx context.Context, c Claim, t efactura.Transmission, due time.Time) error {
	err := s.db.Transact(ctx, func(tx *sql.Tx) error {
		if err := writeTransmission(ctx, tx, c, t, due); err != nil {
			return err
		}
		if t.Archive == nil || c.Transmission.Archive != nil {
			return nil
		}
		return addFile(ctx, tx, c.ID, archiveFile, t.Archive)
	})
	return database.Wrap("storing the transmission of invoice "+c.ID, err)
}

// writeTransmission records the progress of a transmission, without its files. The lease stays unless the transmission
// is done or due, the time of the next attempt, is set.
func writeTransmission(ctx context.Context, tx *sql.Tx, c Claim, t efactura.Transmission,
	due time.Time) (err error) {
	switch {
	case t.IsDone():
		err = invoices.Done(ctx, tx, c.ID, c.Lease)
	case due.IsZero():
		err = invoices.Extend(ctx, tx, c.ID, c.Lease, c.Lease)
	default:
		err = invoices.Retry(ctx, tx, c.ID, c.Lease, due, c.Tries)
	}

	if err != nil {
		return err
	}

	text, err := transmissionText(t)
	if err != nil {
		return err
	}

	return database.Exec(ctx, tx, `UPDATE invoices SET state = $1, transmission = $2 WHERE id = $3`, string(t.State),
		text, c.ID)
}

func transmissionText(t efactura.Transmission) (string, error) {
	t.Document.XML, t.Archive = nil, nil
	text, err := json.Marshal(t)
	return string(text), err
}
