// Package cache keeps the answers of slow and rationed registries: in memory (ristretto) in front of a file that
// survives restarts.
//
// A fact is a func(context.Context, K) (V, error). [Through] puts the cache in front of one. The [Facts] it returns
// answer from the first level that has an entry: memory, the write-behind queue, the file, the level shared with other
// processes ([Cache.Sharing]), and finally the registry. Concurrent callers for the same key share one fetch
// (singleflight).
package cache

import (
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/ristretto/v2"
)

const (
	defaultBytes = 64 << 20
	maxEntry     = 1 << 20 // bytes of JSON
	// leastQueue is enough for the write-behind queue to hold several answers of the tax authority, of a hundred
	// companies each, until they are in the file.
	leastQueue = 2 << 20
	refreshers = 8  // concurrent background refreshes
	stripes    = 64 // locks of writers
	// readsBuffered is the number of reads that ristretto buffers before it updates its admission policy: with the
	// default of 64, waking it takes a tenth of a hit's time.
	readsBuffered = 512
)

// Options configure a [Cache]. The zero value is a cache of 64 MiB in memory only.
type Options struct {
	// MaxBytes bounds the entries in memory. Default 64 MiB. The write-behind queue takes up to an eighth of it on top,
	// or 2 MiB if that is more.
	MaxBytes int64
	// Path is the file of the second level; its directory must exist. Default none: evicted entries are fetched again.
	Path string
	// Logger receives a line when the file is damaged or cannot be written. Default slog.Default().
	Logger *slog.Logger

	keyToHash func(uint64) (uint64, uint64) // tests force collisions
}

// Cache holds the levels, the flights and the counters that all [Facts] share. It is safe for concurrent use.
type Cache struct {
	*tiers
	shared Shared // nil without other processes
}

// tiers are the levels of this process.
type tiers struct {
	memory  *ristretto.Cache[uint64, *entry]
	queue   *writeQueue
	disk    *disk // nil without a path
	flights flights
	// Limits of the concurrent fetches of stale keys, of prefetched keys, and ahead of expiry.
	refreshing, prefetching, renewing chan struct{}

	log  *slog.Logger
	seed maphash.Seed

	// locks serialize the writers of a key, so that an entry read from the file never replaces a newer one in memory.
	locks [stripes]sync.Mutex

	kindsMu sync.Mutex
	kinds   map[string]*counters

	maxBytes                                                             int64
	entries                                                              atomic.Int64
	setsDropped, setsRejected, uncacheable, unreadable, refreshesDropped atomic.Uint64
}

// Open returns a cache that the caller must [Cache.Close]. It fails if the file cannot be created or read, or if
// another process holds its lock for more than two seconds. A damaged file is not an error: it is renamed with the
// suffix ".damaged" and replaced by an empty one.
func Open(o Options) (*Cache, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultBytes
	}
	if o.MaxBytes < 0 {
		return nil, fmt.Errorf("opening the cache: %d bytes of memory: must be positive", o.MaxBytes)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.keyToHash == nil {
		// The keys are already hashes; [Facts] compare the whole key on reading.
		o.keyToHash = func(hash uint64) (uint64, uint64) { return hash, 0 }
	}

	c := &Cache{tiers: &tiers{
		queue:       newWriteQueue(max(o.MaxBytes/8, leastQueue)),
		refreshing:  make(chan struct{}, refreshers),
		prefetching: make(chan struct{}, maxPrefetches),
		renewing:    make(chan struct{}, maxAhead),
		log:         o.Logger,
		seed:        maphash.MakeSeed(),
		kinds:       make(map[string]*counters),
		maxBytes:    o.MaxBytes,
	}}

	var err error
	c.memory, err = ristretto.NewCache(&ristretto.Config[uint64, *entry]{
		NumCounters:        max(o.MaxBytes/128, 1024), // ten per entry of the usual size
		MaxCost:            o.MaxBytes,
		BufferItems:        readsBuffered,
		KeyToHash:          o.keyToHash,
		IgnoreInternalCost: true, // included in an entry's cost
		ShouldUpdate:       (*entry).mayReplace,
		OnReject:           func(*ristretto.Item[*entry]) { c.setsRejected.Add(1) },
		OnExit: func(e *entry) {
			if e != nil {
				c.entries.Add(-1)
			}
		},
		TtlTickerDurationInSec: 24 * 3600, // entries have no TTL: expired ones may be served as stale
	})
	if err != nil {
		return nil, fmt.Errorf("opening the cache: %w", err)
	}

	if o.Path != "" {
		if c.disk, err = openDisk(o.Path, c.queue, o.Logger); err != nil {
			c.memory.Close()
			return nil, err
		}
	}

	return c, nil
}

// Close cancels the flights, waits for them, and writes the queued entries to the file. It must be called once, after
// the last call has returned.
func (c *Cache) Close() error {
	c.flights.close()
	var err error
	if c.disk != nil {
		err = c.disk.close()
	}

	c.memory.Close()
	return err
}

// lock makes the caller the only writer of a key until it calls unlock.
func (c *Cache) lock(hash uint64) (unlock func()) {
	m := &c.locks[hash%stripes]
	m.Lock()
	return m.Unlock
}

// remember puts an entry into memory, which may reject it. The caller holds the lock of the key.
func (c *Cache) remember(hash uint64, e *entry) {
	if e.cost > c.maxBytes/4 {
		c.memory.Del(hash)
		return
	}

	c.entries.Add(1)
	if !c.memory.Set(hash, e, e.cost) {
		c.entries.Add(-1)
		c.setsDropped.Add(1)
	}

	c.memory.Wait() // of two rapid Sets of a new key, ristretto keeps the older value
}

// forget removes a key from every level of this process.
func (c *Cache) forget(hash uint64, name string) error {
	defer c.lock(hash)()
	c.queue.drop(name)
	c.memory.Del(hash)
	c.memory.Wait()
	if c.disk == nil {
		return nil
	}
	if err := c.disk.remove(name); err != nil {
		return fmt.Errorf("deleting %s from the cache: %w", name, err)
	}

	return nil
}

// errClosed is returned for calls after Close.
var errClosed = errors.New("the cache is closed")
