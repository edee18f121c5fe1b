package cache

import (
	"math/rand/v2"
	"time"
)

const (
	defaultPatience = 1500 * time.Millisecond
	defaultTimeout  = 30 * time.Second
	// forever caps lifetimes: JSON cannot encode times beyond the year 9999.
	forever = 100 * 365 * 24 * time.Hour
)

// Kind describes one kind of data and its lifetimes. Fresh and Unknown are jittered by ±10 %, so that entries fetched
// together do not expire together; the lifetime of a [Lasting] value is shortened by at most 10 %.
type Kind struct {
	// Name prefixes the keys of the kind and labels its counters. Required, without a colon.
	Name string
	// Fresh is the time for which an entry is served without a refresh. Default 0: it is stale at once. At most 100
	// years.
	Fresh time.Duration
	// StaleWhileRevalidate is the time after Fresh in which an entry is served immediately while it is refreshed in the
	// background. Default 0.
	StaleWhileRevalidate time.Duration
	// StaleIfError is the time after Fresh in which an entry is served if its refresh fails or takes longer than
	// Patience. Default 0.
	StaleIfError time.Duration
	// Ahead is the time before its expiry in which two reads of an entry trigger a background refresh, so that popular
	// entries never become stale. Default 0: never.
	Ahead time.Duration
	// Patience is the maximum time that a caller waits for a refresh while a stale entry could be served.
	// Default 1.5 s.
	Patience time.Duration
	// Wait is the maximum time that a caller waits for a fetch without a servable entry; after it the error is
	// context.DeadlineExceeded. Default 0: until the fetch ends.
	Wait time.Duration
	// Timeout is the deadline of a fetch, with or without callers. Default 30 s.
	Timeout time.Duration
	// Unknown is the time for which ErrUnknown is remembered for a key. Default 0: never.
	Unknown time.Duration
	// ErrUnknown is the error, for errors.Is, with which a fetch reports that the registry verifiably does not know a
	// key. It is the only error that is cached. Default none.
	ErrUnknown error
}

// withDefaults returns the kind with defaults applied and lifetimes capped.
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

// state is the way in which a stored entry may be used.
type state int

const (
	absent     state = iota // not servable
	fresh                   // serve it
	revalidate              // serve it and refresh it in the background
	fallback                // serve it only if its refresh fails
)

// state returns the state of an entry, which may be nil.
func (k *Kind) state(e *entry, now time.Time) state {
	switch {
	case e == nil:
		return absent
	case e.retrievedAt.After(now) && e.isSkewed(now): // the cheap check first
		return absent
	case now.Before(e.freshUntil):
		return fresh
	case e.unknown:
		return absent
	case now.Before(e.freshUntil.Add(k.StaleWhileRevalidate)):
		return revalidate
	case now.Before(e.freshUntil.Add(k.StaleIfError)):
		return fallback
	}

	return absent
}

// date sets the times of an entry that was retrieved at a given time.
func (k *Kind) date(e *entry, at time.Time) {
	e.retrievedAt = at.UTC()
	if e.unknown {
		e.freshUntil = e.retrievedAt.Add(jitter(k.Unknown))
		e.keepUntil = e.freshUntil
		return
	}

	life := k.Fresh
	if l, ok := e.value.(Lasting); ok {
		life = shorter(min(l.Lasts(), forever))
	} else {
		life = jitter(life)
	}

	e.freshUntil = e.retrievedAt.Add(life)
	e.keepUntil = e.freshUntil.Add(max(k.StaleWhileRevalidate, k.StaleIfError))
}

// jitter returns a duration between 90 % and 110 % of d.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1)
}

// shorter returns a duration between 90 % and 100 % of d.
func shorter(d time.Duration) time.Duration { return d - rand.N(d/10+1) }
