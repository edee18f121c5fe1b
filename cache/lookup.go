package cache

import (
	"fmt"
	"hash/maphash"
)

// hash returns a key's hash, under which memory stores its entry.
func (f *Facts[K, V]) hash(key K) uint64 {
	return maphash.Comparable(f.cache.seed, key) ^ f.salt
}

// text returns a key's name in the file and among the flights.
func (f *Facts[K, V]) text(key K) string {
	return f.kind.Name + ":" + fmt.Sprint(key)
}

// newEntry returns an entry of a key, without a value.
func (f *Facts[K, V]) newEntry(key K) *entry {
	return &entry{kind: f.kind.Name, key: key, text: f.text(key)}
}

// inMemory returns the entry of a key in memory, or nil. Keys may collide in their hash, and two kinds may have the same
// key.
func (f *Facts[K, V]) inMemory(hash uint64, key K) *entry {
	r, ok := f.cache.memory.Get(hash)
	if !ok || r.kind != f.kind.Name {
		return nil
	}
	if k, ok := r.key.(K); !ok || k != key {
		return nil
	}
	if _, ok := r.value.(V); !ok && !r.unknown {
		return nil
	}

	return r
}

// belowMemory returns the entry of a key from the lower local levels, or nil, and copies it into memory.
func (f *Facts[K, V]) belowMemory(hash uint64, key K) *entry {
	defer f.cache.lock(hash)()
	if r := f.inMemory(hash, key); r != nil {
		return r // another caller was faster
	}

	r := f.queuedOrOnDisk(key)
	if r != nil {
		f.cache.remember(hash, r)
	}

	return r
}

// stored returns the newest entry of a key in any local level, or nil.
func (f *Facts[K, V]) stored(hash uint64, key K) *entry {
	if r := f.inMemory(hash, key); r != nil {
		return r
	}
	return f.belowMemory(hash, key)
}

// queuedOrOnDisk returns the entry of a key from the write-behind queue or the file, or nil. An unreadable entry counts
// as absent, so it will be fetched and replaced.
func (f *Facts[K, V]) queuedOrOnDisk(key K) *entry {
	c, text := f.cache, f.text(key)
	encoded := c.recent.get(text)
	if encoded.entry != nil {
		if _, ok := encoded.entry.value.(V); ok || encoded.entry.unknown {
			return encoded.entry
		}
	}

	if encoded.text == nil && c.disk != nil {
		encoded.text = c.disk.get(text)
	}
	if encoded.text == nil {
		return nil
	}

	r, err := decode[V](f.kind.Name, key, text, encoded.text)
	if err != nil {
		c.unreadable.Add(1)
		c.log.Debug("cache entry dropped", "error", err)
		return nil
	}

	return r
}

// store puts an entry into all levels and returns it, or a newer one that is already stored. A value that is too large
// or cannot be encoded is not stored.
func (f *Facts[K, V]) store(hash uint64, r *entry) *entry {
	c := f.cache
	encoded, err := encode[V](r)
	if err != nil {
		c.uncacheable.Add(1)
		c.log.Warn("cache entry not stored", "error", err)
		return r
	}

	if newer := f.keep(hash, r, encoded); newer != nil {
		return newer
	}
	if c.shared != nil {
		c.shared.Put(sharedName(r.text), encoded, r.retrievedAt, r.keepUntil)
	}
	if c.disk != nil && c.recent.crowded() {
		c.disk.flush() // backpressure
	}

	return r
}

// keep puts an entry into all local levels and returns nil, or returns a newer one that is already stored.
func (f *Facts[K, V]) keep(hash uint64, r *entry, encoded []byte) (newer *entry) {
	c := f.cache
	defer c.lock(hash)()
	old := f.inMemory(hash, r.key.(K))
	if old == nil {
		old = f.queuedOrOnDisk(r.key.(K))
	}
	if old != nil && !r.mayReplace(old) {
		return old
	}

	c.recent.put(r, encoded)
	c.remember(hash, r)
	if c.disk != nil {
		c.disk.notify()
	}

	return nil
}
