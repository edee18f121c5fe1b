package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// open opens a stream in the background.
func (w *world) open(ctx context.Context, header ...string) (answer func() *httptest.ResponseRecorder) {
	done := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		done <- w.sendCtx(ctx, "GET", "", append([]string{"Accept", "text/event-stream"}, header...)...)
	}()
	return func() *httptest.ResponseRecorder { return <-done }
}

func TestIdleStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		start := time.Now()
		answer := w.open(t.Context())()
		if answer.Code != 200 || answer.Header().Get("Content-Type") != "text/event-stream" || !answer.Flushed {
			t.Errorf("%d %v", answer.Code, answer.Header())
		}
		if took := time.Since(start); took != streamTime {
			t.Errorf("the stream was open for %s", took)
		}

		comments := strings.Count(answer.Body.String(), ": nothing to tell\n\n")
		if least := int(streamTime / heartbeat); comments < least || comments > least+1 ||
			comments*len(": nothing to tell\n\n") != answer.Body.Len() {
			t.Errorf("%d comments in %q", comments, answer.Body)
		}
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
				w, server := newWorld(t), new(http.Server)
				ctx, hangUp := context.WithCancel(context.WithValue(t.Context(), http.ServerContextKey, server))
				defer hangUp()
				first, second := w.open(ctx), w.open(ctx)
				synctest.Wait()
				start := time.Now()
				c.end(w, hangUp, server)
				first()
				second()
				if time.Since(start) != 0 {
					t.Errorf("the streams ended %s later", time.Since(start))
				}
				if w.streams.Open() != 0 {
					t.Errorf("%d streams are counted as open", w.streams.Open())
				}
			})
		})
	}
}

func TestStreamsOfACallerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ctx, hangUp := context.WithCancel(t.Context())
		var streams []func() *httptest.ResponseRecorder
		for range maxStreamsPerCaller {
			streams = append(streams, w.open(ctx))
		}

		synctest.Wait()
		if answer := w.open(ctx)(); answer.Code != 405 || answer.Header().Get("Allow") != "POST" {
			t.Errorf("one too many: %d %v", answer.Code, answer.Header())
		}

		other := w.open(ctx, "Authorization", goodKey)
		synctest.Wait()
		hangUp()
		if answer := other(); answer.Code != 200 {
			t.Errorf("another caller: %d", answer.Code)
		}

		for _, answer := range streams {
			answer()
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

	if answer := w.sendModern("subscriptions/listen", "", "", "Mcp-Method", "tools/list"); answer.Code != 400 ||
		read(t, answer).Error == nil {
		t.Errorf("with another method in the header: %d %s", answer.Code, answer.Body)
	}
	if r := read(t, w.send("POST", rpc(1, "subscriptions/listen", `{}`))); r.Error == nil || r.Error.Code != -32601 {
		t.Errorf("in the older revisions: %+v", r)
	}
}
