package profile

import (
	"context"

	"github.com/rodata/rodata/ro"
)

// Look queries the tax authority about companies in the background, even if the stored records are fresh. It calls each
// with every outcome as it comes, and waits for all of them, or until ctx ends. If keep is set, the records are stored
// for callers. Otherwise they only replace older ones.
func (r *Register) Look(ctx context.Context, companies []ro.CUI, keep bool, each func(ro.CUI, error)) error {
	return fetchMany(ctx, companies, each, func(cui ro.CUI, done func(error)) {
		r.today.Renew(ctx, ro.CompanyDay{CUI: cui}, keep, done)
	})
}

// Warm queries the tax authority about companies in the background, with lower priority than callers, except those
// with a fresh record. It calls each with every outcome as it comes, and waits for all of them, or until ctx ends.
func (r *records) Warm(ctx context.Context, companies []ro.CompanyDay, each func(ro.CompanyDay, error)) error {
	return fetchMany(ctx, companies, each, func(c ro.CompanyDay, done func(error)) { r.warm(ctx, c, done) })
}

// fetchMany starts to fetch all keys, which share calls, and calls each with the outcomes as they come. Outcomes after
// the end of ctx are lost.
func fetchMany[K any](ctx context.Context, keys []K, each func(K, error), fetch func(key K, done func(error))) error {
	type outcome struct {
		key K
		err error
	}

	outcomes := make(chan outcome, len(keys))
	for _, key := range keys {
		fetch(key, func(err error) { outcomes <- outcome{key, err} })
	}

	for range keys {
		select {
		case o := <-outcomes:
			each(o.key, o.err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}

	return nil
}

// Fresh reports whether a company can be answered without querying the tax authority.
func (r *Register) Fresh(ctx context.Context, asked ro.CompanyDay) bool {
	_, stale, ok, _ := r.storedAnswer(ctx, r.query(asked))
	return ok && !stale
}
