package anaf

import (
	"iter"
	"slices"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/metering"
)

// priority ranks requests.
type priority int

const (
	again       priority = iota // cleared of having spoilt a batch, and waiting since
	interactive                 // a caller waits
	refresh                     // in the background: nobody waits
	alone                       // quarantined: asked about alone, when nothing else waits
	ahead                       // a fresh entry is served meanwhile: only with spare capacity
	priorities
)

// batcher holds the requests that no call has asked about, and chooses those of the
// next batch: the most urgent first, the callers of one priority in turn (round
// robin), so that one who wants many companies does not keep the others waiting.
type batcher [priorities]line

// line is the requests of one priority.
type line struct {
	turns  []*claim // the next first; each has requests
	length int
}

// claim is the requests of one caller, the oldest first.
type claim struct {
	caller   metering.BucketID
	requests []*request
}

func (q *batcher) push(r *request) {
	ln := &q[r.priority]
	c := ln.claim(r.caller)
	if c == nil {
		c = &claim{caller: r.caller}
		ln.turns = append(ln.turns, c)
	}

	c.requests = append(c.requests, r)
	ln.length++
}

func (q *batcher) pushAs(p priority, r *request) {
	r.priority = p
	q.push(r)
}

// remove takes out a request, if it is queued.
func (q *batcher) remove(r *request) bool {
	ln := &q[r.priority]
	c := ln.claim(r.caller)
	if c == nil {
		return false
	}

	i := slices.Index(c.requests, r)
	if i < 0 {
		return false
	}

	c.requests = slices.Delete(c.requests, i, i+1)
	if len(c.requests) == 0 {
		ln.turns = slices.DeleteFunc(ln.turns, func(other *claim) bool { return other == c })
	}

	ln.length--
	return true
}

// promote makes a request interactive, in the turn of a caller, unless it is
// quarantined.
func (q *batcher) promote(r *request, caller metering.BucketID) {
	if r.priority <= interactive || r.priority == alone {
		return
	}
	queued := q.remove(r)
	r.priority, r.caller = interactive, caller
	if queued {
		q.push(r)
	}
}

// batch adds requests of suspicion-free numbers, those ahead excepted, to those of a call,
// until these are n.
func (q *batcher) batch(taken []*request, n int) []*request {
	for p := again; p <= refresh; p++ {
		taken = q[p].take(taken, n)
	}
	return taken
}

// few is how many quarantined companies are asked about one by one. More are hardly all
// poison, but were isolated while the registry was unwell: one call shows.
const few = 3

// ordinary takes the requests of the next batch. Requests ahead fill its free places. When
// there are none but quarantined ones, it is a probe of these.
func (q *batcher) ordinary() batch {
	others := q.batch(nil, MaxBatch)
	switch n := q[alone].length; {
	case len(others) > 0 || n == 0:
		return batch{others: q[ahead].take(others, MaxBatch)}
	case n <= few:
		return batch{probe: q[alone].take(nil, 1)}
	}
	return batch{probe: q[alone].take(nil, MaxBatch)}
}

// take appends requests to those taken, until these are n. A company is at most once among
// them: on another day it waits for the next call. A claim that has nothing else to ask keeps
// its turn.
func (ln *line) take(taken []*request, n int) []*request {
	var passed []*claim
	for len(ln.turns) > 0 && len(taken) < n {
		c := ln.turns[0]
		ln.turns = ln.turns[1:]
		r := c.pop(taken)
		if r == nil {
			passed = append(passed, c)
			continue
		}

		taken = append(taken, r)
		ln.length--
		if len(c.requests) > 0 {
			ln.turns = append(ln.turns, c)
		}
	}

	ln.turns = append(passed, ln.turns...)
	return taken
}

// pop takes out the oldest request about a company that none of the others is about; nil
// when there is none.
func (c *claim) pop(others []*request) *request {
	for i, r := range c.requests {
		if !asksAbout(others, r.company.CUI) {
			c.requests = slices.Delete(c.requests, i, i+1)
			return r
		}
	}
	return nil
}

// asksAbout reports whether one of the requests is about a company, on whatever day.
func asksAbout(requests []*request, cui api.CUI) bool {
	return slices.ContainsFunc(requests, func(r *request) bool { return r.company.CUI == cui })
}

// yielding is the request that makes room for another one in a full queue: the newest
// of a lower priority, else the newest of a caller who has more queued than the other
// one would have. It is nil when there is none.
func (q *batcher) yielding(r *request) *request {
	for p := alone; p > r.priority; p-- {
		if c := q[p].longest(); c != nil {
			return c.requests[len(c.requests)-1]
		}
	}

	ln, own := &q[r.priority], 1
	if c := ln.claim(r.caller); c != nil {
		own += len(c.requests)
	}
	if c := ln.longest(); c != nil && len(c.requests) > own {
		return c.requests[len(c.requests)-1]
	}

	return nil
}

// longest is the claim with the most requests, nil in an empty line.
func (ln *line) longest() *claim {
	var longest *claim
	for _, c := range ln.turns {
		if longest == nil || len(c.requests) > len(longest.requests) {
			longest = c
		}
	}
	return longest
}

// claim is a caller's, or nil.
func (ln *line) claim(caller metering.BucketID) *claim {
	for _, c := range ln.turns {
		if c.caller == caller {
			return c
		}
	}
	return nil
}

// oldest is the request whose turn is next, nil in an empty line.
func (ln *line) oldest() *request {
	if ln.length == 0 {
		return nil
	}
	return ln.turns[0].requests[0]
}

// len is how many requests are queued, except those ahead, which take no room.
func (q *batcher) len() (n int) {
	for p := range ahead {
		n += q[p].length
	}
	return n
}

// all iterates over the queued requests.
func (q *batcher) all() iter.Seq[*request] {
	return func(yield func(*request) bool) {
		for _, ln := range q {
			for _, c := range ln.turns {
				for _, r := range c.requests {
					if !yield(r) {
						return
					}
				}
			}
		}
	}
}
