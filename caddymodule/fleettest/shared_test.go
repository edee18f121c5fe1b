package fleettest

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// testRedisKilled checks that, while Redis is down, no call fails, all edges together admit no more than the rate
// limit plus the documented excess, and the rate limit of the tax authority is kept. Once Redis is back, even if it is
// empty, the edges share limits again.
func testRedisKilled(t *testing.T, f *fleet) {
	l := f.load(t)
	l.crowd()
	pause(4 * time.Second)
	f.redis.Kill()
	pause(lasting(6*time.Second, 40*time.Second))
	back := time.Now()
	f.redis.Restart()
	for i, e := range f.edges {
		e.awaitRedis(t, true)
		t.Logf("edge %d shares again after %s", i, time.Since(back).Round(time.Millisecond))
	}

	pause(2 * time.Second)
	l.stop()
	for i := range f.edges {
		for _, k := range []kind{free, charged} {
			l.went(t, "all the time", k, i, l.began, time.Now(), http.StatusOK)
		}

		l.went(t, "all the time", unknown, i, l.began, time.Now(), http.StatusNotFound)
		l.went(t, "all the time", rated, i, l.began, time.Now(), http.StatusOK, http.StatusTooManyRequests)
	}

	l.checkRate(t)
	l.checkPace(t)
	l.audit(t, 0)
}

// crowd adds callers of an account with a low rate, and callers that request data which only the tax authority has.
func (l *load) crowd() {
	for i := range l.fleet.edges {
		for range 2 {
			l.caller(rated, i, l.rated, callEvery/2)
			l.caller(unknown, i, nil, callEvery)
		}
	}
}

// checkRate checks how many calls of the account with the low rate were admitted. The limit is the rate and the burst,
// plus a part of the burst each time an edge loses Redis or starts without it, a part of the rate while some edges have
// Redis and others do not, and the whole burst each time all edges have lost it. At least 0.8 of the rate must be
// admitted. While the other edges are without Redis, the share of a dead edge is unused; the burst compensates for it.
func (l *load) checkRate(t *testing.T) {
	t.Helper()
	calls := l.callsBetween(rated, -1, l.began, time.Now())
	passed := tallied(calls).status[http.StatusOK]
	var last time.Time
	for _, c := range calls {
		if c.ended().After(last) {
			last = c.ended()
		}
	}

	s := l.separations()
	due := last.Sub(l.began).Seconds() * rate
	allowed := due + burst + float64(s.switches*burst/edges+edges) + // one token per bucket allows for rounding
		s.partly.Seconds()*rate/edges + float64(s.wholly*burst)
	t.Logf("of %d calls in %s %d passed; the rate alone gives %.0f, and %.0f are allowed after %s",
		len(calls), last.Sub(l.began).Round(100*time.Millisecond), passed, due, allowed, s)
	if float64(passed) > allowed || float64(passed) < 0.8*due {
		t.Errorf("the low rate: %d of %d calls passed, want from %.0f to %.0f after %s", passed, len(calls), 0.8*due,
			allowed, s)
	}
}

// separations are the periods in which edges were without Redis. On a busy machine, an edge may also lose Redis
// because its answers are late.
type separations struct {
	switches int           // how often an edge lost it or started without it
	wholly   int           // how often the last one did
	partly   time.Duration // the sum over all edges of the times without it while others had it
	calm     []span        // when all edges had Redis and had formed their queue
}

// span is a period between two times.
type span struct{ from, to time.Time }

// String implements fmt.Stringer.
func (s separations) String() string {
	return fmt.Sprintf("%d times that an edge lost Redis, %d times that all had, and %s of single ones", s.switches,
		s.wholly, s.partly.Round(10*time.Millisecond))
}

// separations returns the separations during this load. An edge that is without Redis when the load begins counts as
// having lost it then.
func (l *load) separations() (s separations) {
	var changes []change
	for _, e := range l.fleet.edges {
		changes = append(changes, e.changes()...)
	}

	slices.SortFunc(changes, func(a, b change) int { return a.at.Compare(b.at) })
	changes = append(changes, change{at: time.Now()})
	without, since, formed := map[int]bool{}, l.began, l.began
	for _, c := range changes {
		if c.at.After(l.began) {
			if since.Equal(l.began) { // this is the first one since
				s.switches = len(without)
			}

			switch n := len(without); {
			case n == 0:
				s.calm = append(s.calm, span{formed, c.at})
			case n < edges:
				s.partly += time.Duration(n) * c.at.Sub(since)
			}

			since, formed = c.at, c.at.Add(edges*pace)
		}

		if !c.away {
			delete(without, c.edge)
			continue
		}

		without[c.edge] = true
		if c.at.After(l.began) {
			s.switches++
			if len(without) == edges {
				s.wholly++
			}
		}
	}

	return s
}

// pace is the minimum interval between two requests to the tax authority.
const pace = 1050 * time.Millisecond

// checkPace checks the number of requests to the tax authority. The limit is its pace, plus one request each time an
// edge leaves the queue or returns to it, and a part of the pace for an edge while it alone is without Redis.
func (l *load) checkPace(t *testing.T) {
	t.Helper()
	asked, lasted, s := l.fleet.authority.since(l.began), time.Since(l.began), l.separations()
	allowed := int((lasted+s.partly/edges)/pace) + 1 + 2*s.switches
	t.Logf("the tax authority was asked %d times in %s, %d are allowed after %s; at most %d times in a second, the "+
		"closest %s apart",
		len(asked), lasted.Round(100*time.Millisecond), allowed, s, most(asked, time.Second),
		closest(asked).Round(time.Millisecond))
	if len(asked) > allowed || len(asked) < allowed/4 {
		t.Errorf("the tax authority was asked %d times, want at most %d and at least a fourth of that",
			len(asked), allowed)
	}

	for _, calm := range s.calm {
		turns := slices.DeleteFunc(slices.Clone(asked),
			func(at time.Time) bool { return at.Before(calm.from) || at.After(calm.to) })
		if least := closest(turns); least < pace*3/4 { // the rest is a margin for a busy machine
			t.Errorf("two requests were %s apart, want %s", least, pace)
		}
	}
}
