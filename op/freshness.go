package op

import (
	"time"
)

// The two values of x-cache and of a source's cache field.
const (
	Hit  = "HIT"
	Miss = "MISS"
)

// Freshness determines an answer's cache headers. The zero value is for answers without registry data.
type Freshness struct {
	// Cache is Hit if all registry data came from the cache, otherwise Miss; empty if the answer has none.
	Cache string
	// RetrievedAt is the time at which the oldest data was retrieved from its registry.
	RetrievedAt time.Time
	// FreshUntil is the time at which the first of the data becomes stale.
	FreshUntil time.Time
	// MaxAge is the time for which a client may store the answer; 0 requires revalidation.
	MaxAge time.Duration
}

// With returns the freshness of an answer that combines this data with other data. Each field has the worse of both
// values.
func (f Freshness) With(other Freshness) Freshness {
	if other.Cache == Miss {
		f.Cache = Miss
	}

	f.RetrievedAt = earlier(f.RetrievedAt, other.RetrievedAt)
	f.FreshUntil = earlier(f.FreshUntil, other.FreshUntil)
	f.MaxAge = min(f.MaxAge, other.MaxAge)
	return f
}

// earlier returns the earlier of two instants. A zero time counts as absent.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// BuiltIn is the freshness of data that is part of the program. It changes, with its ETag, only in a new release.
var BuiltIn = Freshness{Cache: Hit, MaxAge: 24 * time.Hour}
