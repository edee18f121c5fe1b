package api

import (
	"context"

	"github.com/rodata/rodata/op"
)

// uncertified is the renderer of an answer without a receipt, because the receipt could not be stored.
type uncertified struct{ err error }

// Render implements Renderer.
func (u uncertified) Render(context.Context, string, string) (*op.Document, error) { return nil, u.err }
