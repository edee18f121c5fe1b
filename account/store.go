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
}

// Store is what a Directory asks of the place where accounts and keys are kept.
// Its methods may be called concurrently.
type Store interface {
	// KeyByHash finds the key whose secret has this hash, as Directory.Hash
	// computes it; ErrUnknownKey when there is none or it is revoked. An expired
	// key is found.
	KeyByHash(ctx context.Context, hash []byte) (Key, error)
	// RevokeKey ends the validity of one of the account's keys for good;
	// ErrUnknownKey when the account has no such key or it is revoked already.
	RevokeKey(ctx context.Context, account, id string) error
	// Ping says whether the store can be asked at all.
	Ping(ctx context.Context) error
	// Close ends the use of the store; calls after it fail.
	Close() error
}
