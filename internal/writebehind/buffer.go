// Package writebehind collects values in memory and writes them together.
package writebehind

import (
	"context"
	"sync"
	"time"
)

const (
	interval     = time.Minute // between two writes
	timeout      = 10 * time.Second
	finalTimeout = 5 * time.Second // of the write at the end
)

// Buffer collects values by key until they are written. A killed process loses the values that were not written yet. A
// Buffer is safe for concurrent use.
type Buffer[K comparable, V any] struct {
	merge func(earlier, later V) V
	write func(context.Context, map[K]V) error

	mu      sync.RWMutex
	waiting map[K]V
}

// New returns a buffer. merge combines two values of a key, and write stores values.
func New[K comparable, V any](merge func(earlier, later V) V,
	write func(context.Context, map[K]V) error) *Buffer[K, V] {
	return &Buffer[K, V]{merge: merge, write: write, waiting: make(map[K]V)}
}

// Add adds a value of a key.
func (b *Buffer[K, V]) Add(key K, value V) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(key, value)
}

// add adds a value. The caller holds the lock.
func (b *Buffer[K, V]) add(key K, value V) {
	if earlier, ok := b.waiting[key]; ok {
		value = b.merge(earlier, value)
	}
	b.waiting[key] = value
}

// Has reports whether a value of a key waits to be written.
func (b *Buffer[K, V]) Has(key K) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	_, ok := b.waiting[key]
	return ok
}

// Len returns the number of keys that wait to be written.
func (b *Buffer[K, V]) Len() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.waiting)
}

// Flush writes the waiting values within a timeout, even if ctx has ended. After an error, they wait for the next
// attempt.
func (b *Buffer[K, V]) Flush(ctx context.Context, timeout time.Duration) error {
	b.mu.Lock()
	taken := b.waiting
	b.waiting = make(map[K]V)
	b.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	err := b.write(ctx, taken)
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		later := b.waiting
		b.waiting = taken
		for key, value := range later {
			b.add(key, value)
		}
	}

	return err
}

// Run writes the values once a minute until ctx ends, and then the rest. It calls failed with each error.
func (b *Buffer[K, V]) Run(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		limit := timeout
		select {
		case <-ctx.Done():
			limit = finalTimeout
		case <-tick.C:
		}

		if err := b.Flush(ctx, limit); err != nil {
			failed(err)
		}
		if ctx.Err() != nil {
			return
		}
	}
}
