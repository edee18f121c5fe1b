package cache

import (
	"context"
	"time"
)

const (
	// popular is how many reads shortly before the end of an entry's freshness
	// make it worth renewing before somebody finds it stale.
	popular = 2
	// maxAhead is how many entries are renewed ahead at once: as many as the tax
	// authority takes in a call.
	maxAhead = 100
)

// Ahead reports whether a fetch with this context renews an entry that is still
// fresh, because it is popular. Background is true of it as well, but it must not
// cost others anything: a registry's client makes it when there is something to
// spare, and else fails it with [ErrPutOff].
func Ahead(ctx context.Context) bool {
	return reason(ctx) == early
}

// ahead counts a read of an entry that is about to become stale. When there are
// enough of them it fetches the entry again, behind the caller's back, unless that
// was tried a moment ago or many others are being renewed.
func (f *Facts[K, V]) ahead(ctx context.Context, hash uint64, key K, stored *record, now time.Time) {
	if stored.reads.Add(1) < popular || !stored.try(now) {
		return
	}
	renewing := &f.cache.renewing
	if renewing.Add(1) > maxAhead {
		renewing.Add(-1)
		return
	}
	f.behind(ctx, early, key, f.fetcherOfNewer(hash, key, stored.retrievedAt), func() { renewing.Add(-1) })
}
