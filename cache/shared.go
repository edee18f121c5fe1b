package cache

import (
	"context"
	"fmt"
	"time"
)

// Shared is a level below the file, common to several processes. Its methods take a few milliseconds at most. If it is
// unreachable, they report at once that nothing is stored and that no other process is fetching.
type Shared interface {
	// Get returns the value of a key, or nil.
	Get(ctx context.Context, key string) []byte
	// Put stores a value until keepUntil, unless one retrieved later is stored. It does not wait for the write.
	Put(key string, value []byte, retrievedAt, keepUntil time.Time)
	// Delete removes a value.
	Delete(ctx context.Context, key string) error
	// Claim acquires the lock for fetching a key. The holder must call release, which takes effect after its earlier
	// Puts.
	Claim(ctx context.Context, key string) (release func(), ok bool)
}

// Sharing returns a view of the same cache whose facts are shared with other processes. Closing either closes both.
func (c *Cache) Sharing(s Shared) *Cache { return &Cache{tiers: c.tiers, shared: s} }

const (
	// readTimeout bounds a lookup in the shared level, even if the implementation has no timeout of its own.
	readTimeout = time.Second
	// claimPatience is the maximum wait for another process that is fetching, before the registry is queried anyway;
	// claimEvery is the polling interval.
	claimPatience = 3 * time.Second
	claimEvery    = 100 * time.Millisecond
)

// sharedName returns an entry's key in the shared level. It starts with the version of the encoding, because processes
// of different versions may share the level.
func sharedName(name string) string { return string(bucket) + ":" + name }

// fromShared returns the shared level's entry of a key, or nil. Concurrent callers share one lookup.
func (f *Facts[K, V]) fromShared(ctx context.Context, hash uint64, key K) *entry {
	fl, _ := f.cache.flights.join(ctx, "shared "+f.name(key), readTimeout, Interactive,
		func(ctx context.Context, _ Demand) (*entry, error) {
			return f.readShared(ctx, hash, key), nil
		})
	e, err := f.cache.flights.wait(ctx, fl)
	if err != nil {
		return nil
	}

	return e
}

// readShared returns the shared level's entry of a key, and copies it into the local levels. If a local entry is not
// older, it returns that.
func (f *Facts[K, V]) readShared(ctx context.Context, hash uint64, key K) *entry {
	name := f.name(key)
	encoded := f.cache.shared.Get(ctx, sharedName(name))
	if encoded == nil {
		return nil
	}

	e, err := decode[V](f.kind.Name, key, name, encoded)
	if err != nil {
		f.cache.unreadable.Add(1)
		f.cache.log.Debug("shared cache entry ignored", "error", err)
		return nil
	}

	if own := f.stored(hash, key); own != nil && !e.retrievedAt.After(own.retrievedAt) && !own.isSkewed(time.Now()) {
		return own // it carries the refresh state
	}

	e.elsewhere = true
	if newer := f.keep(hash, e, encoded); newer != nil {
		return newer
	}

	return e
}

// claim waits until this process holds the lock for fetching a key, to be released with release, or until another
// process has stored a sufficient entry. It fails with [ErrPutOff] if another process is fetching and no caller is
// waiting here.
func (f *Facts[K, V]) claim(ctx context.Context, d Demand, hash uint64, key K,
	enough func(*entry) bool) (e *entry, release func(), err error) {
	patience, again := time.NewTimer(claimPatience), time.NewTicker(claimEvery)
	defer patience.Stop()
	defer again.Stop()
	for {
		release, claimed := f.cache.shared.Claim(ctx, sharedName(f.name(key)))
		// After the claim, because another process may have stored it just before its lock ended.
		if e := f.readShared(ctx, hash, key); enough(e) {
			if claimed {
				release()
			}
			return e, nil, nil
		}

		if claimed {
			return nil, release, nil
		}
		if d.Urgency() == Ahead {
			return nil, nil, errElsewhere
		}

		select {
		case <-again.C:
			continue
		case <-d.Abandoned():
			return nil, nil, errElsewhere
		case <-patience.C:
		case <-ctx.Done():
		}

		return nil, func() {}, nil
	}
}

var errElsewhere = fmt.Errorf("another process is fetching it: %w", ErrPutOff)
