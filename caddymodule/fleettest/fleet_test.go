// Package fleettest has no code of its own: its tests run three edges as one fleet,
// each of them the program in a process of its own, on a PostgreSQL and a Redis
// that belong to the tests. They take these away, cut the network to them and slow
// it down, kill edges, set clocks wrong and upgrade, all under load, and compare
// what callers saw with what the registries hold and what was charged.
//
// They run when RODATA_TEST_FLEET is short or long: .ci/fleet sets it and installs
// the servers.
package fleettest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/fleet/redistest"
	"github.com/rodata/rodata/upstream/upstreamtest"
)

// TestFaults does to one fleet what may happen to it, one thing after the other, and
// upgrades it in the end.
func TestFaults(t *testing.T) {
	wanted(t)
	nextRelease(t) // now, so that it is built from the same files
	f := start(t, nil)
	for _, fault := range []struct {
		name string
		test func(*testing.T, *fleet)
	}{
		{"PostgreSQL killed", testPostgresKilled},
		{"PostgreSQL slow", testPostgresSlow},
		{"Redis killed", testRedisKilled},
		{"connections reset", testConnectionsReset},
		{"network silent", testNetworkSilent},
		{"edge killed", testEdgeKilled},
		{"webhooks taken over", testWebhooksTakenOver},
		{"upgrade", testUpgrade},
	} {
		if !t.Run(fault.name, func(t *testing.T) { fault.test(t, f) }) {
			t.Fatal("the fleet may not be whole any more")
		}
	}
}

// secret is what the edges of a fleet have in common.
const secret = "a secret that all of them have"

// scratch is a folder for what all tests use; it goes away with the process.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv("RODATA_TEST_FLEET") != "" {
		var err error
		if scratch, err = os.MkdirTemp("", "rodata-fleet-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(scratch)
	}
	return m.Run()
}

// long reports whether there is time for faults that last.
func long() bool { return os.Getenv("RODATA_TEST_FLEET") == "long" }

// lasting is how long something lasts, in the short form and in the long one.
func lasting(short, longer time.Duration) time.Duration {
	if long() {
		return longer
	}
	return short
}

// fleet is three edges and what they share.
type fleet struct {
	postgres   *postgres
	redis      *redistest.Server
	registries *upstreamtest.Registries
	authority  *tap // in front of the tax authority
	edges      []*edge
	oracle     *oracle
	began      time.Time     // when nothing was known yet
	skew       time.Duration // between two of the edges' clocks at most
}

// edges is how many a fleet has.
const edges = 3

// wanted skips a test that was not asked for.
func wanted(t *testing.T) {
	t.Helper()
	if form := os.Getenv("RODATA_TEST_FLEET"); form != "short" && form != "long" {
		t.Skip("RODATA_TEST_FLEET is neither short nor long: .ci/fleet runs these tests, with servers of their own")
	}
}

// start starts a fleet of edges that answer and know the companies of the oracle;
// change, unless nil, may change an edge before.
func start(t *testing.T, change func(*edge)) *fleet {
	t.Helper()
	registries, err := upstreamtest.Start(upstreamtest.Options{Latency: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := registries.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &fleet{
		postgres: startPostgres(t), redis: redistest.Start(t), registries: registries,
		authority: newTap(t, registries.ANAF), oracle: newOracle(t, registries), began: time.Now(),
	}
	for i := range edges {
		e := newEdge(t, f, i)
		if change != nil {
			change(e)
		}
		f.edges = append(f.edges, e)
		e.start(t)
	}
	for _, e := range f.edges {
		e.awaitRedis(t, true)
	}
	f.oracle.warm(t, f.edges)
	t.Logf("the fleet was there after %s", time.Since(f.began).Round(time.Millisecond))
	return f
}

// configuration is the shipped one, with a few plans, generous limits for callers
// without a key, and without the trade register and the log of requests.
func configuration(t *testing.T) string {
	t.Helper()
	shipped, err := os.ReadFile(filepath.Join("..", "..", "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(shipped)
	for _, change := range []struct {
		old, new string
		count    int
	}{
		{"\trodata {\n", "\trodata {\n" + plans, 1},
		{"\t\t\t#off\n", "\t\t\toff\n", 2}, // the trade register, and the file of VAT on collection
		{"\trodata_site\n", "\trodata_site\n\tlog_skip\n", 1},
	} {
		if n := strings.Count(text, change.old); n != change.count {
			t.Fatalf("the Caddyfile has %d of %q, not %d", n, change.old, change.count)
		}
		text = strings.ReplaceAll(text, change.old, change.new)
	}
	return text
}

const plans = `
		anonymous 100000 100000
		plan boundless {
			credits unlimited
			rate 100000 100000
		}
		plan quota {
			credits 400
			rate 100000 100000
		}
		plan rated {
			credits unlimited
			rate 20 30
		}
`

// What the plans of the tests allow.
const (
	quota       = 400
	rate, burst = 20, 30
)

// pause waits.
func pause(d time.Duration) { <-time.After(d) }

// await waits until something holds, and gives how long that took.
func await(t *testing.T, what string, holds func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > time.Minute {
			t.Fatalf("not after a minute: %s", what)
		}
		pause(10 * time.Millisecond)
	}
	return time.Since(began)
}
