package fleettest

import (
	"net/http"
	"testing"
	"time"
)

// silence is the maximum time until a charged call is rejected when the network drops everything: 5 seconds to look up
// its key, 5 for the charges before it and 5 for its own; and once a minute 10 for the ledger's other writes.
const silence = 25 * time.Second

// testConnectionsReset checks that an edge without a connection to PostgreSQL rejects charged calls and still answers
// free calls, that an edge without a connection to Redis answers all calls, and that the third edge is not affected.
// Once the network works again, all edges recover.
func testConnectionsReset(t *testing.T, f *fleet) {
	l := f.load(t)
	l.cutOff(t, state{cut: true}, lasting(2*time.Second, 30*time.Second))
	l.audit(t, payersPerEdge+1)
}

// testNetworkSilent checks the same with a network that drops all packets, so that calls wait until they are rejected.
// It also checks that all edges soon reject a key that is revoked in the meantime.
func testNetworkSilent(t *testing.T, f *fleet) {
	l := f.load(t)
	l.cutOff(t, state{silent: true}, lasting(7*time.Second, time.Minute))
	l.audit(t, payersPerEdge+1)
}

// cutOff disconnects edge 0 from PostgreSQL and edge 1 from Redis for a while.
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
	if y := tallied(l.callsBetween(charged, 0, cut, healed)); y.calls > 0 && !y.only(http.StatusServiceUnavailable) ||
		y.calls == 0 && fault.cut {
		t.Errorf("cut: edge 0: charged: %s", y) // while packets are dropped, all calls may wait longer than this
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
