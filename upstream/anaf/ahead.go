package anaf

import (
	"fmt"
	"slices"
	"time"

	"github.com/rodata/rodata/cache"
)

// A popular company is asked about before its copy in the cache becomes stale, as
// long as that costs nobody anything: it takes a free place in a call that is made
// for others. When there was none for a while, the popular companies get a call of
// their own, if nothing else waits or runs. So that is made seldom, and with many
// of them: somebody who comes just after it has to wait for the pace.

// errNoPlace is why a company is not renewed ahead.
var errNoPlace = fmt.Errorf("no call has a place to spare: %w", cache.ErrPutOff)

// admitAhead makes sure that there is a free place in the next call for a company
// that is renewed ahead, and that there will be such a call. It needs the lock.
func (l *Lookup) admitAhead(t *ticket) error {
	switch {
	case l.closed:
		return closed(0, errClosing)
	case l.waiting()+l.queue[ahead].length >= MaxBatch,
		time.Until(l.next) > l.patienceAhead(), // the register has asked to be left alone
		l.quarantine.has(t.cui),
		l.options.Shut != nil && l.options.Shut():
		return closed(0, errNoPlace)
	}
	return nil
}

// patienceAhead is how long a company waits for a free place in a call: then there
// is still time for one of its own.
func (l *Lookup) patienceAhead() time.Duration { return l.options.Deadline / 2 }

// waitAhead is how long to wait before a call for nobody but the companies that
// are renewed ahead. It needs the lock.
func (l *Lookup) waitAhead() time.Duration {
	ln := &l.queue[ahead]
	if ln.length == 0 || l.calls > 0 {
		return time.Hour
	}
	oldest := ln.turns[0].tickets[0]
	return max(time.Until(l.next), time.Until(oldest.since.Add(l.patienceAhead())))
}

// dropAhead ends the part that companies renewed ahead have in a call that failed:
// they are not worth another. The others get one without them if one of these may
// have been what the register could not bear, and it reports true then, and when
// there are no others.
func (l *Lookup) dropAhead(b *batch, err error) bool {
	n := len(b.riders)
	b.riders = slices.DeleteFunc(b.riders, func(t *ticket) bool {
		if t.priority != ahead {
			return false
		}
		l.settle(t, Result{Err: err})
		return true
	})
	switch {
	case len(b.riders) == n:
		return false
	case b.len() == 0:
		return true
	case blames(err):
		l.well = false
		l.suspects = append(l.suspects, suspects{tickets: b.riders, whole: true})
		return true
	}
	return false
}
