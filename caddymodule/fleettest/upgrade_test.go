package fleettest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// testUpgrade replaces edges one by one with a release that migrates the tables. It checks that old edges keep working
// on the new schema, that a restarted old edge fails with an error that explains why, and that callers of other edges
// are not affected.
func testUpgrade(t *testing.T, f *fleet) {
	next := nextRelease(t)
	l := f.load(t)
	pause(2 * time.Second)
	var before int
	for i, e := range f.edges {
		began := time.Now()
		e.Stop(t)
		if i == 1 {
			e.refuses(t)
		}

		e.program = next
		took := e.start(t)
		t.Logf("edge %d answers %s after its start as the next release", i, took.Round(time.Millisecond))
		l.recovered(t, charged, i, began)
		pause(time.Second)
		now := time.Now()
		for other := range f.edges {
			if other == i {
				continue
			}

			for _, k := range []kind{free, charged} {
				l.went(t, "one is replaced", k, other, began, now, http.StatusOK)
			}
		}

		statuses := []int{http.StatusOK, 0}
		if i == 1 { // calls wait while it starts, and are then rejected as before
			statuses = append(statuses, http.StatusServiceUnavailable)
		}

		for _, k := range []kind{free, charged} {
			l.went(t, "it is replaced itself", k, i, began, now, statuses...)
		}
		if i == 0 {
			before = f.schema(t)
		}
	}

	if before != 9001 {
		t.Errorf("the tables are of version %d after the first edge", before)
	}

	l.audit(t, 0)
}

// refuses checks that the edge does not start with tables of a newer release, and explains why.
func (e *edge) refuses(t *testing.T) {
	t.Helper()
	e.launch(t)
	select {
	case <-e.Ended():
		if output := e.printed.String(); e.Wait() == nil ||
			!strings.Contains(output, "its schema version is 9001 and this program knows versions up to") {
			t.Errorf("the edge ends with %v and says: %s", e.Wait(), output)
		}
	case <-time.After(20 * time.Second):
		t.Error("an edge starts with tables of a newer release")
		e.Kill()
	}
}

// schema returns the version of the tables.
func (f *fleet) schema(t *testing.T) (version int) {
	t.Helper()
	db := f.postgres.open(t, database)
	defer db.Close()
	testkit.NoError(t, db.QueryRowContext(t.Context(),
		`SELECT MAX(version_id) FROM schema_versions`).Scan(&version))

	return version
}
