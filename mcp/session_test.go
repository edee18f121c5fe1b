package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

const begin = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"test","version":"1"},"capabilities":{}}}`

func (w *world) newSession(t testing.TB, header ...string) string {
	t.Helper()
	id := w.send("POST", begin, header...).Header().Get(sessionHeader)
	if len(id) < 26 {
		t.Fatalf("session %q", id)
	}

	return id
}

func takeBack(id any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%v}}`, id)
}

// start sends a call that hangs, and returns once the registry has been queried.
func (w *world) start(ctx context.Context, id any, session string,
	header ...string) (answer func() *httptest.ResponseRecorder) {
	var wg sync.WaitGroup
	var recorder *httptest.ResponseRecorder
	wg.Go(func() {
		recorder = w.sendCtx(ctx, "POST", companyCall(id, hanging), append(header, sessionHeader, session)...)
	})
	<-w.companies.began
	return func() *httptest.ResponseRecorder { wg.Wait(); return recorder }
}

func TestClientsCannotCancelEachOther(t *testing.T) {
	for round := range 50 {
		w := newWorld(t)
		sessions := []string{w.newSession(t), w.newSession(t)}
		ctx, hangUp := context.WithCancel(t.Context())
		one, two := w.start(ctx, 5, sessions[0]), w.start(ctx, 5, sessions[1])
		nameless := w.start(ctx, 5, "")
		for id := range 100 { // guesses
			w.send("POST", takeBack(id), sessionHeader, "guessed")
			w.send("POST", takeBack(id))
			w.send("POST", takeBack(5), sessionHeader, fmt.Sprint("guessed", id))
		}

		testkit.Equal(t, w.companies.cancelled.Load(), 0, "calls cancelled by strangers")
		testkit.Equal(t, w.send("POST", takeBack(5), sessionHeader, sessions[round%2]).Code, 202, "cancelling")

		mine, others := one, two
		if round%2 == 1 {
			mine, others = two, one
		}
		if answer := mine(); answer.Code != 202 || answer.Body.Len() != 0 {
			t.Errorf("a cancelled call is answered with %d %s", answer.Code, answer.Body)
		}
		testkit.Equal(t, w.companies.cancelled.Load(), 1, "calls cancelled: only the caller's own")

		hangUp()
		others()
		nameless()
		testkit.Equal(t, w.companies.cancelled.Load(), 3, "calls cancelled after their clients hung up")
	}
}

// mcp-go would change some of these ids, or take one of a pair for the other.
func TestAnyIDCanBeCancelled(t *testing.T) {
	for id, other := range map[string]string{"12345678901234567890": "1.0", `"a\nb"`: "1", "7": `"7"`, `"1e+06"`: "1000000"} {
		w := newWorld(t)
		session := w.newSession(t)
		answer, second := w.start(t.Context(), id, session), w.start(t.Context(), other, session)
		w.send("POST", takeBack(id), sessionHeader, session)
		testkit.Equal(t, answer().Code, 202, id)
		w.send("POST", takeBack(other), sessionHeader, session)
		testkit.Equal(t, second().Code, 202, other)
	}
}

func TestDeadlineOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		start := time.Now()
		answer := w.start(t.Context(), 1, w.newSession(t))()
		r := read(t, answer).Result
		if p := readProblem(t, []byte(r.Content[0].Text)); p.Status != 504 || answer.Code != 200 ||
			time.Since(start) != 30*time.Second {
			t.Errorf("%d after %s: %s", answer.Code, time.Since(start), answer.Body)
		}
		testkit.Equal(t, w.companies.cancelled.Load(), 1, "calls cancelled at the registry")
	})
}

// The session of an account is unknown to everybody else. An anonymous one can be continued with a key, because clients
// authorize on the way; what others do in it does not affect the account.
func TestSessionsBelongToTheAccountThatOpenedThem(t *testing.T) {
	w := newWorld(t)
	owner := []string{"Authorization", goodKey}
	owned, shared := w.newSession(t, owner...), w.newSession(t)
	answers := []func() *httptest.ResponseRecorder{
		w.start(t.Context(), 5, owned, owner...), w.start(t.Context(), 6, shared, owner...),
	}

	for _, stranger := range [][]string{nil, {"Authorization", manyKey}} {
		for _, c := range []struct {
			method, body, session string
			status                int
		}{
			{"POST", list, owned, 404}, {"POST", takeBack(5), owned, 404}, {"DELETE", "", owned, 404},
			{"POST", takeBack(6), shared, 202}, {"DELETE", "", shared, 200},
		} {
			answer := w.send(c.method, c.body, append(stranger, sessionHeader, c.session)...)
			if answer.Code != c.status {
				t.Errorf("%v: %s %s: %d %s", stranger, c.method, c.body, answer.Code, answer.Body)
			}
		}
	}

	testkit.Equal(t, w.companies.cancelled.Load(), 0, "calls cancelled by strangers")
	for i, session := range []string{owned, shared} {
		answer := w.send("POST", takeBack(5+i), append(owner, sessionHeader, session)...)
		testkit.Equal(t, answer.Code, 202, "cancelling an own call")
		testkit.Equal(t, answers[i]().Code, 202, "a cancelled call")
	}
}

func TestEndedSessionsAreBounded(t *testing.T) {
	w := newWorld(t)
	for i := range 4 * maxEnded {
		w.ended.Put(client{fmt.Sprint(i), "acme"}, struct{}{})
	}
	if w.ended.Has(client{"0", "acme"}) || !w.ended.Has(client{fmt.Sprint(3 * maxEnded), "acme"}) {
		t.Error("the first ended session is remembered, or one of the last is not")
	}
}

// TestMemoryIsFlat starts sessions that are never ended: 5,000, or as many as RODATA_TEST_SESSIONS says.
func TestMemoryIsFlat(t *testing.T) {
	sessions := 5_000
	if text := os.Getenv("RODATA_TEST_SESSIONS"); text != "" {
		var err error
		if sessions, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}

	w := newWorld(t)
	heap := func() int64 {
		runtime.GC()
		runtime.GC() // a sync.Pool keeps its objects for one collection
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	round := func(n int) {
		for i := range n {
			header := []string{"X-Test-Address", fmt.Sprintf("10.0.0.%d", i%250)} // below each one's limit
			answer := w.send("POST", begin, header...)
			if answer.Code != http.StatusOK {
				t.Fatalf("initialize %d: %d", i, answer.Code)
			}
			if r := w.send("POST", companyCall(i, example),
				append(header, sessionHeader, answer.Header().Get(sessionHeader))...); r.Code != http.StatusOK {
				t.Fatalf("call %d: %d", i, r.Code)
			}
		}
	}
	w.Address = func(r *http.Request) netip.Addr { return netip.MustParseAddr(r.Header.Get("X-Test-Address")) }
	round(1000) // one-time initialisation is done
	goroutines, before := runtime.NumGoroutine(), heap()
	start := time.Now()
	round(sessions)
	grown := heap() - before
	t.Logf("%d sessions in %s: %d bytes more", sessions, time.Since(start).Round(time.Millisecond), grown)
	if grown > 4<<20 {
		t.Errorf("%d sessions left %d bytes behind", sessions, grown)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
}
