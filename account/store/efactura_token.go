package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"time"

	"github.com/rodata/rodata/account/invoice/efactura"
)

// Token implements efactura.Shelf.
func (d *DB) Token(ctx context.Context, name string) ([]byte, error) {
	// By the writer: what is read is to be the last one.
	content, err := scanToken(d.writer.QueryRowContext(ctx, `SELECT content FROM efactura_tokens WHERE name = $1`, name))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return content, doing("reading a token", err)
}

// HoldToken implements efactura.Shelf.
func (d *DB) HoldToken(ctx context.Context, name string, now, until time.Time) ([]byte, error) {
	content, err := scanToken(d.writer.QueryRowContext(ctx,
		`INSERT INTO efactura_tokens (name, content, held_until) VALUES ($1, '', $2)
		 ON CONFLICT (name) DO UPDATE SET held_until = excluded.held_until WHERE efactura_tokens.held_until <= $3
		 RETURNING content`, name, until.UnixMilli(), now.UnixMilli()))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, efactura.ErrRenewing
	}
	return content, doing("holding a token", err)
}

// KeepToken implements efactura.Shelf.
func (d *DB) KeepToken(ctx context.Context, name string, was, is []byte) error {
	err := changeOne(ctx, d.writer, efactura.ErrRenewing, `UPDATE efactura_tokens SET content = $1, held_until = 0 WHERE name = $2 AND content = $3`,
		base64.StdEncoding.EncodeToString(is), name, base64.StdEncoding.EncodeToString(was))
	return doing("keeping a token", err)
}

// ReleaseToken implements efactura.Shelf.
func (d *DB) ReleaseToken(ctx context.Context, name string, until time.Time) error {
	_, err := d.writer.ExecContext(ctx, `UPDATE efactura_tokens SET held_until = 0 WHERE name = $1 AND held_until = $2`, name, until.UnixMilli())
	return doing("letting go of a token", err)
}

func scanToken(r row) ([]byte, error) {
	var content string
	if err := r.Scan(&content); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(content)
}

var _ efactura.Shelf = (*DB)(nil)
