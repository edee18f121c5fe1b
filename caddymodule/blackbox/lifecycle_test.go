package blackbox

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// racing is true under the race detector, which multiplies memory and time.
var racing = false

// within returns a limit on elapsed time. Only the long run, which has the machine to itself, uses the limit as given.
// Otherwise the tests of other packages compete for the processors, so the limit is ten times as long. That still
// distinguishes an immediate answer from an answer that waited.
func within(t *testing.T, limit time.Duration) time.Duration {
	t.Helper()
	if long.Full(t) {
		return limit
	}
	return 10 * limit
}

// toolCall is the callers' request to /mcp.
const toolCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_counties","arguments":{"q":"cluj"}}}`

// load is a number of callers that repeat the same requests.
type load struct {
	stop             chan struct{}
	callers          sync.WaitGroup
	answered, resent atomic.Int64
	wrong            chan string // the first unexpected answer
	authorization    string      // the callers' key; empty for none
}

// press starts callers that expect 200 for all paths. A connection that ends before an answer begins is retried up to
// four times: a reload may end idle ones, and new ones that the replaced server has not accepted yet. An answer that
// begins must be complete.
func (g *gateway) press(callers int, paths ...string) *load {
	return g.pressAs("", callers, paths...)
}

// pressAs is press with a key.
func (g *gateway) pressAs(authorization string, callers int, paths ...string) *load {
	l := &load{stop: make(chan struct{}), wrong: make(chan string, 1), authorization: authorization}
	for range callers {
		l.callers.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := 0; ; i++ {
				select {
				case <-l.stop:
					return
				default:
				}

				if problem := l.call(client, g.url, paths[i%len(paths)]); problem != "" {
					select {
					case l.wrong <- problem:
					default:
					}
				}
			}
		})
	}

	return l
}

// A web server that is being replaced may drop a connection that it has just accepted. Reloads are more frequent here
// than anywhere else, so a call may meet several in a row.
const (
	sendTries = 8
	sendPause = 5 * time.Millisecond // after the first attempt; longer after each
)

func (l *load) call(client *http.Client, url, path string) (problem string) {
	send := func() (*http.Response, error) {
		r, err := http.NewRequest(http.MethodGet, url+path, nil)
		if path == "/mcp" {
			r, err = http.NewRequest(http.MethodPost, url+path, strings.NewReader(toolCall))
		}
		if err != nil {
			return nil, err
		}

		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if l.authorization != "" {
			r.Header.Set("Authorization", l.authorization)
		}

		return client.Do(r)
	}
	res, err := send()
	for tries := 1; err != nil; tries++ {
		if tries == sendTries {
			return fmt.Sprintf("%d tries failed: %v", tries, err)
		}

		<-time.After(time.Duration(tries) * sendPause)
		l.resent.Add(1)
		res, err = send()
	}
	defer res.Body.Close()

	body, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return "an answer was cut off: " + err.Error()
	case res.StatusCode != http.StatusOK:
		return fmt.Sprintf("%s: got %d %s", path, res.StatusCode, body)
	case res.Header.Get("x-cache") == "MISS":
		return path + ": the cache is gone"
	}

	l.answered.Add(1)
	return ""
}

// end stops the callers, and fails the test if one was not served.
func (l *load) end(t *testing.T) {
	t.Helper()
	close(l.stop)
	l.callers.Wait()
	select {
	case problem := <-l.wrong:
		t.Error(problem)
	default:
	}
}

// descriptors returns the number of files and connections that this process has open; 0 if unknown.
func descriptors() int {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(open)
}

// Successive reloads under load lose no answers, keep the cache, the counters and the breaker, and leak nothing.
func TestReloadsUnderLoadLong(t *testing.T) {
	reloads, callers := 4, 4
	if long.Full(t) {
		reloads, callers = 100, 32
	}

	g := start(t, withBreaker("1h"), func(g *gateway) {
		g.app()["cache"] = object{"companies": object{"fresh": "1h"}}
		g.app()["anonymous"] = object{"per_second": 100_000, "burst": 1_000_000}
	})
	paths := companies(t)
	stored := []string{paths[0], "/v1/fx-rates?date=2026-06-10", "/v1/plans"}
	for _, path := range stored {
		g.get(t, path)
	}

	g.trip(t, paths[1:])
	asked := g.registries.ANAF.Requests().Requests
	reload := func(i int) {
		g.app()["environment"] = []string{"sandbox", "production"}[i%2]
		g.app()["anonymous"] = object{"per_second": 100_000 + i, "burst": 1_000_000}
		testkit.NoError(t, g.load())
	}
	reload(0)
	http.DefaultClient.CloseIdleConnections()
	goroutines, files := runtime.NumGoroutine(), descriptors()

	counted := g.metric(t, plansAnswered)
	l := g.press(callers, append(stored, "/mcp")...)
	for i := range reloads {
		before := l.answered.Load()
		reload(i)
		testkit.Until(t, "the callers are answered", func() bool {
			return l.answered.Load() >= before+int64(25*callers) || len(l.wrong) > 0
		})
	}

	l.end(t)

	t.Logf("%d reloads, %d answers, %d connections ended by a reload", reloads, l.answered.Load(), l.resent.Load())
	if most := int64(2 * reloads * callers); l.resent.Load() > most {
		t.Errorf("%d calls had to be repeated: more than two for each connection and reload", l.resent.Load())
	}
	if n := g.metric(t, plansAnswered) - counted; n < float64(l.answered.Load()/5) {
		t.Errorf("the counter grew by %v with %d answers", n, l.answered.Load())
	}
	if state := g.metric(t, breakerState); state != open {
		t.Errorf("the breaker's state is %v", state)
	}
	if n := g.registries.ANAF.Requests().Requests; n != asked {
		t.Errorf("the registry was asked %d times", n-asked)
	}

	http.DefaultClient.CloseIdleConnections()
	testkit.Until(t, "the goroutines have ended", func() bool { return runtime.NumGoroutine() <= goroutines+20 })
	testkit.Until(t, "the files are closed", func() bool { return descriptors() <= files+10 })
}
