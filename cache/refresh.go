package cache

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// refreshPause is the shortest time between two background refreshes of an
// entry: a registry that is down is not asked again at every call.
const refreshPause = 10 * time.Second

// background is the context key that marks fetches nobody waits for.
type background struct{}

// Background reports whether a fetch with this context refreshes an entry that
// is still being served: nobody waits for it, so a registry's client may let
// others go first.
func Background(ctx context.Context) bool {
	return ctx.Value(background{}) != nil
}

// ask is the fetch of a key, started or joined, and the counter of callers that
// did the same.
func (f *Facts[K, V]) ask(ctx context.Context, hash uint64, key K) (*flight, *atomic.Uint64) {
	fl, started := f.cache.flights.join(ctx, f.text(key), f.kind.Timeout, f.fetcher(hash, key))
	if started {
		return fl, &f.count.misses
	}
	return fl, &f.count.collapsed
}

// refreshOr waits for a newer record as long as the kind's patience and the
// caller's ctx allow, and falls back to the stored one.
func (f *Facts[K, V]) refreshOr(ctx context.Context, hash uint64, key K, stored *record) (Found[V], error) {
	fl, counter := f.ask(ctx, hash, key)
	ctx, cancel := context.WithTimeout(ctx, f.kind.Patience)
	defer cancel()
	newer, err := fl.wait(ctx)
	if err != nil {
		return f.answer(stored, true, time.Now(), &f.count.stale)
	}
	return f.fetched(newer, time.Now(), counter)
}

// refresh fetches a key behind the caller's back, unless it was tried a moment
// ago or all refreshers are busy.
func (f *Facts[K, V]) refresh(ctx context.Context, hash uint64, key K, stored *record, now time.Time) {
	last := stored.tried.Load()
	since := time.Duration(now.UnixNano() - last)
	if since >= 0 && since < refreshPause || !stored.tried.CompareAndSwap(last, now.UnixNano()) {
		return
	}
	slots := f.cache.slots
	select {
	case slots <- struct{}{}:
	default:
		stored.tried.Store(last)
		f.cache.refreshesDropped.Add(1)
		return
	}
	fetch := f.fetcher(hash, key)
	_, started := f.cache.flights.join(context.WithValue(ctx, background{}, true), stored.text, f.kind.Timeout,
		func(ctx context.Context) (*record, error) {
			defer func() { <-slots }()
			return fetch(ctx)
		})
	if !started {
		<-slots
		return
	}
	f.count.refreshes.Add(1)
}

// Prefetch fetches a key of which nothing is stored, behind the caller's back;
// Background is true for the fetch. It does nothing while many others are being
// fetched so.
func (f *Facts[K, V]) Prefetch(ctx context.Context, key K) {
	hash := f.hash(key)
	if f.stored(hash, key) != nil {
		return
	}
	if f.cache.prefetching.Add(1) > maxPrefetches {
		f.cache.prefetching.Add(-1)
		f.cache.refreshesDropped.Add(1)
		return
	}
	fetch := f.fetcher(hash, key)
	_, started := f.cache.flights.join(context.WithValue(ctx, background{}, true), f.text(key), f.kind.Timeout,
		func(ctx context.Context) (*record, error) {
			defer f.cache.prefetching.Add(-1)
			return fetch(ctx)
		})
	if !started {
		f.cache.prefetching.Add(-1)
		return
	}
	f.count.refreshes.Add(1)
}

// maxPrefetches is how many keys are prefetched at once: two batches of the tax
// authority's, which are all that it takes in the time that a page is looked at.
const maxPrefetches = 200

// fetcher is what a flight does: it asks the registry and stores the answer, unless
// another flight or another process has done so.
func (f *Facts[K, V]) fetcher(hash uint64, key K) func(context.Context) (*record, error) {
	return func(ctx context.Context) (*record, error) {
		// A flight may have landed between the caller's look and this one's start.
		if r := f.stored(hash, key); f.kind.state(r, time.Now()) == fresh {
			return r, nil
		}
		if f.cache.shared != nil {
			r, release := f.turn(ctx, hash, key)
			if r != nil {
				return r, nil
			}
			defer release()
		}
		return f.renew(ctx, hash, key)
	}
}

// renew asks the registry and stores the answer.
func (f *Facts[K, V]) renew(ctx context.Context, hash uint64, key K) (*record, error) {
	r := f.record(key)
	value, err := f.fetch(ctx, key)
	switch {
	case err == nil:
		r.value = value
	case f.kind.ErrUnknown != nil && errors.Is(err, f.kind.ErrUnknown):
		r.unknown = true
	default:
		f.count.failures.Add(1)
		return nil, err
	}
	f.kind.date(r, time.Now())
	return f.store(hash, r), nil
}
