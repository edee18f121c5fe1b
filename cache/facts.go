package cache

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"sync/atomic"
	"time"
)

// Facts is a fact with the cache in front of it.
type Facts[K comparable, V any] struct {
	cache *Cache
	kind  Kind
	fetch Loader[K, V]
	count *counters
	salt  uint64 // separates the hashes of kinds
}

// Through puts a cache in front of a loader. Values must survive a round trip through JSON, and fmt.Sprint must be
// injective on keys. Facts of the same kind share entries, flights and counters, so a new configuration may call
// Through again on the same cache. It panics if the kind has no name, or one with a colon.
func Through[K comparable, V any](c *Cache, kind Kind, fetch Loader[K, V]) *Facts[K, V] {
	if kind.Name == "" || strings.Contains(kind.Name, ":") {
		panic(fmt.Sprintf("cache: kind %q: want a name without a colon", kind.Name))
	}
	return &Facts[K, V]{
		cache: c, kind: kind.withDefaults(), fetch: fetch, count: c.counters(kind.Name),
		salt: maphash.String(c.seed, kind.Name),
	}
}

// Get returns the value of a key: a stored one as long as its [Kind] allows, otherwise the registry's. Callers who wait
// for the same key share one fetch, which may outlive them: when all of their contexts have ended it is abandoned
// ([Demand.Abandoned]), unless one ended with [ErrUnattended]. The error is the fetch's, the kind's ErrUnknown, or
// ctx's. A stored value that may be served stale takes precedence over an error.
func (f *Facts[K, V]) Get(ctx context.Context, key K) (Found[V], error) {
	now := time.Now()
	hash := f.hash(key)
	e, counter := f.local(hash, key)
	if f.cache.shared != nil && f.kind.state(e, now) == absent {
		if s := f.fromShared(ctx, hash, key); s != nil {
			e, counter = s, &f.count.shared
		}
	}

	switch s := f.kind.state(e, now); s {
	case fresh, revalidate:
		return f.serve(ctx, hash, key, e, s, now, counter)
	case fallback:
		return f.refreshOr(ctx, hash, key, e)
	}

	newer, counter, err := f.get(ctx, hash, key)
	if err != nil {
		counter.Add(1)
		return Found[V]{}, err
	}

	return f.fetched(newer, now, counter)
}

// Stored returns what Get would return immediately from the local levels: a fresh value, a remembered ErrUnknown, or a
// stale value that is served while it is refreshed. It reports false if Get would have to wait or look further.
func (f *Facts[K, V]) Stored(ctx context.Context, key K) (found Found[V], ok bool, err error) {
	now, hash := time.Now(), f.hash(key)
	e, counter := f.local(hash, key)
	s := f.kind.state(e, now)
	if s != fresh && s != revalidate {
		return found, false, nil
	}

	found, err = f.serve(ctx, hash, key, e, s, now, counter)
	return found, true, err
}

// local returns the entry of a key in the nearest local level, or nil, and the counter of that level.
func (f *Facts[K, V]) local(hash uint64, key K) (*entry, *atomic.Uint64) {
	if e := f.memoryEntry(hash, key); e != nil {
		return e, &f.count.fresh
	}
	return f.belowMemory(hash, key), &f.count.below
}

// serve answers with an entry that is fresh or may be revalidated, and refreshes it in the background if it is due.
func (f *Facts[K, V]) serve(ctx context.Context, hash uint64, key K, e *entry, s state, now time.Time,
	counter *atomic.Uint64) (Found[V], error) {
	switch {
	case s == revalidate:
		counter = &f.count.stale
		f.refresh(ctx, hash, key, e, now)
	case e.unknown:
		counter = &f.count.unknown
	case e.freshUntil.Sub(now) < f.kind.Ahead:
		f.refreshAhead(ctx, hash, key, e, now)
	}

	return f.answer(e, true, now, counter)
}

// Peek returns the stored value of a key, however old, without querying the registry. It reports false if there is
// none, including a remembered ErrUnknown.
func (f *Facts[K, V]) Peek(key K) (Found[V], bool) { return f.peek(f.stored(f.hash(key), key)) }

// PeekMemory is Peek restricted to memory, since a miss in the lower levels is much slower.
func (f *Facts[K, V]) PeekMemory(key K) (Found[V], bool) {
	return f.peek(f.memoryEntry(f.hash(key), key))
}

func (f *Facts[K, V]) peek(e *entry) (Found[V], bool) {
	now := time.Now()
	if e == nil || e.unknown || e.isSkewed(now) {
		return Found[V]{}, false
	}

	found, err := f.answer(e, true, now, &f.count.peeks)
	return found, err == nil
}

// Put stores a value that was retrieved at the given time, unless a newer one is stored.
func (f *Facts[K, V]) Put(key K, value V, retrievedAt time.Time) {
	hash := f.hash(key)
	e := f.newEntry(key)
	e.value = value
	f.kind.date(e, retrievedAt)
	f.store(hash, e)
}

// Delete removes a key from all levels. If it returns an error, some levels may still have the key. A flight in
// progress may store the key again. Other processes keep it in their local levels until they Drop it.
func (f *Facts[K, V]) Delete(ctx context.Context, key K) error {
	var err error
	if f.cache.shared != nil {
		err = f.cache.shared.Delete(ctx, sharedName(f.name(key)))
	}
	return errors.Join(err, f.Drop(key))
}

// Drop removes a key from the local levels.
func (f *Facts[K, V]) Drop(key K) error {
	return f.cache.forget(f.hash(key), f.name(key))
}

// fetched returns the answer for a caller who waited for a flight.
func (f *Facts[K, V]) fetched(e *entry, now time.Time, counter *atomic.Uint64) (Found[V], error) {
	if e.elsewhere {
		counter = &f.count.shared
	}
	return f.answer(e, e.elsewhere, now, counter)
}

// answer converts an entry into the caller's answer and counts the call.
func (f *Facts[K, V]) answer(e *entry, hit bool, now time.Time, counter *atomic.Uint64) (found Found[V], err error) {
	counter.Add(1)
	found.Value, _ = e.value.(V)
	found.Hit, found.Stale = hit, hit && !now.Before(e.freshUntil)
	found.RetrievedAt, found.FreshUntil = e.retrievedAt, e.freshUntil
	found.entry = e
	if e.unknown {
		err = f.kind.ErrUnknown
	}

	return found, err
}
