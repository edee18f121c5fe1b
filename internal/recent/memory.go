// Package recent keeps values that were used recently.
package recent

import (
	"maps"
	"sync"
	"time"
)

// Memory keeps the values that were used most recently, up to a limit. It has two generations: when the young one is
// full, it replaces the old one. A value of the old generation that is used moves to the young one. A Memory is safe
// for concurrent use.
type Memory[K comparable, V any] struct {
	limit int // of the size of a generation
	size  func(K, V) int

	mu         sync.RWMutex
	young, old map[K]entry[V]
	used       int // size of the young generation
	deletions  int // calls of DeleteFunc
}

type entry[V any] struct {
	value V
	until time.Time // zero for a value that does not expire
}

// New returns a memory of up to limit values.
func New[K comparable, V any](limit int) *Memory[K, V] {
	return NewSized(limit, func(K, V) int { return 1 })
}

// NewSized returns a memory of values whose sizes add up to limit. The last value is kept regardless of its size.
func NewSized[K comparable, V any](limit int, size func(K, V) int) *Memory[K, V] {
	return &Memory[K, V]{limit: limit / 2, size: size, young: make(map[K]entry[V])}
}

// Get returns the value of a key, unless there is none or it has expired.
func (m *Memory[K, V]) Get(key K) (value V, ok bool) {
	e, ok := m.find(key)
	if !ok || !e.until.IsZero() && !time.Now().Before(e.until) {
		return value, false
	}
	return e.value, true
}

// Has reports whether there is a value of a key, even if it has expired.
func (m *Memory[K, V]) Has(key K) bool {
	_, ok := m.find(key)
	return ok
}

func (m *Memory[K, V]) find(key K) (entry[V], bool) {
	m.mu.RLock()
	e, ok := m.young[key]
	_, old := m.old[key]
	m.mu.RUnlock()
	if ok || !old {
		return e, ok
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok = m.young[key]; ok {
		return e, true
	}
	if e, ok = m.old[key]; ok {
		m.add(key, e)
	}

	return e, ok
}

// Put keeps a value.
func (m *Memory[K, V]) Put(key K, value V) { m.PutUntil(key, value, time.Time{}) }

// PutUntil keeps a value that expires.
func (m *Memory[K, V]) PutUntil(key K, value V, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(key, entry[V]{value, until})
}

// Reading returns a function like PutUntil, which does nothing if DeleteFunc has been called since. So a value that was
// read elsewhere before a change is not kept after it.
func (m *Memory[K, V]) Reading() (put func(key K, value V, until time.Time)) {
	m.mu.RLock()
	deletions := m.deletions
	m.mu.RUnlock()
	return func(key K, value V, until time.Time) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.deletions == deletions {
			m.add(key, entry[V]{value, until})
		}
	}
}

// add adds an entry to the young generation. The caller holds the lock.
func (m *Memory[K, V]) add(key K, e entry[V]) {
	m.forget(key)
	size := m.size(key, e.value)
	if m.used+size > m.limit {
		m.young, m.old, m.used = make(map[K]entry[V]), m.young, 0
	}

	m.young[key] = e
	m.used += size
}

// forget removes the value of a key from the young generation. The caller holds the lock.
func (m *Memory[K, V]) forget(key K) {
	if e, ok := m.young[key]; ok {
		m.used -= m.size(key, e.value)
		delete(m.young, key)
	}
}

// Delete removes the value of a key.
func (m *Memory[K, V]) Delete(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(key)
	delete(m.old, key)
}

// DeleteFunc removes the values that match.
func (m *Memory[K, V]) DeleteFunc(match func(V) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deletions++
	maps.DeleteFunc(m.old, func(_ K, e entry[V]) bool { return match(e.value) })
	for key, e := range m.young {
		if match(e.value) {
			m.forget(key)
		}
	}
}

// Len returns the number of values. It counts a value twice if both generations have it.
func (m *Memory[K, V]) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.young) + len(m.old)
}
