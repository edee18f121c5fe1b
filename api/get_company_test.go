package api

import (
	"testing"
	"time"

	"github.com/rodata/rodata/op"
)

// An answer with several parts has the age of the oldest part and expires with the first part that does.
func TestFreshnessOfSeveralParts(t *testing.T) {
	now := time.Now()
	a := op.Freshness{Cache: op.Hit, RetrievedAt: now, FreshUntil: now.Add(time.Hour), MaxAge: time.Minute}
	b := op.Freshness{Cache: op.Miss, RetrievedAt: now.Add(-time.Hour), FreshUntil: now.Add(time.Minute),
		MaxAge: time.Second}
	for name, c := range map[string]struct{ a, b, want op.Freshness }{
		"older": {a, b, b}, "newer": {b, a, b}, "the same": {a, a, a},
		"without data":     {a, op.Freshness{Cache: op.Hit, MaxAge: time.Hour}, a},
		"to what has none": {op.Freshness{Cache: op.Hit, MaxAge: time.Hour}, a, a},
	} {
		if got := c.a.With(c.b); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
