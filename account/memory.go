package account

import (
	"maps"
	"time"
)

// memory is a cache of bounded size with expiry; a random entry is evicted. Callers synchronize access.
type memory[V any] struct {
	ttl     time.Duration
	bound   int
	entries map[digest]remembered[V]
}

type remembered[V any] struct {
	value V
	until time.Time
}

func newMemory[V any](ttl time.Duration, bound int) memory[V] {
	return memory[V]{ttl: ttl, bound: bound, entries: make(map[digest]remembered[V])}
}

// get returns the value of id unless it has expired.
func (m *memory[V]) get(id digest, now time.Time) (V, bool) {
	e, ok := m.entries[id]
	if !ok || !now.Before(e.until) {
		var none V
		return none, false
	}
	return e.value, true
}

// put stores a value.
func (m *memory[V]) put(id digest, value V, now time.Time) {
	if _, replaces := m.entries[id]; !replaces && len(m.entries) >= m.bound {
		for other := range m.entries {
			delete(m.entries, other)
			break
		}
	}

	m.entries[id] = remembered[V]{value: value, until: now.Add(m.ttl)}
}

// drop removes the values that match.
func (m *memory[V]) drop(match func(V) bool) {
	maps.DeleteFunc(m.entries, func(_ digest, e remembered[V]) bool { return match(e.value) })
}
