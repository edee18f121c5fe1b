package api

import (
	"net/http"
	"sync"

	"github.com/rodata/rodata/metering"
)

// allStreams is the maximum number of concurrent streams of a channel.
const allStreams = 2048

// Streams are the open streams of a channel: answers that continue until their callers leave, or the server ends them.
type Streams struct {
	closed chan struct{}
	once   sync.Once

	mu     sync.Mutex
	open   int
	caller map[metering.BucketID]int

	// stops has a channel for each web server. The channel is closed when the server shuts down, because the shutdown
	// would otherwise wait for the streams.
	stops sync.Map // *http.Server to chan struct{}
}

// NewStreams returns an empty set of streams.
func NewStreams() *Streams {
	return &Streams{closed: make(chan struct{}), caller: make(map[metering.BucketID]int)}
}

// Close ends all streams, now and later.
func (s *Streams) Close() { s.once.Do(func() { close(s.closed) }) }

// Closed returns a channel that is closed by Close.
func (s *Streams) Closed() <-chan struct{} { return s.closed }

// Enter counts a new stream; false if its caller or the channel has reached the limit.
func (s *Streams) Enter(id metering.BucketID, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == allStreams || s.caller[id] >= most {
		return false
	}

	s.open++
	s.caller[id]++
	return true
}

// Leave removes a stream from the count.
func (s *Streams) Leave(id metering.BucketID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.caller[id]--; s.caller[id] == 0 {
		delete(s.caller, id)
	}
}

// Open returns the number of open streams.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// Stopped returns a channel that is closed when the request's web server shuts down; nil if the server is unknown.
func (s *Streams) Stopped(r *http.Request) <-chan struct{} {
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
