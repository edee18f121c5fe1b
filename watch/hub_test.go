package watch

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// woken reports whether a channel is closed.
func woken(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestHubWakesAllWhoWait(t *testing.T) {
	h := NewHub(nil)
	h.Wake() // no waiting followers
	first, second := h.Wait(), h.Wait()
	if woken(first) || woken(second) {
		t.Error("followers are woken by an event from before they waited")
	}

	h.Wake()
	if !woken(first) || !woken(second) {
		t.Error("followers were not woken")
	}
	if woken(h.Wait()) {
		t.Error("a follower that waits again is woken by the previous event")
	}
}

func TestHubLearnsOfOtherEdges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var latest, asked atomic.Int64
		h := NewHub(func(context.Context) (int64, error) { asked.Add(1); return latest.Load(), nil })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.Poll(ctx)

		<-time.After(time.Minute)
		synctest.Wait()
		if asked := asked.Load(); asked != 0 {
			t.Errorf("the hub polled %d times without waiting followers", asked)
		}

		<-h.Wait() // the first check may follow an event
		follower := h.Wait()
		<-time.After(time.Minute)
		synctest.Wait()
		if asked := asked.Load(); woken(follower) || asked < 60 {
			t.Errorf("woken without an event: %v; asked %d times in a minute", woken(follower), asked)
		}

		latest.Store(7)
		before := time.Now()
		<-follower
		if took := time.Since(before); took > pollEvery {
			t.Errorf("it took %s to notice the event of another edge", took)
		}
	})
}
