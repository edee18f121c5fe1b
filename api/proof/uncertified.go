package proof

import (
	"context"

	"github.com/rodata/rodata/op"
)

// Uncertified is the renderer of an answer without a receipt, because the receipt could not be stored.
type Uncertified struct{ Err error }

// Render implements Renderer.
func (u Uncertified) Render(context.Context, string, string) (*op.Document, error) { return nil, u.Err }
