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

	"github.com/rodata/rodata/testkit"
)

// Cached tool calls through Caddy, with logging, reach at least 3,000 per second on 50 connections, with 99 % of them
// within 50 ms. The best of five rounds counts. The clients share the processors with the gateway.
func TestToolCallsAreFast(t *testing.T) {
	if os.Getenv("RODATA_TEST_SPEED") == "" {
		t.Skip("RODATA_TEST_SPEED is not set: this needs a machine that does nothing else, and no race detector; " +
			".ci/run sets it")
	}

	g := start(t, logTo(filepath.Join(t.TempDir(), "log.json")), func(g *gateway) {
		g.app()["anonymous"] = object{"per_second": 1_000_000, "burst": 1_000_000}
	})
	const connections = 50
	transport := &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections,
		DisableCompression: true} // so that the time is the gateway's
	defer transport.CloseIdleConnections()
	call := toolCallOf("", "get_caen_code", `{"code":"6210"}`)
	tool := func() (*http.Request, error) {
		r, err := http.NewRequest("POST", g.url+"/mcp", strings.NewReader(call.body))
		if err != nil {
			return nil, err
		}

		for name, value := range call.header {
			r.Header.Set(name, value)
		}

		return r, nil
	}

	most := 0.0   // the largest share of the processors used in a round
	for range 5 { // the first rounds warm up
		began, used := time.Now(), processorTime(t)
		times := g.callFor(t, time.Second, transport, connections, tool)
		share := (processorTime(t) - used).Seconds() / time.Since(began).Seconds() / float64(runtime.NumCPU())
		most = max(most, share)
		p99 := times[len(times)*99/100]
		t.Logf("%d calls in a second, 99 %% within %s, with %.0f %% of the processors", len(times), p99, 100*share)
		if len(times) >= 3000 && p99 <= 50*time.Millisecond {
			return
		}
	}

	if most < 0.8 && !t.Failed() {
		t.Skip("other programs kept the processors busy, so the result means nothing")
	}

	t.Error("want 3000 and 50ms")
}

// processorTime returns the CPU time of this process so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	testkit.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))

	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// callFor sends a request repeatedly on a number of connections for a time, and returns the sorted durations of the
// calls.
func (g *gateway) callFor(t *testing.T, duration time.Duration, transport *http.Transport,
	connections int, request func() (*http.Request, error)) []time.Duration {
	t.Helper()
	ask := func() error {
		r, err := request()
		if err != nil {
			return err
		}

		res, err := transport.RoundTrip(r)
		if err != nil {
			return err
		}
		defer res.Body.Close()

		body, err := io.ReadAll(res.Body)
		if err == nil && (res.StatusCode != 200 || !bytes.Contains(body, []byte(`{"code":"6210"`))) {
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
