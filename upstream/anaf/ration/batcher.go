package ration

import (
	"iter"
	"slices"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
)

// priority ranks requests.
type priority int

const (
	again       priority = iota // its batch failed; it has waited longest
	interactive                 // a caller waits
	refresh                     // in the background: no caller waits
	alone                       // quarantined: requested alone, when nothing else waits
	ahead                       // a fresh entry is served meanwhile: spare capacity only
	priorities
)

// batcher holds the requests that are not in any call yet, and chooses the next batch. The most urgent requests come
// first. Callers of the same priority take turns (round robin), so that a caller with many companies does not block the
// others.
type batcher [priorities]line

// line holds the requests of one priority.
type line struct {
	turns  []*callerQueue // the next first; each has requests
	length int
}

// callerQueue holds the requests of one caller, the oldest first.
type callerQueue struct {
	caller   metering.BucketID
	requests []*request
}

func (q *batcher) push(r *request) {
	ln := &q[r.priority]
	c := ln.queueOf(r.caller)
	if c == nil {
		c = &callerQueue{caller: r.caller}
		ln.turns = append(ln.turns, c)
	}

	c.requests = append(c.requests, r)
	ln.length++
}

func (q *batcher) pushAs(p priority, r *request) {
	r.priority = p
	q.push(r)
}

// remove removes a request, and reports whether it was queued.
func (q *batcher) remove(r *request) bool {
	ln := &q[r.priority]
	c := ln.queueOf(r.caller)
	if c == nil {
		return false
	}

	i := slices.Index(c.requests, r)
	if i < 0 {
		return false
	}

	c.requests = slices.Delete(c.requests, i, i+1)
	if len(c.requests) == 0 {
		ln.turns = slices.DeleteFunc(ln.turns, func(other *callerQueue) bool { return other == c })
	}

	ln.length--
	return true
}

// promote makes a queued request interactive and puts it into the caller's turn, unless it is quarantined.
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

// maxOneByOne is the maximum number of quarantined companies that are requested one by one. If there are more, they
// were probably isolated during an outage and are not all poison. A single call then shows whether they are.
const maxOneByOne = 3

// ordinary removes the requests of the next batch from the queue. Requests ahead fill its free slots. If only
// quarantined requests wait, the batch is a probe of these.
func (q *batcher) ordinary() batch {
	others := q.batch(nil, anaf.MaxBatch)
	switch n := q[alone].length; {
	case len(others) > 0 || n == 0:
		return batch{others: q[ahead].take(others, anaf.MaxBatch)}
	case n <= maxOneByOne:
		return batch{probe: q[alone].take(nil, 1)}
	}

	return batch{probe: q[alone].take(nil, anaf.MaxBatch)}
}

// take appends requests, up to n in total. A company occurs at most once: a request for another day waits for the next
// call. A caller keeps its turn if all of its requests have to wait for that reason.
func (ln *line) take(taken []*request, n int) []*request {
	var passed []*callerQueue
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

// pop removes the oldest request for a company that is not among the others. It returns nil if there is none.
func (c *callerQueue) pop(others []*request) *request {
	for i, r := range c.requests {
		if !asksAbout(others, r.company.CUI) {
			c.requests = slices.Delete(c.requests, i, i+1)
			return r
		}
	}

	return nil
}

// asksAbout reports whether one of the requests is for a company, on any day.
func asksAbout(requests []*request, cui ro.CUI) bool {
	return slices.ContainsFunc(requests, func(r *request) bool { return r.company.CUI == cui })
}

// victim returns the request to displace from a full queue in favour of r: the newest request of a lower priority, or
// else the newest request of a caller with more queued requests than r's caller would have. It returns nil if there is
// none.
func (q *batcher) victim(r *request) *request {
	for p := alone; p > r.priority; p-- {
		if c := q[p].longest(); c != nil {
			return c.requests[len(c.requests)-1]
		}
	}

	ln, own := &q[r.priority], 1
	if c := ln.queueOf(r.caller); c != nil {
		own += len(c.requests)
	}
	if c := ln.longest(); c != nil && len(c.requests) > own {
		return c.requests[len(c.requests)-1]
	}

	return nil
}

// longest returns the queue with the most requests. It returns nil for an empty line.
func (ln *line) longest() *callerQueue {
	var longest *callerQueue
	for _, c := range ln.turns {
		if longest == nil || len(c.requests) > len(longest.requests) {
			longest = c
		}
	}

	return longest
}

// queueOf returns the queue of a caller, or nil.
func (ln *line) queueOf(caller metering.BucketID) *callerQueue {
	for _, c := range ln.turns {
		if c.caller == caller {
			return c
		}
	}

	return nil
}

// oldest returns the request that is next in turn. It returns nil for an empty line.
func (ln *line) oldest() *request {
	if ln.length == 0 {
		return nil
	}
	return ln.turns[0].requests[0]
}

// len returns the number of queued requests, except requests ahead, which do not count against the limit.
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
