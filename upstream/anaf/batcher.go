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
	again       priority = iota // cleared of having failed a batch, and waiting since
	interactive                 // a caller waits
	refresh                     // in the background: no caller waits
	alone                       // quarantined: requested alone, when nothing else waits
	ahead                       // a fresh entry is served meanwhile: spare capacity only
	priorities
)

// batcher holds the requests that are not in any call yet, and chooses the next batch: the most urgent first, and
// callers of the same priority in turn (round robin), so that one with many companies does not block the others.
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

// remove removes a request, if it is queued.
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

// promote makes a request interactive, in a caller's turn, unless it is quarantined.
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

// batch adds ordinary requests, except refreshes ahead, to a call's requests, up to n in total.
func (q *batcher) batch(taken []*request, n int) []*request {
	for p := again; p <= refresh; p++ {
		taken = q[p].take(taken, n)
	}
	return taken
}

// few is the number of quarantined companies that are requested one by one. More are unlikely to be all poison, and
// were probably isolated during an outage: a single call clarifies that.
const few = 3

// ordinary removes the requests of the next batch. Requests ahead fill its free places. If there are only quarantined
// ones, the batch is a probe of these.
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

// take appends requests, up to n in total. A company occurs at most once: a request for another day waits for the next
// call. A claim without other requests keeps its turn.
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

// pop removes the oldest request whose company is not among the others; nil if there is none.
func (c *claim) pop(others []*request) *request {
	for i, r := range c.requests {
		if !asksAbout(others, r.company.CUI) {
			c.requests = slices.Delete(c.requests, i, i+1)
			return r
		}
	}
	return nil
}

// asksAbout reports whether one of the requests is for a company, on any day.
func asksAbout(requests []*request, cui api.CUI) bool {
	return slices.ContainsFunc(requests, func(r *request) bool { return r.company.CUI == cui })
}

// yielding returns the request to displace from a full queue: the newest of a lower priority, otherwise the newest of a
// caller that has more queued requests than the new one's caller would have. It is nil if there is none.
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

// longest returns the claim with the most requests; nil for an empty line.
func (ln *line) longest() *claim {
	var longest *claim
	for _, c := range ln.turns {
		if longest == nil || len(c.requests) > len(longest.requests) {
			longest = c
		}
	}
	return longest
}

// claim returns a caller's claim, or nil.
func (ln *line) claim(caller metering.BucketID) *claim {
	for _, c := range ln.turns {
		if c.caller == caller {
			return c
		}
	}
	return nil
}

// oldest returns the request whose turn is next; nil for an empty line.
func (ln *line) oldest() *request {
	if ln.length == 0 {
		return nil
	}
	return ln.turns[0].requests[0]
}

// len returns the number of queued requests, except those ahead, which do not count against the limit.
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
