package receipt

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/api"
)

// Store keeps receipts and the keys that sign them. Several processes may use it at the same time. What it has stored
// survives a crash and a power cut.
type Store interface {
	// AddReceipt stores a receipt, unless there is one with its id.
	AddReceipt(ctx context.Context, r Stored) error
	// Receipt returns a receipt; ErrNone when there is none with the id.
	Receipt(ctx context.Context, id api.ReceiptID) (Stored, error)
	// DeleteReceipts deletes the receipts that were issued before a time.
	DeleteReceipts(ctx context.Context, before time.Time) error

	// Keys returns all keys, the oldest first.
	Keys(ctx context.Context) ([]StoredKey, error)
	// AddKey stores a key; the error is ErrRotated when there is one with its number.
	AddKey(ctx context.Context, k StoredKey) error
	// ForgetPrivateKeys erases the private halves of the keys below a number.
	ForgetPrivateKeys(ctx context.Context, below int) error
}

// The errors of a Store.
var (
	ErrNone    = errors.New("there is no such receipt")
	ErrRotated = errors.New("another process has just made a new key")
)

// Stored is a receipt as it is stored. What it states is in the JWT.
type Stored struct {
	ID       api.ReceiptID
	IssuedAt time.Time // in whole seconds
	KeyID    string
	JWT      string
}

// StoredKey is a key as it is stored.
type StoredKey struct {
	// Number orders the keys, from 1.
	Number int
	// ID is the thumbprint of the public half.
	ID     string
	Public []byte
	// Private is the encrypted seed of the private half; empty once it has been erased.
	Private []byte
	Created time.Time
	// Signs is since when receipts are signed with it.
	Signs time.Time
}
