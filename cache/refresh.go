package cache

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// refreshPause is the minimum time between two background refreshes of an entry, so that a failing registry is not
// queried on every call.
const refreshPause = 10 * time.Second

// tryRefresh reports whether the caller should refresh the entry in the background: false if that was attempted within
// refreshPause. Of concurrent callers, only one gets true.
func (e *entry) tryRefresh(now time.Time) bool {
	last := e.tried.Load()
	since := time.Duration(now.UnixNano() - last)
	return (since < 0 || since >= refreshPause) && e.tried.CompareAndSwap(last, now.UnixNano())
}

// get fetches a key like await, bounded by the kind's Wait.
func (f *Facts[K, V]) get(ctx context.Context, hash uint64, key K) (*entry, *atomic.Uint64, error) {
	if f.kind.Wait == 0 {
		return f.await(ctx, hash, key)
	}

	ctx, cancel := context.WithTimeout(ctx, f.kind.Wait)
	defer cancel()
	return f.await(ctx, hash, key)
}

// await starts or joins the flight of a key and waits for it. It also returns the counter that the call belongs to.
func (f *Facts[K, V]) await(ctx context.Context, hash uint64, key K) (*entry, *atomic.Uint64, error) {
	for {
		fl, started := f.cache.flights.join(ctx, f.name(key), f.kind.Timeout, Interactive, f.fetcher(hash, key))
		e, err := f.cache.flights.wait(ctx, fl)
		switch {
		case started:
			return e, &f.count.misses, err
		case !errors.Is(err, ErrPutOff): // otherwise it was dropped before this caller joined
			return e, &f.count.collapsed, err
		}
	}
}

// refreshOr waits for a newer entry as long as the kind's Patience and the caller's ctx allow, and falls back to the
// stored one.
func (f *Facts[K, V]) refreshOr(ctx context.Context, hash uint64, key K, stored *entry) (Found[V], error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.kind.Patience, ErrUnattended)
	defer cancel()
	newer, counter, err := f.await(ctx, hash, key)
	if err != nil {
		found, _ := f.answer(stored, true, time.Now(), &f.count.stale)
		found.Failure = err
		return found, nil
	}

	return f.fetched(newer, time.Now(), counter)
}

// refresh fetches a key in the background, unless that was just attempted or all refreshers are busy.
func (f *Facts[K, V]) refresh(ctx context.Context, hash uint64, key K, stored *entry, now time.Time) {
	if stored.tryRefresh(now) && !f.fetchWithin(ctx, f.cache.refreshing, Background, key, f.fetcher(hash, key)) {
		stored.tried.Store(0)
		f.cache.refreshesDropped.Add(1)
	}
}

// Prefetch fetches a key in the [Background] if no servable entry is stored. It does nothing if too many prefetches are
// running.
func (f *Facts[K, V]) Prefetch(ctx context.Context, key K) {
	hash, slots := f.hash(key), f.cache.prefetching
	full := len(slots) == cap(slots) // checked first, because the file is slow
	if !full && f.kind.state(f.stored(hash, key), time.Now()) != absent {
		return
	}
	if full || !f.fetchWithin(ctx, slots, Background, key, f.fetcher(hash, key)) {
		f.cache.refreshesDropped.Add(1)
	}
}

// Warm fetches a key in the [Background], unless it is fresh, being fetched, or was just attempted. It calls done once
// with the outcome: before it returns, or when the fetch has ended.
func (f *Facts[K, V]) Warm(ctx context.Context, key K, done func(error)) {
	hash, now := f.hash(key), time.Now()
	e := f.stored(hash, key)
	if s := f.kind.state(e, now); s == fresh || s != absent && !e.tryRefresh(now) {
		done(nil)
		return
	}

	f.fetchInBackground(ctx, Background, key, f.fetcher(hash, key), done)
}

// fetchInBackground starts a flight without a waiting caller, unless the key has one. It calls done when the fetch has
// ended, just before the flight does, or at once if no flight was started.
func (f *Facts[K, V]) fetchInBackground(ctx context.Context, u Urgency, key K, fetch work, done func(error)) {
	_, started := f.cache.flights.join(ctx, f.name(key), f.kind.Timeout, u,
		func(ctx context.Context, d Demand) (e *entry, err error) {
			defer func() { done(err) }()
			return fetch(ctx, d)
		})
	if !started {
		done(nil)
		return
	}

	f.count.refreshes.Add(1)
}

