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

// Facts are the answers of one registry to one sort of question, with the cache
// in front.
type Facts[K comparable, V any] struct {
	cache *Cache
	kind  Kind
	fetch func(context.Context, K) (V, error)
	count *counters
	salt  uint64 // tells the hashes of kinds apart
}

// Through puts a cache in front of a fact. Values must survive JSON unchanged,
// and fmt must print two keys differently if they are different. Facts of the
// same kind share entries, fetches under way and counters: a new configuration
// may call Through again on the same cache. A kind without a name, or with a
// colon in it, panics.
func Through[K comparable, V any](c *Cache, kind Kind, fetch func(context.Context, K) (V, error)) *Facts[K, V] {
	if kind.Name == "" || strings.Contains(kind.Name, ":") {
		panic(fmt.Sprintf("cache: kind %q: want a name without a colon", kind.Name))
	}
	return &Facts[K, V]{cache: c, kind: kind.withDefaults(), fetch: fetch, count: c.counters(kind.Name), salt: maphash.String(c.seed, kind.Name)}
}

// Get is the value of a key: the stored one while its [Kind] allows, else the
// registry's. Callers who wait for the same key share one fetch, which outlives
// them: when all of their contexts have ended it is told so ([Abandoned]), unless
// one ended with [ErrUnattended]. It fails with the fetch's error, with ErrUnknown
// of the kind, or with ctx's error; a stored value that may still be served as
// stale always comes before an error.
func (f *Facts[K, V]) Get(ctx context.Context, key K) (Found[V], error) {
	return f.GetAt(ctx, key, time.Now())
}

// GetAt is Get for a caller who has just read the clock, which is a good part of
// what a hit costs.
func (f *Facts[K, V]) GetAt(ctx context.Context, key K, now time.Time) (Found[V], error) {
	hash := f.hash(key)
	r, counter := f.inMemory(hash, key), &f.count.fresh
	if r == nil {
		r, counter = f.belowMemory(hash, key), &f.count.below
	}
	if f.cache.shared != nil && f.kind.state(r, now) == absent {
		if s := f.fromShared(ctx, hash, key); s != nil {
			r, counter = s, &f.count.shared
		}
	}
	switch f.kind.state(r, now) {
	case fresh:
		if r.unknown {
			counter = &f.count.unknown
		} else if r.freshUntil.Sub(now) < f.kind.Ahead {
			f.ahead(ctx, hash, key, r, now)
		}
		return f.answer(r, true, now, counter)
	case revalidate:
		f.refresh(ctx, hash, key, r, now)
		return f.answer(r, true, now, &f.count.stale)
	case fallback:
		return f.refreshOr(ctx, hash, key, r)
	}
	newer, counter, err := f.get(ctx, hash, key)
	if err != nil {
		counter.Add(1)
		return Found[V]{}, err
	}
	return f.fetched(newer, now, counter)
}

// Peek is what is stored for a key, however old, without asking the registry.
// It is false when nothing is stored, or that the registry does not know the key.
func (f *Facts[K, V]) Peek(key K) (Found[V], bool) {
	r, now := f.stored(f.hash(key), key), time.Now()
	if r == nil || r.unknown || r.premature(now) {
		return Found[V]{}, false
	}
	found, err := f.answer(r, true, now, &f.count.peeks)
	return found, err == nil
}

// Put stores a value that the registry gave at an instant, unless a newer one is
// stored already.
func (f *Facts[K, V]) Put(key K, value V, retrievedAt time.Time) {
	hash := f.hash(key)
	r := f.record(key)
	r.value = value
	f.kind.date(r, retrievedAt)
	f.store(hash, r)
}

// Delete takes a key out of memory, out of the file and out of the shared level.
// It fails when one of these cannot be written; the others have forgotten the key
// then. A fetch under way may store the key again. Other processes have it still,
// until they Drop it.
func (f *Facts[K, V]) Delete(ctx context.Context, key K) error {
	var err error
	if f.cache.shared != nil {
		err = f.cache.shared.Delete(ctx, sharedName(f.text(key)))
	}
	return errors.Join(err, f.Drop(key))
}

// Drop takes a key out of memory and out of the file, as Delete does.
func (f *Facts[K, V]) Drop(key K) error {
	return f.cache.forget(f.hash(key), f.text(key))
}

// fetched is what a caller gets who has waited for a flight.
func (f *Facts[K, V]) fetched(r *record, now time.Time, counter *atomic.Uint64) (Found[V], error) {
	if r.elsewhere {
		counter = &f.count.shared
	}
	return f.answer(r, r.elsewhere, now, counter)
}

// answer is what a caller gets of a record: a hit when it was stored already,
// else what the registry has just said.
func (f *Facts[K, V]) answer(r *record, hit bool, now time.Time, counter *atomic.Uint64) (found Found[V], err error) {
	counter.Add(1)
	found.Value, _ = r.value.(V)
	found.Hit, found.Stale = hit, hit && !now.Before(r.freshUntil)
	found.RetrievedAt, found.FreshUntil = r.retrievedAt, r.freshUntil
	found.record = r
	if r.unknown {
		err = f.kind.ErrUnknown
	}
	return found, err
}
