package mcp

import (
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
)

// The limits of streams.
const (
	heartbeat           = 15 * time.Second // well below the idle timeout of proxies
	streamTime          = 5 * time.Minute  // the time after which clients of the older revisions reconnect
	maxStreamsPerCaller = 64               // an address may be a connector that serves many people
	maxSessions         = 2048             // with subscriptions
)

// get answers GET with a stream of changes to the session's subscriptions.
func (h *Handler) get(w *response, r *http.Request, caller *account.Caller) {
	if modernHeader(r) {
		h.refuseMethod(w, r, http.MethodPost)
		return
	}

	if !strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream") {
		h.refuse(w, r, problem.Invalid(&problem.InputError{
			Parameter: "Accept", Code: problem.NotOneOf, Accepted: "text/event-stream",
			Reason: "this is an MCP endpoint: POST messages to it; GET opens a stream of events and needs Accept: " +
				"text/event-stream",
		}))
		return
	}

	session, refused := h.session(r)
	if refused != nil {
		h.refuse(w, r, refused)
		return
	}
	if !h.admit(w, r, caller) {
		return
	}

	id := caller.Bucket()
	if !h.streams.Enter(id, maxStreamsPerCaller) {
		// This is how the protocol refuses a stream; clients continue without one.
		h.refuseMethod(w, r, http.MethodPost)
		return
	}
	defer h.streams.Leave(id)

	eventStream(w.Header())
	w.WriteHeader(http.StatusOK)
	if h.Changes == nil || session == "" || caller.Account() == "" {
		h.notify(w, r, new(notifier)) // without notifications
		return
	}

	s, stream := h.Subscribers.open(client{session, caller.Account()})
	defer s.close(stream)
	h.notify(w, r, &notifier{subscriptions: &s.subscriptions, wake: stream, newest: func() bool {
		return s.newest(stream)
	}})
}

// eventStream prevents proxies from storing or buffering a stream.
func eventStream(header http.Header) {
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Accel-Buffering", "no")
}

// response adapts writers without http.Flusher for mcp-go, using http.ResponseController, and records whether an answer
// has started.
type response struct {
	http.ResponseWriter
	started bool
}

func (w *response) WriteHeader(status int) {
	w.started = true
	if h := w.Header(); h.Get("Content-Type") == "text/event-stream" { // a stream of mcp-go
		eventStream(h)
	}

	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(text []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(text)
}

// Flush sends the data written so far.
func (w *response) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
