package cache

import (
	"context"
	"fmt"
	"time"
)

// Shared is a level that several processes have in common, below the file. Its
// methods take milliseconds at most, and when it is out of reach they say at once
// that nothing is there, that nobody else is fetching.
type Shared interface {
	// Get is the value under a key, nil when there is none.
	Get(ctx context.Context, key string) []byte
	// Put stores a value until keepUntil, unless there is one that was retrieved
	// later. It does not wait until that is done.
	Put(key string, value []byte, retrievedAt, keepUntil time.Time)
	// Delete takes a value away.
	Delete(ctx context.Context, key string) error
	// Claim asks for the sole right to fetch what belongs under a key. Whoever has
	// got it calls release, which takes effect after what was Put before.
	Claim(ctx context.Context, key string) (release func(), ok bool)
}

// Sharing is the same cache for facts that are shared with other processes.
// Closing either closes both.
func (c *Cache) Sharing(s Shared) *Cache { return &Cache{tiers: c.tiers, shared: s} }

const (
	// lookTimeout bounds a look at the shared level, whatever that promises.
	lookTimeout = time.Second
	// claimPatience is how long another process is waited for before the registry
	// is asked all the same, and claimEvery how often there is a look meanwhile.
	claimPatience = 3 * time.Second
	claimEvery    = 100 * time.Millisecond
)

// sharedName is what the shared level knows an entry by: processes of several
// versions may use it, so it begins with that of the entries' form.
func sharedName(text string) string { return string(bucket) + ":" + text }

// fromShared is the record that the shared level has of a key, or nil. Callers who
// want the same key share one look.
func (f *Facts[K, V]) fromShared(ctx context.Context, hash uint64, key K) *record {
	fl, _ := f.cache.flights.join(ctx, "shared "+f.text(key), lookTimeout, "", func(ctx context.Context) (*record, error) {
		return f.lookShared(ctx, hash, key), nil
	})
	r, err := f.cache.flights.wait(ctx, fl)
	if err != nil {
		return nil
	}
	return r
}

// lookShared is the record that the shared level has of a key, or one of our own
// that is not older. It moves up into the other levels.
func (f *Facts[K, V]) lookShared(ctx context.Context, hash uint64, key K) *record {
	text := f.text(key)
	encoded := f.cache.shared.Get(ctx, sharedName(text))
	if encoded == nil {
		return nil
	}
	r, err := decode[V](f.kind.Name, key, text, encoded)
	if err != nil {
		f.cache.unreadable.Add(1)
		f.cache.log.Debug("shared cache entry passed over", "error", err)
		return nil
	}
	if own := f.stored(hash, key); own != nil && !r.retrievedAt.After(own.retrievedAt) && !own.premature(time.Now()) {
		return own // which knows what has been tried
	}
	r.elsewhere = true
	if newer := f.keep(hash, r, encoded); newer != nil {
		return newer
	}
	return r
}

// turn waits until this process is the one to ask the registry, which it then is
// until release, or until another has asked: then there is a record that is enough.
// It fails when another is asking for what nobody needs yet, or not any more.
func (f *Facts[K, V]) turn(ctx context.Context, hash uint64, key K, enough func(*record) bool) (r *record, release func(), err error) {
	patience, again := time.NewTimer(claimPatience), time.NewTicker(claimEvery)
	defer patience.Stop()
	defer again.Stop()
	for {
		release, mine := f.cache.shared.Claim(ctx, sharedName(f.text(key)))
		// Only now: another may have put it there just before its claim ended.
		if r := f.lookShared(ctx, hash, key); enough(r) {
			if mine {
				release()
			}
			return r, nil, nil
		}
		if mine {
			return nil, release, nil
		}
		if Ahead(ctx) {
			return nil, nil, errElsewhere
		}
		select {
		case <-again.C:
			continue
		case <-Abandoned(ctx):
			return nil, nil, errElsewhere
		case <-patience.C:
		case <-ctx.Done():
		}
		return nil, func() {}, nil
	}
}

var errElsewhere = fmt.Errorf("another process is fetching it: %w", ErrPutOff)
