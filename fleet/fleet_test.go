package fleet

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/redis"
)

// patient are budgets for tests that do not measure time, because machines are busy.
var patient = budgets{command: 5 * time.Second, value: 5 * time.Second}

// join opens one edge of a fleet of three, for the duration of the test.
func join(t testing.TB, url string, b budgets) *Fleet {
	t.Helper()
	f, err := Open(Options{URL: url, Edges: 3, Logger: slog.New(slog.DiscardHandler), budgets: b})
	testkit.NoError(t, err)

	t.Cleanup(f.Close)
	return f
}

// joinThree opens three edges that reach the server.
func joinThree(t *testing.T, url string, b budgets) []*Fleet {
	t.Helper()
	edges := []*Fleet{join(t, url, b), join(t, url, b), join(t, url, b)}
	for _, f := range edges {
		testkit.Until(t, "the edge to reach redis", func() bool { return f.Stats().Up })
	}

	return edges
}

func TestURL(t *testing.T) {
	for name, c := range map[string]struct {
		url     string
		mention string // empty: accepted
	}{
		"plain":              {"redis://cache.example", ""},
		"with all":           {"redis://desk:hush-hush@cache.example:6380/2", ""},
		"encrypted":          {"rediss://cache.example:6380", ""},
		"valkey":             {"valkeys://cache.example", ""},
		"cluster":            {"redis://a.example:6379?addr=b.example:6379&addr=c.example", ""},
		"sentinels":          {"redis://a.example:26379/1?addr=b.example:26379&master_set=rodata", ""},
		"empty":              {"", "redis://"},
		"no scheme":          {"cache.example:6379", "redis://"},
		"another scheme":     {"memcached://desk:hush-hush@cache.example", "redis://"},
		"no host":            {"redis://", "redis://"},
		"not a URL":          {"redis://desk:hush-hush@cache example", "redis://"},
		"not a port":         {"redis://desk:hush-hush@cache.example:hush", "redis://"},
		"not a database":     {"redis://desk:hush-hush@cache.example/hush-hush", "database"},
		"unknown parameter":  {"redis://cache.example?skip_verify=hush-hush", "addr, master_set"},
		"cluster's database": {"redis://a.example/2?addr=b.example", "cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckURL(c.url)
			switch {
			case c.mention == "" && err != nil:
				t.Errorf("%v, want none", err)
			case c.mention != "" && (err == nil || !strings.Contains(err.Error(), c.mention)):
				t.Errorf("%v does not mention %q", err, c.mention)
			case err != nil && strings.Contains(err.Error(), "hush"):
				t.Errorf("%q shows the password", err)
			}
		})
	}
}

func TestWrongOptionsAreRefused(t *testing.T) {
	for name, o := range map[string]Options{
		"URL":   {URL: "mysql://cache.example", Edges: 1},
		"edges": {URL: "redis://127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			if f, err := Open(o); err == nil {
				f.Close()
				t.Error("Open accepted the URL")
			}
		})
	}
}

// An edge starts without the server, logs that without the password, and is not slowed down.
func TestUnreachable(t *testing.T) {
	var log bytes.Buffer
	f, err := Open(Options{URL: "redis://desk:hush-hush@127.0.0.1:1", Edges: 3,
		Logger: slog.New(slog.NewTextHandler(&log, nil))})
	testkit.NoError(t, err)
	if f.Stats().Up {
		t.Error("Up is true without a server")
	}
	if _, _, err := f.Take(t.Context(), []metering.RemoteBucket{{Name: "a", Rate: metering.Anonymous}},
		1); !errors.Is(err, ErrDown) {
		t.Errorf("a token: %v, want %v", err, ErrDown)
	}
	if wait, err := f.Ration("anaf").Turn(t.Context(), time.Second); !errors.Is(err, ErrDown) {
		t.Errorf("a turn: %v %v, want %v", wait, err, ErrDown)
	}
	if v := f.Get(t.Context(), "a"); v != nil {
		t.Errorf("a value: %q", v)
	}
	if err := f.Delete(t.Context(), "a"); !errors.Is(err, ErrDown) {
		t.Errorf("deleting: %v, want %v", err, ErrDown)
	}

	if release, ok := f.Claim(t.Context(), "a"); !ok {
		t.Error("a claim is refused")
	} else {
		release()
	}

	f.Close()
	if text := log.String(); !strings.Contains(text, "unreachable") || strings.Contains(text, "hush-hush") {
		t.Errorf("the log says %q", text)
	}
}

