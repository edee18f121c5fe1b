package cache

import (
	"fmt"
	"hash/maphash"
)

// hash is where memory keeps an entry.
func (f *Facts[K, V]) hash(key K) uint64 {
	return maphash.Comparable(f.cache.seed, key) ^ f.salt
}

// text names a key in the file and among the flights.
func (f *Facts[K, V]) text(key K) string {
	return f.kind.Name + ":" + fmt.Sprint(key)
}

// record is a new record of a key, without a value.
func (f *Facts[K, V]) record(key K) *record {
	return &record{kind: f.kind.Name, key: key, text: f.text(key)}
}

// inMemory is the record that memory has of a key, or nil. Two keys may have the
// same hash, and two kinds of values the same key.
func (f *Facts[K, V]) inMemory(hash uint64, key K) *record {
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

// belowMemory is the record that the other levels have of a key, or nil. It
// moves up into memory.
func (f *Facts[K, V]) belowMemory(hash uint64, key K) *record {
	defer f.cache.lock(hash)()
	if r := f.inMemory(hash, key); r != nil {
		return r // another caller has moved it
	}
	r := f.queuedOrOnDisk(key)
	if r != nil {
		f.cache.remember(hash, r)
	}
	return r
}

// stored is the newest record of a key in any level, or nil.
func (f *Facts[K, V]) stored(hash uint64, key K) *record {
	if r := f.inMemory(hash, key); r != nil {
		return r
	}
	return f.belowMemory(hash, key)
}

// queuedOrOnDisk is the record of a key among those stored lately, else in the
// file. What cannot be read counts as absent: it will be fetched and replaced.
func (f *Facts[K, V]) queuedOrOnDisk(key K) *record {
	c, text := f.cache, f.text(key)
	encoded := c.recent.get(text)
	if encoded.record != nil {
		if _, ok := encoded.record.value.(V); ok || encoded.record.unknown {
			return encoded.record
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

// store keeps a record in all levels and returns it, or the newer one that is
// there already. A value that has no JSON or too much of it is not kept.
func (f *Facts[K, V]) store(hash uint64, r *record) *record {
	c := f.cache
	encoded, err := encode[V](r)
	if err != nil {
		c.uncacheable.Add(1)
		c.log.Warn("cache entry not kept", "error", err)
		return r
	}
	if newer := f.keep(hash, r, encoded); newer != nil {
		return newer
	}
	if c.shared != nil {
		c.shared.Put(sharedName(r.text), encoded, r.retrievedAt, r.keepUntil)
	}
	if c.disk != nil && c.recent.crowded() {
		c.disk.flush() // whoever fills the queue empties it
	}
	return r
}

// keep puts a record into all levels of this process, unless a newer one is there, which it
// returns then.
func (f *Facts[K, V]) keep(hash uint64, r *record, encoded []byte) (newer *record) {
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
