package account

import (
	"context"
	"time"
)

// Account is who owns keys and pays for calls.
type Account struct {
	ID string
	// Plan is the code of its plan.
	Plan string
	// CreatedAt is when it was opened, to the millisecond.
	CreatedAt time.Time
	// ClosedAt is when it was closed, to the millisecond; zero while it is open.
	ClosedAt time.Time
}

// Store is what a Directory asks of the place where accounts and keys are kept.
// Its methods may be called concurrently.
type Store interface {
	// KeyByHash finds the key whose secret has this hash, as Directory.Hash
	// computes it; ErrUnknownKey when there is none or it is revoked. An expired
	// key is found.
	KeyByHash(ctx context.Context, hash []byte) (Key, error)
	// CreateKey adds a key to an account, with the hash of its secret; its id is
	// new. ErrTooManyKeys when the account has MaxKeys already, ErrNoAccount when
	// it does not exist or is closed, ErrUnknownKey when the Parent is none of its
	// keys or revoked.
	CreateKey(ctx context.Context, k Key, hash []byte) error
	// ListKeys are the account's keys that are not revoked, the oldest first.
	ListKeys(ctx context.Context, account string) ([]Key, error)
	// RevokeKey ends the validity of one of the account's keys for good, and of
	// those that were made with it, except the key of id by and those made with
	// that; by is the key that the caller used, empty for none. ErrUnknownKey when
	// the account has no such key or it is revoked already.
	RevokeKey(ctx context.Context, account, id, by string) error
	// TouchKeys notes when keys, by their ids, were last used.
	TouchKeys(ctx context.Context, used map[string]time.Time) error
	// Ping says whether the store can be asked at all.
	Ping(ctx context.Context) error
	// Close ends the use of the store; calls after it fail.
	Close() error
}
