package company

import (
	"context"

	"github.com/rodata/rodata/api"
)

// Fresh reports whether a company can be answered without asking the tax authority.
func (r *Register) Fresh(ctx context.Context, asked api.CompanyDay) bool {
	_, stale, ok, _ := r.stored(ctx, asked)
	return ok && !stale
}

// Warm asks the tax authority about a company in the background, with lower priority than callers, unless a fresh
// record is stored. It calls done once, with the error or nil. An unknown number is not an error.
func (r *Register) Warm(ctx context.Context, asked api.CompanyDay, done func(error)) {
	r.warm(ctx, asked, done)
}
