package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/netip"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
)

// The number of inquiries accepted within an hour: from one address (IPv6: one /64), from its IPv6 /48, and in total.
const (
	inquiryWindow     = time.Hour
	inquiriesFromOne  = 5
	inquiriesFromSite = 20
	inquiriesFromAll  = 100
)

// AddInquiry implements mail.Store. A row lock serialises concurrent inquiries, so that the limits hold.
func (d *DB) AddInquiry(ctx context.Context, q account.Inquiry, notice *mail.Entry) error {
	network, site := networksOf(q.Address)
	return d.Transact(ctx, func(tx *sql.Tx) error {
		if err := database.Exec(ctx, tx, `UPDATE inquiry_gate SET passed_at = $1 WHERE id = 1`,
			q.ReceivedAt.UnixMilli()); err != nil {
			return fmt.Errorf("counting inquiries: %w", err)
		}
		if err := admitInquiry(ctx, tx, network, site, q.ReceivedAt); err != nil {
			return err
		}

		err := database.Exec(ctx, tx,
			`INSERT INTO inquiries (id, name, email, message, network, site, received_at)
				VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			q.ID, q.Name, q.Email, q.Text, network, site, q.ReceivedAt.UnixMilli())
		if err != nil || notice == nil {
			return database.Wrap("adding inquiry "+q.ID, err)
		}

		return addMail(ctx, tx, *notice, q.ReceivedAt)
	})
}

// networksOf returns the network of an address and the IPv6 site that contains it; for IPv4 both are the same.
func networksOf(address netip.Addr) (network, site string) {
	own := metering.AddressBucket(address)
	if wider, ok := own.Site(); ok {
		return own.Network.String(), wider.Network.String()
	}
	return own.Network.String(), own.Network.String()
}

const inquiryColumns = `SELECT id, name, email, message AS text, received_at FROM inquiries `

// Inquiries lists at most limit inquiries, the newest first; with the ID of an inquiry, only older ones. Their Address
// is not stored.
func (d *DB) Inquiries(ctx context.Context, before string, limit int) ([]account.Inquiry, error) {
	return database.All[account.Inquiry](ctx, d.Reader, "listing inquiries",
		inquiryColumns+`WHERE $1 = '' OR (received_at, id) < (SELECT received_at, id FROM inquiries WHERE id = $1)
		ORDER BY received_at DESC, id DESC LIMIT $2`, before, limit)
}

// Inquiry finds an inquiry by ID. It returns account.ErrNoInquiry if there is none.
func (d *DB) Inquiry(ctx context.Context, id string) (account.Inquiry, error) {
	return database.One[account.Inquiry](ctx, d.Reader, "reading an inquiry", account.ErrNoInquiry,
		inquiryColumns+`WHERE id = $1`, id)
}

// admitInquiry refuses an inquiry above a limit. The next one is accepted once the oldest counted inquiry is an hour
// old.
func admitInquiry(ctx context.Context, tx *sql.Tx, network, site string, now time.Time) error {
	since := now.Add(-inquiryWindow).UnixMilli()
	for _, limit := range []struct {
		fromAll bool
		query   string
		args    []any
	}{
		{false, `SELECT received_at FROM inquiries WHERE received_at > $1 AND network = $2 ORDER BY received_at DESC
			LIMIT 1 OFFSET $3`,
			[]any{since, network, inquiriesFromOne - 1}},
		{false, `SELECT received_at FROM inquiries WHERE received_at > $1 AND site = $2 ORDER BY received_at DESC
			LIMIT 1 OFFSET $3`,
			[]any{since, site, inquiriesFromSite - 1}},
		{true, `SELECT received_at FROM inquiries WHERE received_at > $1 ORDER BY received_at DESC LIMIT 1 OFFSET $2`,
			[]any{since, inquiriesFromAll - 1}},
	} {
		oldest, err := database.One[time.Time](ctx, tx, "counting inquiries", nil, limit.query, limit.args...)
		if err != nil {
			return err
		}
		if !oldest.IsZero() {
			return &account.TooManyInquiries{RetryAfter: oldest.Add(inquiryWindow).Sub(now), FromAll: limit.fromAll}
		}
	}

	return nil
}
