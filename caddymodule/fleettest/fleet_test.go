// Package fleettest contains only tests: they run three edges as one fleet, each the program in a separate process, on
// a PostgreSQL and a Redis of the tests. Under load, they stop these servers, cut and slow down the network to them,
// kill edges, set clocks wrong and upgrade. They compare what callers observe with the registries' data and the
// charges.
//
// They run when RODATA_TEST_FLEET is short or long: .ci/fleet sets it and installs the servers.
package fleettest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/redis"
	"github.com/rodata/rodata/testkit/standin"
)

// TestFaults subjects one fleet to all faults in turn, and finally upgrades it.
func TestFaults(t *testing.T) {
	wanted(t)
	nextRelease(t) // build it now, from the same files as the other programs
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

// secret is the secret shared by the edges of a fleet.
const secret = "a secret that all of them have"

// scratch is a folder shared by all tests; it is removed with the process.
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

// long reports whether this is the long run, in which faults last longer.
func long() bool { return os.Getenv("RODATA_TEST_FLEET") == "long" }

// lasting returns the first duration in a short run and the second one in a long run.
func lasting(short, longer time.Duration) time.Duration {
	if long() {
		return longer
	}
	return short
}

// fleet is three edges and the servers that they share.
type fleet struct {
	postgres   *postgres
	redis      *redis.Server
	registries *standin.Registries
	authority  *tap // before the tax authority
	edges      []*edge
	oracle     *oracle
	began      time.Time     // before anything was known
	skew       time.Duration // maximum between two of the edges' clocks
}

// edges is the number of edges in a fleet.
const edges = 3

// wanted skips a test that was not selected.
func wanted(t *testing.T) {
	t.Helper()
	if form := os.Getenv("RODATA_TEST_FLEET"); form != "short" && form != "long" {
		t.Skip("RODATA_TEST_FLEET is neither short nor long: .ci/fleet runs these tests, with servers of their own")
	}
}

// start starts a fleet of edges that answer and know the oracle's companies; change, unless nil, may modify an edge
// before.
func start(t *testing.T, change func(*edge)) *fleet {
	t.Helper()
	registries := standin.For(t, standin.Options{Latency: 50 * time.Millisecond})
	f := &fleet{
		postgres: startPostgres(t), redis: redis.Start(t), registries: registries,
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

// configuration is the shipped one, with a few plans, generous limits for callers without a key, and without the trade
// register and the request log.
func configuration(t *testing.T) string {
	t.Helper()
	shipped, err := os.ReadFile(filepath.Join("..", "..", "Caddyfile"))
	testkit.NoError(t, err)

	text := string(shipped)
	for _, change := range []struct {
		old, new string
		count    int
	}{
		{"\trodata {\n", "\trodata {\n" + plans, 1},
		{"\t\t\t#off\n", "\t\t\toff\n", 2}, // the trade register, and the file of VAT on collection
		{"\trodata_site {\n", "\tlog_skip\n\trodata_site {\n", 1},
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

// The allowances of the tests' plans.
const (
	quota       = 400
	rate, burst = 20, 30
)

// pause waits.
func pause(d time.Duration) { <-time.After(d) }
