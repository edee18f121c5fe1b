package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/internal/database"
)

// How long what is over is kept: the IDs of mails, so that none is sent again, and
// inquiries, which are personal data.
const (
	keepMails           = 30 * 24 * time.Hour
	keepInquiriesMonths = 13
)

// AddMail implements mail.Store.
func (d *DB) AddMail(ctx context.Context, m mail.Stored, now time.Time) error {
	return addMail(ctx, d.Writer, m, now)
}

func addMail(ctx context.Context, db database.Execer, m mail.Stored, now time.Time) error {
	_, err := db.ExecContext(ctx,
		`INSERT INTO mails (id, content, tries, due_at, created_at) VALUES ($1, $2, 0, $3, $4) ON CONFLICT (id) DO NOTHING`,
		m.ID, base64.StdEncoding.EncodeToString(m.Content), now.UnixMilli(), now.UnixMilli())
	if err != nil {
		return fmt.Errorf("adding a mail: %w", err)
	}
	return nil
}

// NextMail implements mail.Store.
func (d *DB) NextMail(ctx context.Context) (time.Time, error) {
	var due sql.NullInt64
	if err := d.Reader.QueryRowContext(ctx, `SELECT MIN(due_at) FROM mails WHERE due_at IS NOT NULL`).Scan(&due); err != nil {
		return time.Time{}, fmt.Errorf("asking when the next mail is due: %w", err)
	}
	return database.OrZero(due), nil
}

// ClaimMails implements mail.Store.
func (d *DB) ClaimMails(ctx context.Context, now, lease time.Time, limit int) ([]mail.Stored, error) {
	// PostgreSQL finds out only when it has the lock of a row that another process
	// claimed it meanwhile, and checks the outer condition again, not the inner.
	rows, err := d.Writer.QueryContext(ctx,
		`UPDATE mails SET due_at = $1, holder = $2, tries = tries + 1
		 WHERE due_at <= $3 AND id IN (SELECT id FROM mails WHERE due_at <= $3 ORDER BY due_at LIMIT $4)
		 RETURNING id, content, tries`,
		lease.UnixMilli(), d.Holder, now.UnixMilli(), limit)
	if err != nil {
		return nil, fmt.Errorf("claiming mails: %w", err)
	}
	defer rows.Close()
	var claimed []mail.Stored
	for rows.Next() {
		m := mail.Stored{Lease: time.UnixMilli(lease.UnixMilli())}
		var content string
		if err := rows.Scan(&m.ID, &content, &m.Tries); err != nil {
			return nil, fmt.Errorf("claiming mails: %w", err)
		}
		if m.Content, err = base64.StdEncoding.DecodeString(content); err != nil {
			m.Content = nil // it will not open, and be given up in its time
		}
		claimed = append(claimed, m)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, fmt.Errorf("claiming mails: %w", err)
	}
	return claimed, nil
}

// SettleMail implements mail.Store.
func (d *DB) SettleMail(ctx context.Context, m mail.Stored, due, now time.Time) error {
	var err error
	if due.IsZero() {
		_, err = d.Writer.ExecContext(ctx,
			`UPDATE mails SET content = NULL, due_at = NULL, holder = NULL, finished_at = $1 WHERE id = $2 AND due_at = $3`,
			now.UnixMilli(), m.ID, m.Lease.UnixMilli())
	} else {
		_, err = d.Writer.ExecContext(ctx,
			`UPDATE mails SET tries = $1, due_at = $2, holder = NULL WHERE id = $3 AND due_at = $4`,
			m.Tries, due.UnixMilli(), m.ID, m.Lease.UnixMilli())
	}
	if err != nil {
		return fmt.Errorf("settling mail %s: %w", m.ID, err)
	}
	return nil
}

// ForgetMail implements mail.Store: what remains of mails is deleted 30 days after
// they were sent or given up, inquiries after 13 months, and where they came from
// after an hour.
func (d *DB) ForgetMail(ctx context.Context, now time.Time) error {
	for _, step := range []struct {
		statement string
		before    time.Time
	}{
		{`DELETE FROM mails WHERE finished_at < $1`, now.Add(-keepMails)},
		{`DELETE FROM inquiries WHERE received_at < $1`, now.AddDate(0, -keepInquiriesMonths, 0)},
		{`UPDATE inquiries SET network = NULL, site = NULL WHERE network IS NOT NULL AND received_at < $1`, now.Add(-inquiryWindow)},
	} {
		if _, err := d.Writer.ExecContext(ctx, step.statement, step.before.UnixMilli()); err != nil {
			return fmt.Errorf("deleting what is old: %w", err)
		}
	}
	return nil
}

var _ mail.Store = (*DB)(nil)
