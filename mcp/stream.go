package mcp

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

// The limits of idle streams.
const (
	heartbeat     = 15 * time.Second // well below the idle timeout of proxies
	streamTime    = 5 * time.Minute  // after which clients reconnect
	callerStreams = 64               // one address may be many people's connector
	allStreams    = 2048
)

// streams are the open GET requests of clients of the older revisions. The server sends no
// events there, since tools do not change while it runs.
type streams struct {
	closed chan struct{}
	once   sync.Once

	mu     sync.Mutex
	open   int
	caller map[metering.BucketID]int

	// stops holds a channel for each web server, closed on its shutdown, which would
	// otherwise wait for the streams.
	stops sync.Map // *http.Server to chan struct{}
}

func newStreams() *streams {
	return &streams{closed: make(chan struct{}), caller: make(map[metering.BucketID]int)}
}

func (s *streams) close() { s.once.Do(func() { close(s.closed) }) }

// enter counts a stream in; false when a limit is reached.
func (s *streams) enter(id metering.BucketID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == allStreams || s.caller[id] == callerStreams {
		return false
	}

	s.open++
	s.caller[id]++
	return true
}

func (s *streams) leave(id metering.BucketID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.caller[id]--; s.caller[id] == 0 {
		delete(s.caller, id)
	}
}

// stopped returns a channel that is closed when the request's web server shuts down; nil
// when the server is unknown.
func (s *streams) stopped(r *http.Request) <-chan struct{} {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok {
		return nil
	}

	stop, known := s.stops.LoadOrStore(server, make(chan struct{}))
	channel := stop.(chan struct{})
	if !known {
		server.RegisterOnShutdown(func() { close(channel) })
	}

	return channel
}

// get answers GET with a stream that carries only comments.
func (h *Handler) get(w *response, r *http.Request, caller *account.Caller) {
	if modernHeader(r) {
		h.refuseMethod(w, r, http.MethodPost)
		return
	}

	if !strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream") {
		h.refuse(w, r, problem.Invalid(&problem.InputError{
			Parameter: "Accept", Code: problem.NotOneOf, Accepted: "text/event-stream", Reason: "this is an MCP endpoint: POST messages to it; GET opens a stream of events and needs Accept: text/event-stream",
		}))
		return
	}

	_, refused := h.session(r)
	if refused != nil {
		h.refuse(w, r, refused)
		return
	}
	if !h.admit(w, r, caller) {
		return
	}

	id := caller.Bucket()
	if !h.streams.enter(id) {
		// The protocol's way to offer no stream; clients go on without it.
		h.refuseMethod(w, r, http.MethodPost)
		return
	}
	defer h.streams.leave(id)
	h.idle(w, r)
}

// idle sends comments until the client disconnects, the stream reaches its age limit, or the
// server shuts down.
func (h *Handler) idle(w *response, r *http.Request) {
	eventStream(w.Header())
	w.WriteHeader(http.StatusOK)
	beat, end := time.NewTicker(heartbeat), time.NewTimer(streamTime)
	defer beat.Stop()
	defer end.Stop()
	stopped := h.streams.stopped(r)
	for {
		if _, err := io.WriteString(w, ": nothing to tell\n\n"); err != nil {
			return
		}
		w.Flush()
		select {
		case <-beat.C:
		case <-end.C:
			return
		case <-stopped:
			return
		case <-h.streams.closed:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// eventStream keeps proxies from storing or buffering a stream.
func eventStream(header http.Header) {
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Accel-Buffering", "no")
}

// response adapts writers without http.Flusher for mcp-go, by http.ResponseController, and
// records whether an answer has started.
type response struct {
	http.ResponseWriter
	started bool
}

func (w *response) WriteHeader(status int) {
	w.started = true
	if h := w.Header(); h.Get("Content-Type") == "text/event-stream" { // one of mcp-go's
		eventStream(h)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(text []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(text)
}

// Flush sends what was written so far.
func (w *response) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap is what http.ResponseController looks for.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
