package cache

import (
	"fmt"
	"hash/maphash"
)

// hash returns a key's hash, under which memory stores its entry.
func (f *Facts[K, V]) hash(key K) uint64 {
	return maphash.Comparable(f.cache.seed, key) ^ f.salt
}

// name returns a key's name in the file and among the flights.
func (f *Facts[K, V]) name(key K) string {
	return f.kind.Name + ":" + fmt.Sprint(key)
}

// newEntry returns an entry of a key, without a value.
func (f *Facts[K, V]) newEntry(key K) *entry {
	return &entry{kind: f.kind.Name, key: key, name: f.name(key)}
}

// memoryEntry returns the entry of a key in memory, or nil. Keys may collide in their hash, and two kinds may have the
// same key.
func (f *Facts[K, V]) memoryEntry(hash uint64, key K) *entry {
	e, ok := f.cache.memory.Get(hash)
	if !ok || e.kind != f.kind.Name {
		return nil
	}
	if k, ok := e.key.(K); !ok || k != key {
		return nil
	}
	if _, ok := e.value.(V); !ok && !e.unknown {
		return nil
	}

	return e
}

// belowMemory returns the entry of a key from the lower local levels, or nil, and copies it into memory.
func (f *Facts[K, V]) belowMemory(hash uint64, key K) *entry {
	defer f.cache.lock(hash)()
	if e := f.memoryEntry(hash, key); e != nil {
		return e // another caller was faster
	}

	e := f.queuedOrOnDisk(key)
	if e != nil {
		f.cache.remember(hash, e)
	}

	return e
}

// stored returns the newest entry of a key in any local level, or nil.
func (f *Facts[K, V]) stored(hash uint64, key K) *entry {
	if e := f.memoryEntry(hash, key); e != nil {
		return e
	}
	return f.belowMemory(hash, key)
}

// queuedOrOnDisk returns the entry of a key from the write-behind queue or the file, or nil. An unreadable entry counts
// as absent, so it will be fetched and replaced.
func (f *Facts[K, V]) queuedOrOnDisk(key K) *entry {
	c, name := f.cache, f.name(key)
	stored := c.queue.get(name)
	if stored.entry != nil {
		if _, ok := stored.entry.value.(V); ok || stored.entry.unknown {
			return stored.entry
		}
	}

	if stored.encoded == nil && c.disk != nil {
		stored.encoded = c.disk.get(name)
	}
	if stored.encoded == nil {
		return nil
	}

	e, err := decode[V](f.kind.Name, key, name, stored.encoded)
	if err != nil {
		c.unreadable.Add(1)
		c.log.Debug("cache entry dropped", "error", err)
		return nil
	}

	return e
}

// store puts an entry into all levels and returns it, or a newer one that is already stored. A value that is too large
// or cannot be encoded is not stored.
func (f *Facts[K, V]) store(hash uint64, e *entry) *entry {
	c := f.cache
	encoded, err := encode[V](e)
	if err != nil {
		c.uncacheable.Add(1)
		c.log.Warn("cache entry not stored", "error", err)
		return e
	}

	if newer := f.keep(hash, e, encoded); newer != nil {
		return newer
	}
	if c.shared != nil {
		c.shared.Put(sharedName(e.name), encoded, e.retrievedAt, e.keepUntil)
	}
	if c.disk != nil && c.queue.isCrowded() {
		c.disk.flush() // backpressure
	}

	return e
}

// keep puts an entry into all local levels and returns nil, or returns a newer one that is already stored.
func (f *Facts[K, V]) keep(hash uint64, e *entry, encoded []byte) (newer *entry) {
	c := f.cache
	defer c.lock(hash)()
	old := f.memoryEntry(hash, e.key.(K))
	if old == nil {
		old = f.queuedOrOnDisk(e.key.(K))
	}
	if old != nil && !e.mayReplace(old) {
		return old
	}

	c.queue.put(e, encoded)
	c.remember(hash, e)
	if c.disk != nil {
		c.disk.notify()
	}

	return nil
}
