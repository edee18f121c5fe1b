package adminapi

import (
	"net/http"
	"time"

	"github.com/rodata/rodata/history/receipt"
)

// ReceiptKey is a key that signs receipts, without its private half.
type ReceiptKey struct {
	ID      string    `json:"id"`
	Created time.Time `json:"createdAt"`
	// Signs is the time from which the key signs receipts.
	Signs time.Time `json:"signsFrom"`
	// Erased reports that the private key has been erased, so that the key only verifies.
	Erased bool `json:"erased"`
}

func newReceiptKey(k receipt.StoredKey) ReceiptKey {
	return ReceiptKey{ID: k.ID, Created: k.Created.UTC(), Signs: k.Signs.UTC(), Erased: len(k.Private) == 0}
}

func listReceiptKeys(g gateway, _ *http.Request) (any, error) {
	return convertAll(g.Receipts.Keys(), newReceiptKey), nil
}

// rotateReceiptKeys creates the next key, and returns all keys.
func rotateReceiptKeys(g gateway, r *http.Request) (any, error) {
	keys, err := g.Receipts.Rotate(r.Context())
	return convertAll(keys, newReceiptKey), err
}
