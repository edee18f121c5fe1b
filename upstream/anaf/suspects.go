package anaf

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

// suspects are numbers of which one, it seems, makes the register fail whenever
// it is asked about them. A probe asks about half of them, and what comes of it
// shows in which half that number is. Those cleared of suspicion are spared: an
// ordinary batch asks about them again. The last suspect goes into quarantine.
// So the other 99 of a hundred numbers are answered within ten calls.
type suspects struct {
	tickets []*ticket
	// sure is false after a single failure, which may have been an accident: the
	// second half is then asked about even when the first is well.
	sure bool
	// whole asks about all of them once more before they are halved.
	whole bool
}

// probe is the next batch that narrows the suspects down. Numbers that were
// never in a failed batch ride along.
func (l *Lookup) probe() batch {
	s := l.suspects[0]
	l.suspects = l.suspects[1:]
	b := batch{asked: s.tickets, sure: s.sure, excused: l.well}
	if !s.whole {
		half := (len(s.tickets) + 1) / 2
		b.asked, b.rest = s.tickets[:half:half], s.tickets[half:]
	}
	b.riders = l.queue.pop(nil, MaxBatch-len(b.asked))
	return b
}

// narrow goes on with part of the suspects, of which there is at least one.
func (l *Lookup) narrow(s suspects) {
	if t := s.tickets[0]; len(s.tickets) == 1 && s.sure {
		l.quarantine.add(t.cui)
		if t.waiters == 0 {
			l.settle(t, Result{Err: errUnwanted})
			return
		}
		t.priority = alone
		l.queue.push(t)
		return
	}
	l.suspects = slices.Insert(l.suspects, 0, s)
}

// acquit concludes from a probe that was answered: the other half it is.
func (l *Lookup) acquit(b batch) {
	if len(b.rest) > 0 {
		l.narrow(suspects{tickets: b.rest, sure: b.sure, whole: !b.sure})
	}
}

// accuse keeps what may succeed another time of a batch that failed. It reports
// false when the failure is final.
func (l *Lookup) accuse(b batch, err error) bool {
	ordinary := len(b.asked) == 0
	if ordinary && !errors.Is(err, context.Canceled) { // which says nothing
		l.well = false
	}
	rejected := errors.Is(err, upstream.ErrRejected)
	switch {
	case !blames(err):
		l.spared = slices.Concat(b.rest, l.spared)
		return false
	case b.len() == 1 && ordinary && errors.Is(err, upstream.ErrConnection):
		l.narrow(suspects{tickets: b.riders, whole: true}) // it resets some for no reason
	case b.len() == 1:
		l.spared = slices.Concat(b.rest, l.spared)
		if rejected || b.excused {
			l.quarantine.add(b.tickets()[0].cui)
		}
		return false
	case ordinary:
		l.stats.Split++
		l.suspects = append(l.suspects, suspects{tickets: b.riders, sure: rejected})
	default:
		l.spared = slices.Concat(b.rest, l.spared, b.riders)
		l.narrow(suspects{tickets: b.asked, sure: true})
	}
	return true
}

// blames reports whether a failure may be due to the numbers that were asked
// about: an answer came that is none, or the connection broke.
func blames(err error) bool {
	var f *api.Failure
	return errors.As(err, &f) && f.Kind == api.Broken && !errors.Is(err, context.Canceled)
}

type excused struct{}

// withExcuse is the context of a probe whose failure says nothing against the
// register, which has just answered about others.
func withExcuse(ctx context.Context) context.Context {
	return context.WithValue(ctx, excused{}, true)
}

// excuse marks the failure of such a probe as our own, so that a breaker does
// not count it.
func excuse(ctx context.Context, err error) error {
	if ctx.Value(excused{}) == nil || !blames(err) {
		return err
	}
	return broken(fmt.Errorf("%w: %w", upstream.ErrRejected, err))
}
