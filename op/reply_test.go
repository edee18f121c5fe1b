package op

import (
	"net/http"
	"testing"
	"time"
)

// The cached freshness headers of a document never differ from newly computed headers.
func TestKeptHeadersAreThoseOfTheMoment(t *testing.T) {
	start := time.Date(2026, 6, 10, 13, 0, 0, 250e6, time.UTC)
	for name, life := range map[string]Freshness{
		"stored": {Cache: Hit, RetrievedAt: start.Add(-3600 * time.Millisecond),
			FreshUntil: start.Add(2350 * time.Millisecond), MaxAge: 4 * time.Second},
		"asked for": {Cache: Miss, RetrievedAt: start, FreshUntil: start.Add(time.Hour), MaxAge: 4 * time.Second},
		"built in":  BuiltIn,
	} {
		renewed := life
		renewed.FreshUntil = start.Add(time.Minute)
		same, other := NewDocument([]byte(`{}`)), NewDocument([]byte(`{}`))
		for at := start; at.Sub(start) < 5*time.Second; at = at.Add(70 * time.Millisecond) {
			for i, reply := range []Reply{
				{Document: same, Freshness: life},
				{Document: other, Freshness: life}, {Document: other, Freshness: renewed},
				{Document: other, Freshness: renewed, Private: true},
			} {
				reply.Status, reply.arrival, reply.Duration = 200, at.Add(-time.Millisecond), time.Millisecond
				got, want := http.Header{}, http.Header{}
				reply.WriteHeader(got)
				reply.Document = NewDocument(reply.Document.JSON)
				reply.WriteHeader(want)
				for _, h := range []string{"Cache-Control", "Cache-Status", "Age"} {
					if value(got, h) != value(want, h) {
						t.Errorf("%s (%d), %v later: %s is %q, want %q", name, i, at.Sub(start), h, value(got, h),
							value(want, h))
					}
				}
			}
		}
	}
}

func TestCacheStatusSaysWhatIsStored(t *testing.T) {
	now := time.Now()
	for want, f := range map[string]Freshness{
		"rodata; fwd=miss; stored":           {Cache: Miss, RetrievedAt: now, FreshUntil: now.Add(time.Hour)},
		"rodata; fwd=miss":                   {Cache: Miss}, // of a registry that failed
		"rodata; hit; ttl=3600":              {Cache: Hit, RetrievedAt: now, FreshUntil: now.Add(time.Hour)},
		"rodata; hit; ttl=-60; detail=stale": {Cache: Hit, RetrievedAt: now, FreshUntil: now.Add(-time.Minute)},
	} {
		if got := newStamp(&Reply{Freshness: f, arrival: now}).status[0]; got != want {
			t.Errorf("%+v: got %s, want %s", f, got, want)
		}
	}
}
