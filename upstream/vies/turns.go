package vies

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/metering"
)

// turns distributes the slots of a lane. Callers take turns, so that a caller with many questions does not delay one
// with few. After a busy answer, it pauses for all callers.
type turns struct {
	mu      sync.Mutex
	running int
	waiting map[metering.BucketID][]chan struct{} // closed when a slot is given
	order   []metering.BucketID                   // the waiting callers; the first one is next

	pause time.Duration // the last pause; 0 after an answer
	until time.Time     // no question starts before this time
	why   error         // the answer that made it pause
}

// take waits for a slot. It returns cache.ErrPutOff if the question's callers have left, or the error of the context.
func (t *turns) take(ctx context.Context, caller metering.BucketID, abandoned <-chan struct{}) error {
	slot := t.join(caller)
	select {
	case <-slot:
	case <-abandoned:
	case <-ctx.Done():
	}

	err := ctx.Err() // also when the slot was given at the same time
	select {
	case <-abandoned:
		err = cache.ErrPutOff
	default:
	}

	if err != nil {
		t.leave(caller, slot)
	}

	return err
}

func (t *turns) join(caller metering.BucketID) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting = make(map[metering.BucketID][]chan struct{})
	}
	if len(t.waiting[caller]) == 0 {
		t.order = append(t.order, caller)
	}

	slot := make(chan struct{})
	t.waiting[caller] = append(t.waiting[caller], slot)
	t.next()
	return slot
}

// leave gives up a slot, or the wait for it.
func (t *turns) leave(caller metering.BucketID, slot chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.Index(t.waiting[caller], slot)
	if at < 0 {
		t.running--
		t.next()
		return
	}

	t.waiting[caller] = slices.Delete(t.waiting[caller], at, at+1)
	if len(t.waiting[caller]) == 0 {
		delete(t.waiting, caller)
		t.order = slices.DeleteFunc(t.order, func(id metering.BucketID) bool { return id == caller })
	}
}

// give returns a slot.
func (t *turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	t.next()
}

// next gives the free slots to the next callers. The caller holds the lock.
func (t *turns) next() {
	for len(t.order) > 0 && t.running < t.slots() && !time.Now().Before(t.until) {
		caller := t.order[0]
		t.order = t.order[1:]
		close(t.waiting[caller][0])
		t.running++

		if t.waiting[caller] = t.waiting[caller][1:]; len(t.waiting[caller]) > 0 {
			t.order = append(t.order, caller)
		} else {
			delete(t.waiting, caller)
		}
	}
}

// slots returns the permitted number of concurrent questions. After a busy answer, it is one until the state has
// answered again.
func (t *turns) slots() int {
	if t.pause > 0 {
		return 1
	}
	return maxConcurrent
}

// backOff pauses the lane. Each pause is twice as long as the previous one, until there is an answer. Busy answers that
// arrive during a pause have no effect.
func (t *turns) backOff(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if now.Before(t.until) {
		return
	}

	t.pause, t.why = min(max(2*t.pause, firstPause), lastPause), why
	wait := jitter(t.pause)
	t.until = now.Add(wait)
	time.AfterFunc(wait, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.next()
	})
}

// resetPause resets the pause after an answer. Answers that arrive during a pause have no effect, because their
// questions were sent before it.
func (t *turns) resetPause() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !time.Now().Before(t.until) {
		t.pause, t.why = 0, nil
	}
}

// pausedBy returns the answer that made the lane pause. It returns nil if the lane does not pause.
func (t *turns) pausedBy() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why
}

// jitter returns a random duration between 50 % and 150 % of the pause.
func jitter(pause time.Duration) time.Duration { return pause/2 + rand.N(pause) }
