package cache

import (
	"math/rand/v2"
	"time"
)

const (
	defaultPatience = 1500 * time.Millisecond
	defaultTimeout  = 30 * time.Second
	// forever is the longest lifetime: times beyond the year 9999 have no JSON.
	forever = 100 * 365 * 24 * time.Hour
)

// Kind is one sort of data and how long it lives. Fresh and Unknown are jittered by
// 10 % either way, so that what was fetched together is not due together.
type Kind struct {
	// Name begins the keys of the kind and labels its counters. It must be given,
	// without a colon.
	Name string
	// Fresh is how long an entry is as good as new. Default 0: it is stale at
	// once. More than 100 years count as 100.
	Fresh time.Duration
	// StaleWhileRevalidate is how long after Fresh an entry is still served at
	// once, while it is fetched again behind the caller's back. Default 0.
	StaleWhileRevalidate time.Duration
	// StaleIfError is how long after Fresh an entry is served when fetching it
	// again fails or takes more than Patience. Default 0.
	StaleIfError time.Duration
	// Ahead is how long before the end of Fresh an entry is fetched again behind
	// the callers' backs if it is read twice in that time, so that what is popular
	// does not become stale. Default 0: never.
	Ahead time.Duration
	// Patience is how long a caller waits for a newer value while a stale one is
	// at hand. Default 1.5 s.
	Patience time.Duration
	// Wait is how long a caller waits for a fetch while nothing that may be served is
	// stored; context.DeadlineExceeded is its error then. Default 0: to the end.
	Wait time.Duration
	// Timeout is the deadline of one fetch, callers or not. Default 30 s.
	Timeout time.Duration
	// Unknown is how long ErrUnknown is remembered for a key. Default 0: never.
	Unknown time.Duration
	// ErrUnknown is the error, as errors.Is sees it, by which the registry vouches
	// that it does not know a key. The cache answers with it while it remembers.
	// No other error is ever remembered. Default none.
	ErrUnknown error
}

// withDefaults is the kind with its defaults filled in and its bounds kept.
func (k Kind) withDefaults() Kind {
	if k.Patience == 0 {
		k.Patience = defaultPatience
	}
	if k.Timeout == 0 {
		k.Timeout = defaultTimeout
	}
	for _, d := range []*time.Duration{&k.Fresh, &k.StaleWhileRevalidate, &k.StaleIfError, &k.Unknown} {
		*d = min(*d, forever)
	}
	return k
}

// state is what may be done with a stored record.
type state int

const (
	absent     state = iota // nothing that may be served
	fresh                   // serve it
	revalidate              // serve it and refresh it
	fallback                // serve it only when refreshing fails
)

// state is that of a record of the kind, which may be nil.
func (k *Kind) state(r *record, now time.Time) state {
	switch {
	case r == nil:
		return absent
	case r.retrievedAt.After(now) && r.premature(now): // a hit is spared the second
		return absent
	case now.Before(r.freshUntil):
		return fresh
	case r.unknown:
		return absent
	case now.Before(r.freshUntil.Add(k.StaleWhileRevalidate)):
		return revalidate
	case now.Before(r.freshUntil.Add(k.StaleIfError)):
		return fallback
	}
	return absent
}

// date sets the times of a record that the registry gave at an instant.
func (k *Kind) date(r *record, at time.Time) {
	r.retrievedAt = at.UTC()
	if r.unknown {
		r.freshUntil = r.retrievedAt.Add(jitter(k.Unknown))
		r.keepUntil = r.freshUntil
		return
	}
	r.freshUntil = r.retrievedAt.Add(jitter(k.Fresh))
	r.keepUntil = r.freshUntil.Add(max(k.StaleWhileRevalidate, k.StaleIfError))
}

// jitter is a duration between 90 % and 110 % of another.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1)
}
