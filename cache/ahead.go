package cache

import (
	"context"
	"time"
)

const (
	// popular is the number of reads within Kind.Ahead that make an entry worth refreshing before it expires.
	popular = 2
	// maxAhead bounds the entries being refreshed ahead: one batch of the tax authority.
	maxAhead = 100
)

// refreshAhead counts a read of an entry that is about to expire. After enough reads it refreshes the entry in the
// background, unless that was just attempted or too many entries are being refreshed ahead.
func (f *Facts[K, V]) refreshAhead(ctx context.Context, hash uint64, key K, stored *entry, now time.Time) {
	if stored.reads.Add(1) < popular || !stored.tryRefresh(now) {
		return
	}

	renewing := &f.cache.renewing
	if renewing.Add(1) > maxAhead {
		renewing.Add(-1)
		return
	}

	f.fetchInBackground(ctx, Ahead, key, f.fetcherAfter(hash, key, stored.retrievedAt),
		func(error) { renewing.Add(-1) })
}
