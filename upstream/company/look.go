package company

import (
	"context"

	"github.com/rodata/rodata/api"
)

// Look asks the tax authority about a company in the background, however fresh its record is, and calls done once, with
// the outcome; a number that is not known is none. With keep the record is kept for callers, otherwise only if an older
// one is kept already.
func (r *Register) Look(ctx context.Context, cui api.CUI, keep bool, done func(error)) {
	r.records.Renew(ctx, cui, keep, done)
}
