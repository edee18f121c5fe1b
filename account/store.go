package account

import (
	"context"
	"errors"
	"time"
)

// Account owns keys and pays for calls.
type Account struct {
	ID string
	// Plan is the code of its plan.
	Plan string
	// CreatedAt is the opening time, to the millisecond.
	CreatedAt time.Time
	// ClosedAt is the closing time, to the millisecond. It is zero while the account is open.
	ClosedAt time.Time
	// OwnedSince is the time, to the millisecond, at which its user verified an address with which somebody else may
	// have opened the account: what was created in the account until then is deleted. It is zero if there was no such
	// verification.
	OwnedSince time.Time
}

var (
	// ErrStoreDown: the store did not answer.
	ErrStoreDown = errors.New("the account store is unavailable")
	// ErrNoAccount: there is no account with that id, or it is closed.
	ErrNoAccount = errors.New("there is no such account")
)

// Store is the part of a store that Directory needs. Its methods are safe for concurrent use.
type Store interface {
	// KeyByHash finds a key by the hash of its secret, as Directory.Hash computes it, even an expired one. It returns
	// ErrUnknownKey if there is none or it is revoked.
	KeyByHash(ctx context.Context, hash []byte) (Key, error)
	// CreateKey adds a key with a new id to an account, with the hash of its secret. It returns ErrTooManyKeys if the
	// account has MaxKeys keys, ErrNoAccount if the account does not exist or is closed, and ErrUnknownKey if the
	// Parent is not one of its active keys.
	CreateKey(ctx context.Context, k Key, hash []byte) error
	// ListKeys returns the account's active keys, the oldest first.
	ListKeys(ctx context.Context, account string) ([]Key, error)
	// RevokeKey revokes one of the account's keys and its descendants, except the key by and its descendants. By is the
	// id of the caller's key, or empty. It returns ErrUnknownKey if the account has no such active key.
	RevokeKey(ctx context.Context, account, id, by string) error
	// TouchKeys records the last uses of keys by id.
	TouchKeys(ctx context.Context, used map[string]time.Time) error
}
