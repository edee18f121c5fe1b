package blackbox

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
)

// queued returns the number of companies that callers wait for.
const queued = `rodata_upstream_queue{priority="interactive",upstream="anaf"}`

// A caller who would have to wait longer than the deadline is rejected at once, with a Retry-After that covers the
// queue.
func TestFullQueueRefusesAtOnce(t *testing.T) {
	const (
		pace = 10 * time.Second // the deadline leaves room for one of them
		room = 101              // a request's companies, and one that arrives while they wait
	)
	g := start(t, func(g *gateway) { g.upstream("anaf")["pace"] = pace.String() })
	unknown := func(n int) string { return "/v1/companies/" + withDigit(t, 990100000+n) }
	g.get(t, companies(t)[0]) // from here on the pace applies

	ctx, leave := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for n := range room {
		waiting.Go(func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url+unknown(n), nil)
			if err != nil {
				t.Error(err)
				return
			}
			if res, err := http.DefaultClient.Do(r); err == nil {
				res.Body.Close()
			}
		})
	}

	g.await(t, func() bool { return g.metric(t, queued) == room })
	quickest := time.Hour // of several: the machine may be busy
	for n := range 5 {
		began := time.Now()
		got := g.get(t, unknown(room+n))
		quickest = min(quickest, time.Since(began))
		got.problem(t, http.StatusServiceUnavailable, "unavailable")
		if wait, _ := strconv.Atoi(got.Header.Get("Retry-After")); wait < int(pace.Seconds()) ||
			wait > int(2*pace.Seconds()) {
			t.Errorf("Retry-After is %q, with one request in front and then its own", got.Header.Get("Retry-After"))
		}
	}

	if quickest > within(50*time.Millisecond) {
		t.Errorf("refused after %s", quickest)
	}

	leave()
	waiting.Wait()
	if n := g.registries.ANAF.Requests().Requests; n != 1 {
		t.Errorf("the register was asked %d times within the pace", n)
	}
}

// withDigit returns a number followed by its check digit.
func withDigit(t *testing.T, n int) string {
	t.Helper()
	for digit := range 10 {
		number := strconv.Itoa(10*n + digit)
		if new(api.CUI).UnmarshalText([]byte(number)) == nil {
			return number
		}
	}

	t.Fatalf("no digit makes a number of %d", n)
	return ""
}
