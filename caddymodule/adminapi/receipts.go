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
	// Signs is since when it signs, or from when on.
	Signs time.Time `json:"signsFrom"`
	// Erased reports that the private half is gone, so that the key only verifies.
	Erased bool `json:"erased"`
}

func newReceiptKey(k receipt.StoredKey) ReceiptKey {
	return ReceiptKey{ID: k.ID, Created: k.Created.UTC(), Signs: k.Signs.UTC(), Erased: len(k.Private) == 0}
}

func listReceiptKeys(g *Gateway, _ *http.Request) (any, error) {
	return each(g.Receipts.Keys(), newReceiptKey), nil
}

// rotateReceiptKeys makes the next key, and answers all of them.
func rotateReceiptKeys(g *Gateway, r *http.Request) (any, error) {
	keys, err := g.Receipts.Rotate(r.Context())
	return each(keys, newReceiptKey), err
}
