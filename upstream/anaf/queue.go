package anaf

import (
	"slices"

	"github.com/rodata/rodata/metering"
)

// priority is who goes first.
type priority int

const (
	interactive priority = iota // somebody waits for the answer
	refresh                     // nobody waits: a stored copy is served meanwhile, or nobody has asked yet
	alone                       // in quarantine: asked about alone, when nothing else waits
	ahead                       // a fresh copy is served meanwhile: only when it costs nobody anything
	priorities
)

// queue is the numbers that are not yet asked about.
type queue [priorities]line

// line is the numbers of one priority. The callers take turns, so that one who
// wants many does not keep the others waiting.
type line struct {
	turns  []*claim // the next first; each has tickets
	length int
}

// claim is what one caller waits for, the oldest first.
type claim struct {
	caller  metering.BucketID
	tickets []*ticket
}

func (q *queue) push(t *ticket) {
	ln := &q[t.priority]
	c := ln.claim(t.caller)
	if c == nil {
		c = &claim{caller: t.caller}
		ln.turns = append(ln.turns, c)
	}
	c.tickets = append(c.tickets, t)
	ln.length++
	t.queued = true
}

// pop appends tickets until there are n: first of interactive callers, then of
// refreshes.
func (q *queue) pop(taken []*ticket, n int) []*ticket {
	for p := interactive; p < alone; p++ {
		taken = q[p].fill(taken, n)
	}
	return taken
}

// fill appends tickets until there are n.
func (ln *line) fill(taken []*ticket, n int) []*ticket {
	for ln.length > 0 && len(taken) < n {
		taken = append(taken, ln.pop())
	}
	return taken
}

func (ln *line) pop() *ticket {
	c := ln.turns[0]
	t := c.tickets[0]
	ln.turns, c.tickets = ln.turns[1:], c.tickets[1:]
	if len(c.tickets) > 0 {
		ln.turns = append(ln.turns, c)
	}
	ln.length--
	t.queued = false
	return t
}

// remove takes out a ticket that is queued.
func (q *queue) remove(t *ticket) {
	ln := &q[t.priority]
	c := ln.claim(t.caller)
	c.tickets = slices.DeleteFunc(c.tickets, func(other *ticket) bool { return other == t })
	if len(c.tickets) == 0 {
		ln.turns = slices.DeleteFunc(ln.turns, func(other *claim) bool { return other == c })
	}
	ln.length--
	t.queued = false
}

// lift moves a ticket up to the turn of a caller with higher priority.
func (q *queue) lift(t *ticket, p priority, caller metering.BucketID) {
	queued := t.queued
	if queued {
		q.remove(t)
	}
	t.priority, t.caller = p, caller
	if queued {
		q.push(t)
	}
}

// yielding is the ticket that makes room for another one in a full queue: the
// newest of a lower priority, else the newest of a caller who has more waiting
// than the other one would have. It is nil when there is none.
func (q *queue) yielding(t *ticket) *ticket {
	for p := alone; p > t.priority; p-- {
		if c := q[p].longest(); c != nil {
			return c.tickets[len(c.tickets)-1]
		}
	}
	ln, own := &q[t.priority], 1
	if c := ln.claim(t.caller); c != nil {
		own += len(c.tickets)
	}
	if c := ln.longest(); c != nil && len(c.tickets) > own {
		return c.tickets[len(c.tickets)-1]
	}
	return nil
}

// longest is the claim with the most tickets, nil in an empty line.
func (ln *line) longest() *claim {
	var longest *claim
	for _, c := range ln.turns {
		if longest == nil || len(c.tickets) > len(longest.tickets) {
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

// len is how many tickets are queued, but for those renewed ahead, which take no
// room.
func (q *queue) len() (n int) {
	for p := range ahead {
		n += q[p].length
	}
	return n
}
