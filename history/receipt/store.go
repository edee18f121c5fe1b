package receipt

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/api/proof"
)

// Store keeps receipts and the keys that sign them. Several processes may use it at the same time. Stored data survives
// a crash and a power cut.
type Store interface {
	// AddReceipt stores a receipt, unless one with its id exists.
	AddReceipt(ctx context.Context, r Receipt) error
	// Receipt returns a receipt. It returns ErrNone if there is none with the id.
	Receipt(ctx context.Context, id proof.ReceiptID) (Receipt, error)
	// DeleteReceipts deletes the receipts issued before a time.
	DeleteReceipts(ctx context.Context, before time.Time) error

	// Keys returns all keys, the oldest first.
	Keys(ctx context.Context) ([]StoredKey, error)
	// AddKey stores a key. It returns ErrRotated if a key with its number exists.
	AddKey(ctx context.Context, k StoredKey) error
	// ForgetPrivateKeys erases the private parts of the keys below a number.
	ForgetPrivateKeys(ctx context.Context, below int) error
}

// The errors of a Store.
var (
	ErrNone    = errors.New("there is no such receipt")
	ErrRotated = errors.New("another process has just made a new key")
)

// Receipt is a stored receipt. The JWT contains the statement.
type Receipt struct {
	ID       proof.ReceiptID
	IssuedAt time.Time // in whole seconds
	KeyID    string
	JWT      string
}

// StoredKey is a stored key.
type StoredKey struct {
	// Number orders the keys, from 1.
	Number int
	// ID is the thumbprint of the public key.
	ID     string
	Public []byte
	// Private is the encrypted seed of the private key. It is empty once it has been erased.
	Private []byte
	Created time.Time
	// Signs is the time from which it signs receipts.
	Signs time.Time
}
