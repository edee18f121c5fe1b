package fleettest

import (
	"net/http"
	"testing"
	"time"
)

// silence is how long a charged call takes at most to be refused when the network
// swallows everything: 5 seconds to look for its key, 5 for the charges before it and
// 5 for its own; and once a minute 10 for what else the ledger writes then.
const silence = 25 * time.Second

// testConnectionsReset: an edge that is cut off from PostgreSQL refuses what must be
// charged and goes on with what is free; one that is cut off from Redis goes on
// with everything, and the third does not notice. All is well when the network is.
func testConnectionsReset(t *testing.T, f *fleet) {
	l := f.load(t)
	l.cutOff(t, state{cut: true}, lasting(2*time.Second, 30*time.Second))
	l.audit(t, payersPerEdge+1)
}

// testNetworkSilent: the same, when everything is swallowed, with calls that have to
// wait to be refused. A key that is revoked meanwhile is refused by all before long.
func testNetworkSilent(t *testing.T, f *fleet) {
	l := f.load(t)
	l.cutOff(t, state{silent: true}, lasting(7*time.Second, time.Minute))
	l.audit(t, payersPerEdge+1)
}

// cutOff cuts edge 0 off from PostgreSQL and edge 1 from Redis for a while.
func (l *load) cutOff(t *testing.T, fault state, d time.Duration) {
	t.Helper()
	f := l.fleet
	began := time.Now()
	pause(time.Second)
	key := l.doomed(t)
	before := time.Now()
	f.edges[0].postgres.set(fault)
	f.edges[1].redis.set(fault)
	cut := time.Now()
	if d > revocationPromise {
		for i, took := range key.revoke(t, revocationPromise+time.Second) {
			t.Logf("edge %d accepts a key for %s after it was revoked", i, took.Round(time.Millisecond))
		}
	}
	pause(time.Until(cut.Add(d)))
	healed := time.Now()
	f.edges[0].postgres.set(state{})
	f.edges[1].redis.set(state{})
	t.Logf("edge 0 charges again after %s", l.recovered(t, charged, 0, healed).Round(time.Millisecond))
	f.edges[1].awaitRedis(t, true)
	t.Logf("edge 1 shares again after %s", time.Since(healed).Round(time.Millisecond))
	now := time.Now()
	l.went(t, "before", charged, 0, began, before, http.StatusOK)
	if y := tallied(l.between(charged, 0, cut, healed)); y.calls > 0 && !y.only(http.StatusServiceUnavailable) ||
		y.calls == 0 && fault.cut {
		t.Errorf("cut: edge 0: charged: %s", y) // in silence they may all wait for longer
	} else {
		t.Logf("cut: edge 0: charged: %s", y)
	}
	if y := l.went(t, "all the time", charged, 0, began, now, http.StatusOK,
		http.StatusServiceUnavailable); y.slowest > silence {
		t.Errorf("a call that cannot be charged takes %s", y.slowest)
	}
	l.went(t, "all the time", free, 0, began, now, http.StatusOK)
	for _, k := range []kind{free, charged} {
		l.went(t, "all the time", k, 1, began, now, http.StatusOK)
		l.went(t, "all the time", k, 2, began, now, http.StatusOK)
	}
}
