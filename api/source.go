package api

import "time"

// Source says where a part of an answer comes from and how old it is.
type Source struct {
	Name        string     `json:"name" doc:"Registry: anaf (tax authority), onrc (trade register), or anaf-bilant (the tax authority's yearly statements)."`
	RetrievedAt *time.Time `json:"retrievedAt" doc:"When the registry gave this, UTC; null when it could not be asked."`
	AsOf        *Date      `json:"asOf" doc:"The day that the registry's statement is about; null when it could not be asked."`
	Cache       string     `json:"cache" doc:"HIT when it came from the cache, MISS when the registry was asked for this answer."`
	Stale       bool       `json:"stale" doc:"True when what is served is a stored copy past its time."`
	Missing     []int      `json:"missingYears,omitempty" doc:"Years of which the registry could not be asked in time; they are being fetched, so ask again soon."`
}

// The two values of x-cache and of a source's cache field.
const (
	Hit  = "HIT"
	Miss = "MISS"
)

// Freshness is what an answer's cache headers are made of. The zero value is
// that of an answer no registry and no clock has a part in.
type Freshness struct {
	// Cache is Hit when every registry fact in the answer came from the cache,
	// else Miss; empty when no registry fact is in it.
	Cache string
	// RetrievedAt is when the oldest fact was given by its registry.
	RetrievedAt time.Time
	// FreshUntil is when the first of the facts is due for renewal; a time that
	// has passed means that the answer is stale.
	FreshUntil time.Time
	// MaxAge is how long a client may keep the answer; 0 means it must ask again.
	MaxAge time.Duration
}

// builtIn is the freshness of an answer from what is part of the program. It
// changes with a release of the service, and its entity tag with it.
var builtIn = Freshness{Cache: Hit, MaxAge: 24 * time.Hour}
