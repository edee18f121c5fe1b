package account

import (
	"maps"
	"time"
)

// ttlCache is a cache of bounded size whose entries expire. When it is full, it evicts an arbitrary entry. Callers
// synchronise access.
type ttlCache[V any] struct {
	ttl     time.Duration
	bound   int
	entries map[digest]ttlEntry[V]
}

type ttlEntry[V any] struct {
	value V
	until time.Time
}

func newTTLCache[V any](ttl time.Duration, bound int) ttlCache[V] {
	return ttlCache[V]{ttl: ttl, bound: bound, entries: make(map[digest]ttlEntry[V])}
}

// get returns the value of id unless it has expired.
func (m *ttlCache[V]) get(id digest, now time.Time) (V, bool) {
	e, ok := m.entries[id]
	if !ok || !now.Before(e.until) {
		var none V
		return none, false
	}
	return e.value, true
}

// put stores a value.
func (m *ttlCache[V]) put(id digest, value V, now time.Time) {
	if _, replaces := m.entries[id]; !replaces && len(m.entries) >= m.bound {
		for other := range m.entries {
			delete(m.entries, other)
			break
		}
	}

	m.entries[id] = ttlEntry[V]{value: value, until: now.Add(m.ttl)}
}

// drop removes the values that match.
func (m *ttlCache[V]) drop(match func(V) bool) {
	maps.DeleteFunc(m.entries, func(_ digest, e ttlEntry[V]) bool { return match(e.value) })
}
