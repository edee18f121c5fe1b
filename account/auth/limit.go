package auth

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

// rule is how often one address may do something: max times, and again after it
// has rested for a window. Each thing is counted for itself.
type rule struct {
	max    int
	window time.Duration
}

// The rules are those of better-auth.
var (
	credentials = rule{3, 10 * time.Second}
	letters     = rule{3, time.Minute}
	magicLinks  = rule{5, time.Minute}
)

// Limits counts, in constant memory, what addresses do. It may be used
// concurrently.
type Limits struct {
	seed  maphash.Seed
	start time.Time

	mu    sync.Mutex
	slots []count // sets of ways
}

// count is how often an address did something since it last rested.
type count struct {
	tag  uint64
	n    int
	last time.Duration // since start
}

const (
	limitSets = 1 << 14 // with all ways 1.5 MiB
	limitWays = 4

	// siteFactor is how many times as often as one network of it a whole IPv6 site
	// (a /48, which is what one customer can have for the asking) may do something.
	siteFactor = 16
	siteBits   = 48
)

// NewLimits makes limits that have counted nothing.
func NewLimits() *Limits {
	return &Limits{seed: maphash.MakeSeed(), start: time.Now(), slots: make([]count, limitSets*limitWays)}
}

// scope is a network that is counted, and how often it may do something.
type scope struct {
	network netip.Prefix
	max     int
}

// scopes are what is counted when a network does something: the network itself, and
// then, unless that refuses, the IPv6 site that it is part of. So a network that calls
// too often does not use up what its neighbours may do.
func (r rule) scopes(network netip.Prefix) []scope {
	own := scope{network, r.max}
	if network.Bits() <= siteBits {
		return []scope{own}
	}
	site, _ := network.Addr().Prefix(siteBits)
	return []scope{own, {site, r.max * siteFactor}}
}

// take counts that a network does something once more; when that is too often it
// says how long the network must rest.
func (l *Limits) take(r rule, what string, network netip.Prefix) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Since(l.start)
	for _, s := range r.scopes(network) {
		if wait := l.takeOne(r, what, s.network, s.max, now); wait > 0 {
			return wait
		}
	}
	return 0
}

// set is where something that a network does is counted, among others.
func (l *Limits) set(what string, network netip.Prefix) (hash uint64, set []count) {
	hash = maphash.Comparable(l.seed, struct {
		what    string
		network netip.Prefix
	}{what, network})
	return hash, l.slots[hash%limitSets*limitWays:][:limitWays]
}

// forget has a network begin anew with something.
func (l *Limits) forget(what string, network netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	hash, set := l.set(what, network)
	for i := range set {
		if set[i].tag == hash {
			set[i] = count{}
		}
	}
}

func (l *Limits) takeOne(r rule, what string, network netip.Prefix, max int, now time.Duration) (wait time.Duration) {
	hash, set := l.set(what, network)
	c := &set[0]
	for i := range set {
		if set[i].tag == hash && set[i].n > 0 {
			c = &set[i]
			break
		}
		if set[i].last < c.last || set[i].n == 0 { // whoever has rested longest gives way
			c = &set[i]
		}
	}
	if c.tag != hash || now-c.last >= r.window {
		*c = count{tag: hash}
	}
	if c.n >= max {
		return c.last + r.window - now
	}
	c.n++
	c.last = now
	return 0
}
