package api

import (
	"time"

	"github.com/rodata/rodata/ro"
)

// Source describes the origin and age of a part of an answer.
type Source struct {
	Name        string     `json:"name" doc:"Registry: anaf (tax authority), onrc (trade register), anaf-bilant (the tax authority's yearly statements), anaf-vat-collection (its daily file of VAT on collection), anaf-farmers, anaf-nonprofits, anaf-efactura (its registers of farmers, non-profits and RO e-Factura), or vies (EU VAT numbers)."`
	RetrievedAt *time.Time `json:"retrievedAt" doc:"When the registry answered, UTC; null if it could not be queried."`
	AsOf        *ro.Date   `json:"asOf" doc:"Date to which the registry's answer applies; null if it could not be queried."`
	Cache       string     `json:"cache" doc:"HIT if it came from the cache, MISS if the registry was queried for this answer."`
	Stale       bool       `json:"stale" doc:"Whether the answer is a stored copy past its lifetime."`
	Missing     []int      `json:"missingYears,omitempty" doc:"Years that could not be fetched in time; fetching continues, so try again soon."`
}

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

// builtIn is the freshness of data that is part of the program. It changes, with its ETag, only in a new release.
var builtIn = Freshness{Cache: Hit, MaxAge: 24 * time.Hour}
