package fleettest

import (
	"net/http"
	"testing"
	"time"
)

// testEdgeKilled checks that a killed edge loses only its calls in flight. The other edges continue, and so does the
// killed edge after a restart.
func testEdgeKilled(t *testing.T, f *fleet) {
	l := f.load(t)
	l.crowd() // the killed edge may be fetching companies for the others
	kills := 1
	if long() {
		kills = 10
	}

	for range kills {
		pause(2 * time.Second)
		f.edges[0].Kill()
		pause(time.Second)
		began := time.Now()
		answers := f.edges[0].start(t)
		t.Logf("edge 0 answers %s after its start, and charges after %s", answers.Round(time.Millisecond),
			l.recovered(t, charged, 0, began).Round(time.Millisecond))
	}

	pause(time.Second)
	l.stop()
	for _, i := range []int{1, 2} {
		for _, k := range []kind{free, charged} {
			l.went(t, "all the time", k, i, l.began, time.Now(), http.StatusOK)
		}
		l.went(t, "all the time", unknown, i, l.began, time.Now(), http.StatusNotFound)
	}

	for _, k := range []kind{free, charged} {
		l.went(t, "all the time", k, 0, l.began, time.Now(), http.StatusOK, 0)
	}

	l.checkRate(t)
	l.audit(t, kills*(payersPerEdge+1))
}
