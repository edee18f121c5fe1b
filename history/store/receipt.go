package store

import (
	"context"
	"time"

	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/history/receipt"
	"github.com/rodata/rodata/internal/database"
)

var _ receipt.Store = (*DB)(nil)

// AddReceipt implements receipt.Store.
func (d *DB) AddReceipt(ctx context.Context, r receipt.Receipt) error {
	return database.Exec(ctx, d.Writer,
		`INSERT INTO receipts (id, issued_at, key_id, jwt) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`,
		string(r.ID), r.IssuedAt.UnixMilli(), r.KeyID, r.JWT)
}

// Receipt implements receipt.Store.
func (d *DB) Receipt(ctx context.Context, id proof.ReceiptID) (receipt.Receipt, error) {
	return database.One[receipt.Receipt](ctx, d.Reader, "reading a receipt", receipt.ErrNone,
		`SELECT id, issued_at, key_id, jwt FROM receipts WHERE id = $1`, string(id))
}

// DeleteReceipts implements receipt.Store.
func (d *DB) DeleteReceipts(ctx context.Context, before time.Time) error {
	return d.DeleteMany(ctx, "deleting receipts", `DELETE FROM receipts WHERE id IN (SELECT id FROM receipts
		WHERE issued_at < $1 ORDER BY issued_at LIMIT $2)`, before.UnixMilli())
}

// Keys implements receipt.Store. The writer reads them, to get the latest state.
func (d *DB) Keys(ctx context.Context) ([]receipt.StoredKey, error) {
	return database.All[receipt.StoredKey](ctx, d.Writer, "reading the keys of receipts",
		`SELECT number, id, public_key AS public, private_key AS private, created_at AS created,
		 signs_from AS signs FROM receipt_keys ORDER BY number`)
}

// AddKey implements receipt.Store.
func (d *DB) AddKey(ctx context.Context, k receipt.StoredKey) error {
	return database.ChangeOne(ctx, d.Writer, receipt.ErrRotated,
		`INSERT INTO receipt_keys (number, id, public_key, private_key, created_at, signs_from)
		 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		k.Number, k.ID, k.Public, k.Private, k.Created.UnixMilli(), k.Signs.UnixMilli())
}

// ForgetPrivateKeys implements receipt.Store.
func (d *DB) ForgetPrivateKeys(ctx context.Context, below int) error {
	return database.Exec(ctx, d.Writer,
		`UPDATE receipt_keys SET private_key = $1 WHERE number < $2 AND length(private_key) > 0`, []byte{}, below)
}
