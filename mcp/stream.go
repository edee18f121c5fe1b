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

// What an idle stream is limited to.
const (
	heartbeat     = 15 * time.Second // well within the idle time of proxies
	streamTime    = 5 * time.Minute  // clients open another one then
	callerStreams = 64               // one address may be many people's connector
	allStreams    = 2048
)

// streams are the open GET requests of clients of the older revisions. The
// server has nothing to tell there: tools do not change while it runs.
type streams struct {
	closed chan struct{}
	once   sync.Once

	mu     sync.Mutex
	open   int
	caller map[metering.BucketID]int

	// stops has a channel for each web server, closed when that shuts down: it
	// waits for streams, and a reload for it.
	stops sync.Map // *http.Server to chan struct{}
}

func newStreams() *streams {
	return &streams{closed: make(chan struct{}), caller: make(map[metering.BucketID]int)}
}

func (s *streams) close() { s.once.Do(func() { close(s.closed) }) }

// enter counts a stream in, unless there are enough.
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

// stopped is closed when the web server of a request shuts down; nil when that
// is not to be known.
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

// get answers GET with a stream on which nothing but comments comes.
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

// idle sends comments until the client goes, the stream is old, or the server
// stops.
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

// eventStream has no proxy on the way keep a stream, or hold it back.
func eventStream(header http.Header) {
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Accel-Buffering", "no")
}

// response lets mcp-go stream through writers that flush as
// http.ResponseController does, and knows whether anything was sent.
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
