package profile

import (
	"context"

	"github.com/rodata/rodata/ro"
)

// Look queries the tax authority about a company in the background, even if the stored record is fresh. It calls done
// once with the error or nil; an unknown number is not an error. If keep is set, the record is stored for callers.
// Otherwise it only replaces an older one.
func (r *Register) Look(ctx context.Context, cui ro.CUI, keep bool, done func(error)) {
	r.today.Renew(ctx, cui, keep, done)
}

// Fresh reports whether a company can be answered without querying the tax authority.
func (r *Register) Fresh(ctx context.Context, asked ro.CompanyDay) bool {
	_, stale, ok, _ := r.storedAnswer(ctx, asked)
	return ok && !stale
}
