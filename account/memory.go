package account

import "time"

// memory remembers values for a while, and at most so many of them: beyond the
// bound any one makes room. It needs a lock around it.
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

// get returns the value of id, if it is remembered at the time now.
func (m *memory[V]) get(id digest, now time.Time) (V, bool) {
	e, ok := m.entries[id]
	if !ok || !now.Before(e.until) {
		var none V
		return none, false
	}
	return e.value, true
}

// put remembers a value from the time now on.
func (m *memory[V]) put(id digest, value V, now time.Time) {
	if _, replaces := m.entries[id]; !replaces && len(m.entries) >= m.bound {
		for other := range m.entries {
			delete(m.entries, other)
			break
		}
	}
	m.entries[id] = remembered[V]{value: value, until: now.Add(m.ttl)}
}

// drop forgets the values that match.
func (m *memory[V]) drop(match func(V) bool) {
	for id, e := range m.entries {
		if match(e.value) {
			delete(m.entries, id)
		}
	}
}