// fetchWithin fetches a key in the background in one of a number of slots. It reports false if none is free.
func (f *Facts[K, V]) fetchWithin(ctx context.Context, slots chan struct{}, u Urgency, key K, fetch work) bool {
	select {
	case slots <- struct{}{}:
		f.fetchInBackground(ctx, u, key, fetch, func(error) { <-slots })
		return true
	default:
		return false
	}
}

// maxPrefetches bounds the keys being prefetched: two batches of the tax authority, which does not handle more while a
// person looks at a page.
const maxPrefetches = 200

// fetcher returns the work of a flight: query the registry and store the answer, unless another flight or process has
// done so.
func (f *Facts[K, V]) fetcher(hash uint64, key K) work {
	return f.fetcherAfter(hash, key, time.Time{})
}

// fetcherAfter is like fetcher, but uses a stored entry only if it is fresh and was retrieved after the given time.
func (f *Facts[K, V]) fetcherAfter(hash uint64, key K, after time.Time) work {
	enough := func(e *entry) bool { return f.kind.state(e, time.Now()) == fresh && e.retrievedAt.After(after) }
	return func(ctx context.Context, d Demand) (*entry, error) {
		// Another flight may have ended between the caller's lookup and this start.
		if e := f.stored(hash, key); enough(e) {
			return e, nil
		}

		if f.cache.shared != nil {
			e, release, err := f.claim(ctx, d, hash, key, enough)
			if e != nil || err != nil {
				return e, err
			}
			defer release()
		}

		return f.renew(ctx, d, hash, key)
	}
}

// renew queries the registry and stores its answer.
func (f *Facts[K, V]) renew(ctx context.Context, d Demand, hash uint64, key K) (*entry, error) {
	e, err := f.load(ctx, d, key)
	if err != nil {
		return nil, err
	}
	return f.store(hash, e), nil
}

// load queries the registry.
func (f *Facts[K, V]) load(ctx context.Context, d Demand, key K) (*entry, error) {
	e := f.newEntry(key)
	value, err := f.fetch(ctx, key, d)
	switch {
	case err == nil:
		e.value = value
	case f.kind.ErrUnknown != nil && errors.Is(err, f.kind.ErrUnknown):
		e.unknown = true
	default:
		if d.Urgency() != Ahead && !errors.Is(err, ErrPutOff) && !errors.Is(ctx.Err(), context.Canceled) {
			f.count.failures.Add(1)
		}
		return nil, err
	}

	f.kind.date(e, time.Now())
	return e, nil
}

const (
	// popular is the number of reads within Kind.Ahead that make an entry worth refreshing before it expires.
	popular = 2
	// maxAhead bounds the entries being refreshed ahead: one batch of the tax authority.
	maxAhead = 100
)

// refreshAhead counts a read of an entry that is about to expire. After enough reads it refreshes the entry in the
// background, unless that was just attempted or too many entries are being refreshed ahead.
func (f *Facts[K, V]) refreshAhead(ctx context.Context, hash uint64, key K, stored *entry, now time.Time) {
	if stored.reads.Add(1) >= popular && stored.tryRefresh(now) {
		f.fetchWithin(ctx, f.cache.renewing, Ahead, key, f.fetcherAfter(hash, key, stored.retrievedAt))
	}
}

// Renew fetches a key in the [Background] even if the stored entry is fresh, unless it is being fetched, and calls done
// once, with the outcome. Without keep, the answer is stored only if the local levels already have an entry of the key,
// or a caller started waiting for it: so checks of millions of unrequested keys displace nothing, and the file does not
// grow.
func (f *Facts[K, V]) Renew(ctx context.Context, key K, keep bool, done func(error)) {
	hash := f.hash(key)
	f.fetchInBackground(ctx, Background, key, func(ctx context.Context, d Demand) (*entry, error) {
		if keep || f.has(hash, key) {
			return f.renew(ctx, d, hash, key)
		}

		e, err := f.load(ctx, d, key)
		if err == nil && d.Urgency() == Interactive {
			e = f.store(hash, e)
		}

		return e, err
	}, done)
}

// has reports whether a local level has an entry of a key, without reading it.
func (f *Facts[K, V]) has(hash uint64, key K) bool {
	c, name := f.cache, f.name(key)
	switch {
	case c.disk == nil:
		return f.memoryEntry(hash, key) != nil
	case c.queue.get(name).entry != nil:
		return true
	}

	return c.disk.has(name)
}
