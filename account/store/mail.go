package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
)

// Retention periods: IDs of mails, which prevent sending one twice, and inquiries, which are personal data.
const (
	keepMails           = 30 * 24 * time.Hour
	keepInquiriesMonths = 13
)

var mails = work.NewQueue("mails", "", "content")

// AddMail implements mail.Store.
func (d *DB) AddMail(ctx context.Context, m mail.Entry, now time.Time) error {
	return addMail(ctx, d.Writer, m, now)
}

func addMail(ctx context.Context, db database.Execer, m mail.Entry, now time.Time) error {
	return database.Wrap("adding a mail", database.Exec(ctx, db,
		`INSERT INTO mails (id, content, tries, due_at, created_at) VALUES ($1, $2, 0, $3, $4)
			ON CONFLICT (id) DO NOTHING`,
		m.ID, base64.StdEncoding.EncodeToString(m.Content), now.UnixMilli(), now.UnixMilli()))
}

// NextMail implements mail.Store.
func (d *DB) NextMail(ctx context.Context) (time.Time, error) { return mails.NextDue(ctx, d.DB) }

// ClaimMails implements mail.Store.
func (d *DB) ClaimMails(ctx context.Context, now, lease time.Time, limit int) ([]mail.Entry, error) {
	all, err := work.Claim[mail.Entry](ctx, d.DB, mails, now, lease, limit)
	for i := range all {
		// damaged content cannot be decrypted, and is eventually given up
		all[i].Content, _ = base64.StdEncoding.DecodeString(string(all[i].Content))
	}

	return all, err
}

// SettleMail implements mail.Store.
func (d *DB) SettleMail(ctx context.Context, m mail.Entry, due, now time.Time) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		if !due.IsZero() {
			return mails.Retry(ctx, tx, m.ID, m.Lease, due, m.Tries)
		}
		return cmp.Or(mails.Done(ctx, tx, m.ID, m.Lease), database.Exec(ctx, tx,
			`UPDATE mails SET content = NULL, finished_at = $1 WHERE id = $2`, now.UnixMilli(), m.ID))
	})
	if errors.Is(err, work.ErrLeaseLost) {
		return nil
	}

	return database.Wrap("settling mail "+m.ID, err)
}

// ForgetMail implements mail.Store: it deletes the IDs of mails 30 days after they were sent or given up, inquiries
// after 13 months, and the networks of their senders after an hour.
func (d *DB) ForgetMail(ctx context.Context, now time.Time) error {
	for _, step := range []struct {
		statement string
		before    time.Time
	}{
		{`DELETE FROM mails WHERE finished_at < $1`, now.Add(-keepMails)},
		{`DELETE FROM inquiries WHERE received_at < $1`, now.AddDate(0, -keepInquiriesMonths, 0)},
		{`UPDATE inquiries SET network = NULL, site = NULL WHERE network IS NOT NULL AND received_at < $1`,
			now.Add(-inquiryWindow)},
	} {
		if err := database.Exec(ctx, d.Writer, step.statement, step.before.UnixMilli()); err != nil {
			return fmt.Errorf("deleting what is old: %w", err)
		}
	}

	return nil
}

var _ mail.Store = (*DB)(nil)
