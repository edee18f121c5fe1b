package cache

import (
	"context"
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
// registry's. Callers who wait for the same key share one fetch, which goes on
// without them when their ctx ends. It fails with the fetch's error, with
// ErrUnknown of the kind, or with ctx's error; a stored value that may still be
// served as stale always comes before an error.
func (f *Facts[K, V]) Get(ctx context.Context, key K) (Found[V], error) {
	hash, now := f.hash(key), time.Now()
	r, counter := f.inMemory(hash, key), &f.count.fresh
	if r == nil {
		r, counter = f.belowMemory(hash, key), &f.count.below
	}
	switch f.kind.state(r, now) {
	case fresh:
		if r.unknown {
			counter = &f.count.unknown
		}
		return f.answer(r, true, now, counter)
	case revalidate:
		f.refresh(ctx, hash, key, r, now)
		return f.answer(r, true, now, &f.count.stale)
	case fallback:
		return f.refreshOr(ctx, hash, key, r)
	}
	fl, counter := f.ask(ctx, hash, key)
	newer, err := fl.wait(ctx)
	if err != nil {
		counter.Add(1)
		return Found[V]{}, err
	}
	return f.answer(newer, false, now, counter)
}

// Peek is what is stored for a key, however old, without asking the registry.
// It is false when nothing is stored, or that the registry does not know the key.
func (f *Facts[K, V]) Peek(key K) (Found[V], bool) {
	r := f.stored(f.hash(key), key)
	if r == nil || r.unknown {
		return Found[V]{}, false
	}
	found, err := f.answer(r, true, time.Now(), &f.count.peeks)
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

// Delete takes a key out of memory and out of the file. It fails when the file
// cannot be written; memory has forgotten the key then, the file has not. A
// fetch under way may store the key again.
func (f *Facts[K, V]) Delete(key K) error {
	return f.cache.forget(f.hash(key), f.text(key))
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
