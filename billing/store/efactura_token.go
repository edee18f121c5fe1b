package store

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/internal/database"
)

// Token implements efactura.TokenRepository.
func (s *Store) Token(ctx context.Context, name string) ([]byte, error) {
	// Read over the writer's connection, to get the latest value.
	return decodeToken(database.One[string](ctx, s.db.Writer, "reading a token", nil,
		`SELECT content FROM efactura_tokens WHERE name = $1`, name))
}

// LockToken implements efactura.TokenRepository.
func (s *Store) LockToken(ctx context.Context, name string, now, until time.Time) ([]byte, error) {
	return decodeToken(database.One[string](ctx, s.db.Writer, "locking a token", efactura.ErrRenewing,
		`INSERT INTO efactura_tokens (name, content, held_until) VALUES ($1, '', $2)
		 ON CONFLICT (name) DO UPDATE SET held_until = excluded.held_until WHERE efactura_tokens.held_until <= $3
		 RETURNING content`, name, until.UnixMilli(), now.UnixMilli()))
}

// SaveToken implements efactura.TokenRepository.
func (s *Store) SaveToken(ctx context.Context, name string, before, after []byte) error {
	err := database.ChangeOne(ctx, s.db.Writer, efactura.ErrRenewing,
		`UPDATE efactura_tokens SET content = $1, held_until = 0 WHERE name = $2 AND content = $3`,
		base64.StdEncoding.EncodeToString(after), name, base64.StdEncoding.EncodeToString(before))
	return database.Wrap("saving a token", err)
}

// UnlockToken implements efactura.TokenRepository.
func (s *Store) UnlockToken(ctx context.Context, name string, until time.Time) error {
	err := database.Exec(ctx, s.db.Writer,
		`UPDATE efactura_tokens SET held_until = 0 WHERE name = $1 AND held_until = $2`, name, until.UnixMilli())
	return database.Wrap("unlocking a token", err)
}

func decodeToken(content string, err error) ([]byte, error) {
	if err != nil || content == "" {
		return nil, err
	}

	token, err := base64.StdEncoding.DecodeString(content)
	return token, database.Wrap("reading a token", err)
}
