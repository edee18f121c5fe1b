package blackbox

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A cached tool call through Caddy, with the log on: at least 3,000 a second on 50
// connections, of which 99 % within 50 ms, in the best of three seconds. The
// clients share the processors with the gateway.
func TestToolCallsAreFast(t *testing.T) {
	if os.Getenv("RODATA_TEST_SPEED") == "" {
		t.Skip("RODATA_TEST_SPEED is not set: this needs a machine that does nothing else, and no race detector; .ci/run sets it")
	}
	g := start(t, logTo(filepath.Join(t.TempDir(), "log.json")), func(g *gateway) {
		g.app()["anonymous"] = object{"per_second": 1_000_000, "burst": 1_000_000}
	})
	const connections = 50
	transport := &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}
	defer transport.CloseIdleConnections()
	most := 0.0 // of the processors, in any of the seconds
	for range 3 {
		began, used := time.Now(), processorTime(t)
		times := g.callFor(t, time.Second, transport, connections)
		share := (processorTime(t) - used).Seconds() / time.Since(began).Seconds() / float64(runtime.NumCPU())
		most = max(most, share)
		p99 := times[len(times)*99/100]
		t.Logf("%d calls in a second, 99 %% within %s, with %.0f %% of the processors", len(times), p99, 100*share)
		if len(times) >= 3000 && p99 <= 50*time.Millisecond {
			return
		}
	}
	if most < 0.8 && !t.Failed() {
		t.Skip("other programs kept the processors busy: this is no measure")
	}
	t.Error("want 3000 and 50ms")
}

// processorTime is what this process has used so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// callFor calls a tool again and again on a number of connections for a time, and
// tells how long each call took, from the shortest to the longest.
func (g *gateway) callFor(t *testing.T, duration time.Duration, transport *http.Transport,
	connections int) []time.Duration {
	t.Helper()
	call := toolCallOf("", "get_caen_code", `{"code":"6210"}`)
	ask := func() error {
		r, err := http.NewRequest("POST", g.url+"/mcp", strings.NewReader(call.body))
		if err != nil {
			return err
		}
		for name, value := range call.header {
			r.Header.Set(name, value)
		}
		res, err := transport.RoundTrip(r)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err == nil && (res.StatusCode != 200 || !bytes.Contains(body, []byte(`"structuredContent":{"code":"6210"`))) {
			err = fmt.Errorf("got %d %s", res.StatusCode, body)
		}
		return err
	}
	var clients sync.WaitGroup
	times := make([][]time.Duration, connections)
	until := time.Now().Add(duration)
	for i := range times {
		clients.Go(func() {
			for began := time.Now(); began.Before(until); began = time.Now() {
				if err := ask(); err != nil {
					t.Error(err)
					return
				}
				times[i] = append(times[i], time.Since(began))
			}
		})
	}
	clients.Wait()
	all := slices.Sorted(slices.Values(slices.Concat(times...)))
	if len(all) == 0 {
		t.Fatal("no call was answered")
	}
	return all
}
