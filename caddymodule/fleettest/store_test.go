package fleettest

import (
	"net/http"
	"testing"
	"time"
)

// inFlight is the maximum number of concurrent charged calls.
const inFlight = edges * (payersPerEdge + 1)

// testPostgresKilled checks that, while PostgreSQL is down, calls that cost credits get an immediate 503 and free
// calls are answered. Once it is back, everything recovers, and no charge is lost.
func testPostgresKilled(t *testing.T, f *fleet) {
	l := f.load(t)
	pause(2 * time.Second)
	killed := time.Now()
	f.postgres.process.Kill()
	gone := time.Now()
	pause(lasting(3*time.Second, 20*time.Second))
	back := time.Now()
	took := f.postgres.restart(t)
	up := time.Now()
	for i := range f.edges {
		t.Logf("edge %d charges again %s after PostgreSQL is back", i,
			l.recovered(t, charged, i, up).Round(time.Millisecond))
	}

	t.Logf("PostgreSQL took %s to recover", took.Round(time.Millisecond))
	for i := range f.edges {
		l.went(t, "before", charged, i, l.began, killed, http.StatusOK)
		y := l.went(t, "gone", charged, i, gone, back, http.StatusServiceUnavailable)
		if y.slowest > 2*time.Second {
			t.Errorf("a call that cannot be charged takes %s", y.slowest)
		}

		l.went(t, "all the time", free, i, l.began, time.Now(), http.StatusOK)
	}

	pause(lasting(1500*time.Millisecond, 0)) // by then edges listen again
	for i, took := range l.doomed(t).revoke(t, revocationPromise+time.Second) {
		t.Logf("edge %d refuses a revoked key after %s", i, took.Round(time.Millisecond))
	}

	l.audit(t, inFlight)
}

// testPostgresSlow checks that slow answers of PostgreSQL delay charged calls or make them fail, in bounded time, and
// do not affect free calls.
func testPostgresSlow(t *testing.T, f *fleet) {
	l := f.load(t)
	for _, delay := range []time.Duration{200 * time.Millisecond, 5 * time.Second} {
		began := time.Now()
		for _, e := range f.edges {
			e.postgres.set(state{delay: delay})
		}

		pause(lasting(5*time.Second, 40*time.Second))
		healed := time.Now()
		for _, e := range f.edges {
			e.postgres.set(state{})
		}

		for i := range f.edges {
			t.Logf("edge %d charges as usual %s after a delay of %s", i,
				l.recovered(t, charged, i, healed).Round(time.Millisecond), delay)
		}

		for i := range f.edges {
			if y := l.went(t, delay.String(), charged, i, began, time.Now(), http.StatusOK,
				http.StatusServiceUnavailable); y.slowest > silence {
				t.Errorf("a charged call takes %s", y.slowest)
			}
			if y := l.went(t, delay.String(), free, i, began, time.Now(), http.StatusOK); y.slowest > time.Second {
				t.Errorf("a free call takes %s", y.slowest)
			}
		}
	}

	l.audit(t, 2*inFlight)
}
