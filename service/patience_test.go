package service

import (
	"testing"
	"time"
)

func TestPatience(t *testing.T) {
	now := time.Now()
	var p patience
	for range 3 {
		if got := p.next(now); got != fullPatience {
			t.Errorf("with a store that answers: %s", got)
		}
	}

	if p.report(false) || !p.report(true) || p.report(true) {
		t.Error("only the first failure is news")
	}
	if got := p.next(now.Add(probePause - 1)); got != failingPatience {
		t.Errorf("after a failure: %s", got)
	}
	if got := p.next(now.Add(probePause)); got != fullPatience {
		t.Errorf("a while later: %s", got)
	}
	if got := p.next(now.Add(probePause + 1)); got != failingPatience {
		t.Errorf("beside the call that tries: %s", got)
	}
	if !p.report(false) || p.next(now.Add(probePause+2)) != fullPatience {
		t.Error("the store is back")
	}
}
