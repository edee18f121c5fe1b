package cache

import "time"

// Found is a value and its freshness.
type Found[V any] struct {
	// Value is shared by all callers and must not be modified. It is copied on every call, so large values should be
	// pointers.
	Value V
	// Hit is true if the value came from any level of the cache, fresh or stale; false if the caller waited for the
	// registry.
	Hit bool
	// Stale is true if the value came from the cache after FreshUntil.
	Stale bool
	// RetrievedAt is the time of the registry's answer, in UTC. It is also set with a remembered ErrUnknown.
	RetrievedAt time.Time
	// FreshUntil is the time at which the value becomes due for a refresh.
	FreshUntil time.Time
	// Failure is the reason why a stale value was not refreshed: the error of the fetch, or of ctx if it took too long.
	// It is nil for a value that is fresh or being refreshed in the background.
	Failure error

	entry *entry
}

// Memo returns derive(value), memoized for as long as the entry is in memory: its encoded form, for example. An entry
// has one memo, so all callers of a kind must use the same derive. Concurrent callers may each derive, but all get the
// same result. A zero Found derives every time.
func (f *Found[V]) Memo(derive func(V) any) any {
	if f.entry == nil {
		return derive(f.Value)
	}
	if m := f.entry.memo.Load(); m != nil {
		return *m
	}

	made := derive(f.Value)
	if !f.entry.memo.CompareAndSwap(nil, &made) {
		return *f.entry.memo.Load()
	}

	return made
}
