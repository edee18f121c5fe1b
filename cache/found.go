package cache

import "time"

// Found is a value and what is known of its age.
type Found[V any] struct {
	// Value is shared by all who find it and must not be changed. It is copied at
	// every call: a large one is better a pointer.
	Value V
	// Hit is true when the value came from the cache, of whatever level, fresh or
	// stale; false when the registry was asked for it while the caller waited.
	Hit bool
	// Stale is true when the value is a stored copy past FreshUntil.
	Stale bool
	// RetrievedAt is when the registry gave the value, UTC. It is also set with
	// an error that the cache remembers.
	RetrievedAt time.Time
	// FreshUntil is when the value is due to be fetched again.
	FreshUntil time.Time

	record *record
}

// Memo is what derive makes of the value, kept for as long as the entry is in
// memory: its encoded form, say. There is one memo an entry, so all callers of
// a kind must derive the same. Callers that race may each derive; all get the
// same result. A Found that no cache gave derives every time.
func (f *Found[V]) Memo(derive func(V) any) any {
	if f.record == nil {
		return derive(f.Value)
	}
	if m := f.record.memo.Load(); m != nil {
		return *m
	}
	made := derive(f.Value)
	if !f.record.memo.CompareAndSwap(nil, &made) {
		return *f.record.memo.Load()
	}
	return made
}
