// Package cache keeps what slow and rationed registries have said: in memory
// (ristretto) in front of a file that outlives the process.
//
// A fact is a func(context.Context, K) (V, error). [Through] puts the cache in
// front of one, and the [Facts] it returns answer from the nearest level that
// knows: memory, what was stored lately, the file, what other processes have
// stored ([Cache.Sharing]), and last the registry, which is asked once for all
// callers who wait for the same key.
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
	// leastRecent is room for what comes at once, a call of the tax authority's for a
	// hundred companies, several times over: the file takes it only a moment later.
	leastRecent = 2 << 20
	refreshers  = 8
	stripes     = 64
	// readsNoted is how many reads are gathered before the policy of what to keep
	// is told: with ristretto's usual 64, waking it takes a tenth of a hit's time.
	readsNoted = 512
)

// Options say where a [Cache] keeps its entries. The zero value is a cache of
// 64 MiB in memory only.
type Options struct {
	// MaxBytes bounds the entries in memory. Default 64 MiB. What was stored lately
	// takes up to an eighth of it beside that, or up to 2 MiB if that is more.
	MaxBytes int64
	// Path is the file of the second level; its folder must exist. Default none:
	// what memory drops is fetched again.
	Path string
	// Logger is told when the file is damaged and when it cannot be written.
	// Default slog.Default().
	Logger *slog.Logger

	keyToHash func(uint64) (uint64, uint64) // tests force collisions
}

// Cache is the levels, the fetches under way and the counters that all [Facts]
// share. Its methods may be called by many goroutines at once.
type Cache struct {
	*tiers
	shared Shared // nil for a process on its own
}

// tiers are the cache but for what it shares.
type tiers struct {
	memory      *ristretto.Cache[uint64, *record]
	recent      *recent
	disk        *disk // nil without a path
	flights     flights
	slots       chan struct{} // one for each background refresh
	prefetching atomic.Int64  // how many keys are being prefetched
	renewing    atomic.Int64  // how many keys are being fetched ahead
	log         *slog.Logger
	seed        maphash.Seed

	// locks make the writers of one key take turns, so that a copy read from the
	// file never replaces a newer one in memory.
	locks [stripes]sync.Mutex

	kindsMu sync.Mutex
	kinds   map[string]*counters

	maxBytes                                                             int64
	entries                                                              atomic.Int64
	setsDropped, setsRejected, uncacheable, unreadable, refreshesDropped atomic.Uint64
}

// Open returns a cache that the caller must [Cache.Close]. It fails when the
// file cannot be made or read, and, naming the file, when another process holds
// it for more than two seconds. A damaged file is no error: it is moved aside,
// under its name with ".damaged" behind it, and a new one begins.
func Open(o Options) (*Cache, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultBytes
	}
	if o.MaxBytes < 0 {
		return nil, fmt.Errorf("opening the cache: %d bytes of memory: want a positive number", o.MaxBytes)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.keyToHash == nil {
		// The keys are hashes already; [Facts] compare the whole key on reading.
		o.keyToHash = func(hash uint64) (uint64, uint64) { return hash, 0 }
	}
	c := &Cache{tiers: &tiers{
		recent:   newRecent(max(o.MaxBytes/8, leastRecent)),
		slots:    make(chan struct{}, refreshers),
		log:      o.Logger,
		seed:     maphash.MakeSeed(),
		kinds:    make(map[string]*counters),
		maxBytes: o.MaxBytes,
	}}
	var err error
	c.memory, err = ristretto.NewCache(&ristretto.Config[uint64, *record]{
		NumCounters:        max(o.MaxBytes/128, 1024), // ten for each entry of the usual size
		MaxCost:            o.MaxBytes,
		BufferItems:        readsNoted,
		KeyToHash:          o.keyToHash,
		IgnoreInternalCost: true, // a record's cost has it
		ShouldUpdate:       (*record).mayReplace,
		OnReject:           func(*ristretto.Item[*record]) { c.setsRejected.Add(1) },
		OnExit: func(r *record) {
			if r != nil {
				c.entries.Add(-1)
			}
		},
		TtlTickerDurationInSec: 24 * 3600, // no entry has a TTL: a late one is still wanted as stale
	})
	if err != nil {
		return nil, fmt.Errorf("opening the cache: %w", err)
	}
	if o.Path != "" {
		if c.disk, err = openDisk(o.Path, c.recent, o.Logger); err != nil {
			c.memory.Close()
			return nil, err
		}
	}
	return c, nil
}

// Close cancels the fetches under way, waits for them, and writes what the file
// does not have yet. It must be called once, after the last call has returned.
func (c *Cache) Close() error {
	c.flights.close()
	var err error
	if c.disk != nil {
		err = c.disk.close()
	}
	c.memory.Close()
	return err
}

// lock makes the caller the only writer of a key until it calls the function
// that it gets.
func (c *Cache) lock(hash uint64) (unlock func()) {
	m := &c.locks[hash%stripes]
	m.Lock()
	return m.Unlock
}

// remember puts a record into memory, which may turn it away. The caller holds
// the lock of the key.
func (c *Cache) remember(hash uint64, r *record) {
	if r.cost > c.maxBytes/4 {
		c.memory.Del(hash)
		return
	}
	c.entries.Add(1)
	if !c.memory.Set(hash, r, r.cost) {
		c.entries.Add(-1)
		c.setsDropped.Add(1)
	}
	c.memory.Wait() // ristretto keeps the older of two quick Sets of a new key
}

// forget takes a key out of every level of this process.
func (c *Cache) forget(hash uint64, text string) error {
	defer c.lock(hash)()
	c.recent.drop(text)
	c.memory.Del(hash)
	c.memory.Wait()
	if c.disk == nil {
		return nil
	}
	if err := c.disk.remove(text); err != nil {
		return fmt.Errorf("deleting %s from the cache: %w", text, err)
	}
	return nil
}

// errClosed is the answer to a call that comes after Close.
var errClosed = errors.New("the cache is closed")
