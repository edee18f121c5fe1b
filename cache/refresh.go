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

// try reports whether to refresh the record behind the callers' backs: not when
// that was tried a moment ago. The caller is the only one then who does.
func (r *record) try(now time.Time) bool {
	last := r.tried.Load()
	since := time.Duration(now.UnixNano() - last)
	return (since < 0 || since >= refreshPause) && r.tried.CompareAndSwap(last, now.UnixNano())
}

// get waits for the fetch of a key, as ask does, for as long as the kind allows.
func (f *Facts[K, V]) get(ctx context.Context, hash uint64, key K) (*record, *atomic.Uint64, error) {
	if f.kind.Wait == 0 {
		return f.ask(ctx, hash, key)
	}
	ctx, cancel := context.WithTimeout(ctx, f.kind.Wait)
	defer cancel()
	return f.ask(ctx, hash, key)
}

// ask waits for the fetch of a key, started or joined. The counter is that of
// callers who did the same.
func (f *Facts[K, V]) ask(ctx context.Context, hash uint64, key K) (*record, *atomic.Uint64, error) {
	for {
		fl, started := f.cache.flights.join(ctx, f.text(key), f.kind.Timeout, "", f.fetcher(hash, key))
		r, err := f.cache.flights.wait(ctx, fl)
		switch {
		case started:
			return r, &f.count.misses, err
		case !errors.Is(err, ErrPutOff): // it was dropped before this caller came
			return r, &f.count.collapsed, err
		}
	}
}

// refreshOr waits for a newer record as long as the kind's patience and the
// caller's ctx allow, and falls back to the stored one.
func (f *Facts[K, V]) refreshOr(ctx context.Context, hash uint64, key K, stored *record) (Found[V], error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.kind.Patience, ErrUnattended)
	defer cancel()
	newer, counter, err := f.ask(ctx, hash, key)
	if err != nil {
		return f.answer(stored, true, time.Now(), &f.count.stale)
	}
	return f.fetched(newer, time.Now(), counter)
}

// refresh fetches a key behind the caller's back, unless it was tried a moment
// ago or all refreshers are busy.
func (f *Facts[K, V]) refresh(ctx context.Context, hash uint64, key K, stored *record, now time.Time) {
	if !stored.try(now) {
		return
	}
	slots := f.cache.slots
	select {
	case slots <- struct{}{}:
	default:
		stored.tried.Store(0)
		f.cache.refreshesDropped.Add(1)
		return
	}
	f.behind(ctx, late, key, f.fetcher(hash, key), func() { <-slots })
}

// Prefetch fetches a key of which nothing is stored that may be served, behind the
// caller's back; Background is true for the fetch. It does nothing while many
// others are being fetched so.
func (f *Facts[K, V]) Prefetch(ctx context.Context, key K) {
	hash := f.hash(key)
	if f.kind.state(f.stored(hash, key), time.Now()) != absent {
		return
	}
	if f.cache.prefetching.Add(1) > maxPrefetches {
		f.cache.prefetching.Add(-1)
		f.cache.refreshesDropped.Add(1)
		return
	}
	f.behind(ctx, expected, key, f.fetcher(hash, key), func() { f.cache.prefetching.Add(-1) })
}

// behind starts a fetch that nobody waits for, unless one of the key is under way,
// and calls done in the end, in either case.
func (f *Facts[K, V]) behind(ctx context.Context, reason string, key K, fetch func(context.Context) (*record, error), done func()) {
	_, started := f.cache.flights.join(ctx, f.text(key), f.kind.Timeout, reason,
		func(ctx context.Context) (*record, error) {
			defer done()
			return fetch(ctx)
		})
	if !started {
		done()
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
	return f.fetcherOfNewer(hash, key, time.Time{})
}

// fetcherOfNewer is a fetcher for which a fresh record is not enough: it must have
// been retrieved after an instant.
func (f *Facts[K, V]) fetcherOfNewer(hash uint64, key K, than time.Time) func(context.Context) (*record, error) {
	enough := func(r *record) bool { return f.kind.state(r, time.Now()) == fresh && r.retrievedAt.After(than) }
	return func(ctx context.Context) (*record, error) {
		// A flight may have landed between the caller's look and this one's start.
		if r := f.stored(hash, key); enough(r) {
			return r, nil
		}
		if f.cache.shared != nil {
			r, release, err := f.turn(ctx, hash, key, enough)
			if r != nil || err != nil {
				return r, err
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
		if !Ahead(ctx) && !errors.Is(err, ErrPutOff) && !errors.Is(ctx.Err(), context.Canceled) {
			f.count.failures.Add(1)
		}
		return nil, err
	}
	f.kind.date(r, time.Now())
	return f.store(hash, r), nil
}
