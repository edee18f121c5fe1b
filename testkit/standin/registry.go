package standin

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

const maxRequest = 1 << 20

// Registry is a running stand-in of a registry. It is safe for concurrent use.
type Registry struct {
	// URL is its address, without a trailing slash.
	URL string

	answer  func(*http.Request, []byte) reply
	latency time.Duration

	server  *http.Server
	cancel  context.CancelFunc
	serving sync.WaitGroup // the accept loop and every connection

	mu       sync.Mutex
	counts   Counts
	paths    map[string]int // requests by path
	queue    []Fault
	always   Fault
	alwaysAt map[string]Fault // by path
	down     bool
	released chan struct{} // closed to let hanging answers continue
}

// Counts are the requests that a stand-in received.
type Counts struct {
	// Requests is the number of requests, including those with faults.
	Requests int
	// Numbers is the total of company numbers in these requests.
	Numbers int
	// LargestBatch is the largest number of company numbers in one request.
	LargestBatch int
	// Abandoned is the number of requests with a client that left before the answer.
	Abandoned int
}

func newRegistry(o Options, answer func(*http.Request, []byte) reply) *Registry {
	return &Registry{
		answer: answer, latency: o.Latency, paths: map[string]int{}, alwaysAt: map[string]Fault{},
		released: make(chan struct{}),
	}
}

func (s *Registry) start() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(context.Background())
	s.URL, s.cancel = "http://"+listener.Addr().String(), cancel
	s.server = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				s.serving.Add(1)
			case http.StateClosed, http.StateHijacked:
				s.serving.Done()
			}
		},
	}

	s.serving.Go(func() { _ = s.server.Serve(listener) }) // returns http.ErrServerClosed
	return nil
}

func (s *Registry) close() error {
	if s.server == nil { // it never started
		return nil
	}

	s.cancel()
	err := s.server.Close()
	s.serving.Wait()
	return err
}

// Requests returns the counts so far.
func (s *Registry) Requests() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.counts
}

// RequestsTo returns the number of requests to a path so far.
func (s *Registry) RequestsTo(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.paths[path]
}

// Queue injects faults into the next requests, one each, before any other fault. An empty Fault leaves its request
// unchanged.
func (s *Registry) Queue(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.queue = append(s.queue, faults...)
}

// Always injects a fault into every request from now on, until it is called with the empty Fault.
func (s *Registry) Always(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.always = f
}

// AlwaysAt injects a fault into every request to a path from now on, until it is called with the empty Fault.
func (s *Registry) AlwaysAt(path string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.alwaysAt[path] = f
}

// Release lets hanging answers proceed normally.
func (s *Registry) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()

	close(s.released)
	s.released = make(chan struct{})
}

// SetDown makes the stand-in reset every connection, or stop doing so. Requests still count.
func (s *Registry) SetDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.down = down
}

// ServeHTTP answers like the registry, with the next pending fault.
func (s *Registry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The server detects a client's disconnection only after the whole body has been read.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, "request body too large", http.StatusRequestEntityTooLarge)
		return
	}

	e := exchange{w: w, r: r, reply: s.answer(r, body)}
	fault, err := s.pickFault(&e)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if s.latency == 0 || e.wait(s.latency) {
		fault.spoil(&e)
	}

	if r.Context().Err() != nil {
		s.mu.Lock()
		s.counts.Abandoned++
		s.mu.Unlock()
		panic(http.ErrAbortHandler) // an unfinished answer must not look like an empty one
	}
}

// pickFault counts the request and picks its fault. The first of these applies: being down, the header, the queue, the
// standing fault, the path's fault, the requested number.
func (s *Registry) pickFault(e *exchange) (Fault, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.counts.Requests++
	s.paths[e.r.URL.Path]++
	s.counts.Numbers += e.reply.numbers
	s.counts.LargestBatch = max(s.counts.LargestBatch, e.reply.numbers)
	e.released = s.released
	if s.down {
		return Reset, nil
	}

	if text := e.r.Header.Get("X-Sim-Fault"); text != "" {
		return ParseFault(text)
	}

	if len(s.queue) > 0 {
		next := s.queue[0]
		s.queue = s.queue[1:]
		return next, nil
	}

	if s.always != (Fault{}) {
		return s.always, nil
	}
	if f := s.alwaysAt[e.r.URL.Path]; f != (Fault{}) {
		return f, nil
	}

	return e.reply.fault, nil
}