// An edge does not wait long for a server that accepts connections and does not answer, and logs that it starts without
// it.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	defer server.Close()

	var log bytes.Buffer
	f, err := Open(Options{URL: "redis://" + server.Addr().String(), Edges: 3,
		Logger: slog.New(slog.NewTextHandler(&log, nil))})
	testkit.NoError(t, err)
	defer f.Close()
	if text := log.String(); !strings.Contains(text, "unreachable") {
		t.Errorf("the log says %q", text)
	}
}

// An edge joins the fleet when the server becomes reachable, and again after the server was killed.
func TestComesBack(t *testing.T) {
	t.Parallel()
	server := redis.Start(t)
	server.Kill()
	f := join(t, server.URL(), patient)
	for range 2 {
		if f.Stats().Up {
			t.Fatal("Up is true after the server was killed")
		}

		server.Restart()
		testkit.Until(t, "the edge to come back", func() bool { return f.Stats().Up })
		testkit.NoError(t, f.Publish(t.Context(), "back"))

		server.Kill()
		if err := f.Publish(t.Context(), "lost"); err == nil {
			t.Fatal("a message was published on a dead server")
		}
	}
}

// Everything works on a cluster, where keys may be on different servers.
func TestCluster(t *testing.T) {
	t.Parallel()
	f := joinThree(t, redis.StartCluster(t).URL(), patient)[0]
	network := metering.AddressBucket(netip.MustParseAddr("2001:db8:1:2::1"))
	metering.NewFleetBuckets(f, metering.NewBuckets(), f.Edges()).Take(t.Context(), network, metering.Anonymous)
	r := f.Ration("anaf")
	if wait, err := r.Turn(t.Context(), time.Second); wait != 0 || err != nil {
		t.Errorf("a turn: %v, %v", wait, err)
	}
	if err := r.Rest(t.Context(), time.Second); err != nil {
		t.Errorf("a rest: %v", err)
	}

	release, ok := f.Claim(t.Context(), "a")
	if !ok {
		t.Fatal("a claim is refused")
	}

	f.Put("a", []byte("1"), noon, time.Now().Add(time.Hour))
	release()
	settle(t, f)
	if v := f.Get(t.Context(), "a"); string(v) != "1" {
		t.Errorf("a value: %q", v)
	}
	if err := f.Delete(t.Context(), "a"); err != nil {
		t.Errorf("deleting: %v", err)
	}

	var h heard
	f.Subscribe(h.hear)
	if err := f.Publish(t.Context(), "b"); err != nil {
		t.Errorf("a message: %v", err)
	}

	testkit.Until(t, "the message", h.has("b"))
	if s := f.Stats(); !s.Up || s.Failures > 0 || s.Dropped > 0 {
		t.Errorf("%+v, want no failures", s)
	}
}

// An unresponsive server costs callers the budget once, and then nothing until it answers again.
func TestStall(t *testing.T) {
	t.Parallel()
	server := redis.Start(t)
	budget := budgets{command: 250 * time.Millisecond, value: 250 * time.Millisecond}
	f := join(t, server.URL(), budget)
	testkit.Until(t, "the edge to reach redis", func() bool { return f.Stats().Up })
	server.Stall()
	defer server.Resume()
	start := time.Now()
	buckets := []metering.RemoteBucket{{Name: "a", Rate: metering.Anonymous}}
	if _, _, err := f.Take(t.Context(), buckets, 1); err == nil {
		t.Fatal("a stalled server answered")
	}
	if first := time.Since(start); first < budget.command || first > 10*budget.command {
		t.Errorf("the first call takes %v, want about the budget of %v", first, budget.command)
	}

	start = time.Now()
	for range 10_000 {
		if _, _, err := f.Take(t.Context(), buckets, 1); !errors.Is(err, ErrDown) {
			t.Fatalf("%v, want %v", err, ErrDown)
		}
	}

	if each := time.Since(start) / 10_000; each > 50*time.Microsecond {
		t.Errorf("each later call takes %v", each)
	}
	if n := f.Stats().Failures; n != 1 {
		t.Errorf("%d failures, want 1", n)
	}

	server.Resume()
	testkit.Until(t, "the edge to come back", func() bool { return f.Stats().Up })
}
