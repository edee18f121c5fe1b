package proof

import (
	"context"

	"github.com/rodata/rodata/op"
)

// Attach certifies the statement of an answer. It returns the id of the receipt and the renderer of its Forms. If there
// is no receipt, the id is nil, and the renderer says why; the answer is sent without one.
func Attach(ctx context.Context, receipts Receipts, statement func() (Statement, error)) (*ReceiptID, op.Renderer) {
	s, err := statement()
	if err != nil {
		return nil, Uncertified{Problem(ctx, err)}
	}

	id, renderer, err := receipts.Certify(ctx, s)
	if err != nil {
		return nil, Uncertified{Problem(ctx, err)}
	}

	return &id, renderer
}

// Uncertified is the renderer of an answer without a receipt.
type Uncertified struct{ Err error }

// Render implements Renderer.
func (u Uncertified) Render(context.Context, string, string) (*op.Document, error) { return nil, u.Err }
