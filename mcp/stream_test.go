package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// watched is the list that the listeners of these tests subscribe to.
const watched = `"watchlist://default"`

func TestIdleStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := watchWorld(t)
		ctx, hangUp := context.WithTimeout(t.Context(), time.Hour-time.Second)
		defer hangUp()
		answer := w.listen(ctx, watched, "Authorization", goodKey)()
		if answer.Code != 200 || answer.Header().Get("Content-Type") != "text/event-stream" || !answer.Flushed {
			t.Errorf("%d %v", answer.Code, answer.Header())
		}
		comments := strings.Count(answer.Body.String(), ": nothing to tell\n\n")
		testkit.Equal(t, comments, int(time.Hour/heartbeat)-1, "comments")
	})
}

func TestStreamsEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(w *world, hangUp func(), server *http.Server)
	}{
		{"when the client goes", func(_ *world, hangUp func(), _ *http.Server) { hangUp() }},
		{"when the handler is closed", func(w *world, _ func(), _ *http.Server) { w.Close(); w.Close() }},
		{"when the web server shuts down", func(_ *world, _ func(), server *http.Server) {
			_ = server.Shutdown(context.Background())
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _ := watchWorld(t)
				server := new(http.Server)
				ctx, hangUp := context.WithCancel(context.WithValue(t.Context(), http.ServerContextKey, server))
				defer hangUp()
				first := w.listen(ctx, watched, "Authorization", goodKey)
				second := w.listen(ctx, watched, "Authorization", goodKey)
				synctest.Wait()
				testkit.Equal(t, w.streams.Open(), 2, "open streams")

				start := time.Now()
				c.end(w, hangUp, server)
				text := first().Body.String()
				if _, last, _ := strings.Cut(text, "\n\n"); !strings.Contains(last, `"resultType":"complete"`) {
					t.Errorf("a stream ends with %s", last)
				}
				second()
				testkit.Equal(t, time.Since(start), 0, "the time until the streams end")
				testkit.Equal(t, w.streams.Open(), 0, "open streams")
			})
		})
	}
}

func TestStreamsOfACallerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := watchWorld(t)
		ctx, hangUp := context.WithCancel(t.Context())
		var streams []func() *httptest.ResponseRecorder
		for range maxStreamsPerCaller {
			streams = append(streams, w.listen(ctx, watched, "Authorization", goodKey))
		}

		synctest.Wait()
		testkit.Equal(t, w.listen(ctx, watched, "Authorization", goodKey)().Code, 429, "one too many")

		other := w.listen(ctx, fmt.Sprintf(`"company://%d"`, broken), "Authorization", manyKey)
		synctest.Wait()
		hangUp()
		for _, answer := range append(streams, other) {
			testkit.Equal(t, answer().Code, 200, "a stream")
		}
	})
}

func TestSubscriptionsAreAcknowledged(t *testing.T) {
	w := newWorld(t)
	for range 150 {
		answer := w.sendModern("subscriptions/listen", "", `"notifications":{"toolsListChanged":true},`)
		text := answer.Body.String()
		ack, result := strings.Index(text, `"method":"notifications/subscriptions/acknowledged"`),
			strings.Index(text, `"resultType":"complete"`)
		if answer.Code != 200 || answer.Header().Get("Content-Type") != "text/event-stream" || ack < 0 ||
			result < ack ||
			strings.Count(text, `"io.modelcontextprotocol/subscriptionId":1`) != 2 ||
			strings.Count(text, "event: message\ndata: {") != 2 {
			t.Fatalf("%d %s", answer.Code, text)
		}
	}
}
