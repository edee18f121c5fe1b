package api

import (
	"net/http"
	"sync"

	"github.com/rodata/rodata/metering"
)

// allStreams is the maximum number of concurrent streams of a channel.
const allStreams = 2048

// Slots limits concurrent work, in total and for each caller. The zero value is ready for use.
type Slots struct {
	mu     sync.Mutex
	all    int
	caller map[metering.BucketID]int
}

// Enter takes a slot; false if that exceeds the limit for all callers or for each.
func (s *Slots) Enter(id metering.BucketID, all, each int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == all || s.caller[id] >= each {
		return false
	}
	if s.caller == nil {
		s.caller = make(map[metering.BucketID]int)
	}

	s.all++
	s.caller[id]++
	return true
}

// Leave frees a slot.
func (s *Slots) Leave(id metering.BucketID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.caller[id]--; s.caller[id] == 0 {
		delete(s.caller, id)
	}
}

// Open returns the number of slots that are taken.
func (s *Slots) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// Streams are the open streams of a channel: answers that continue until their callers leave, or the server ends them.
type Streams struct {
	Slots
	closed chan struct{}
	once   sync.Once

	// stops has a channel for each web server. The channel is closed when the server shuts down, because the shutdown
	// would otherwise wait for the streams.
	stops sync.Map // *http.Server to chan struct{}
}

// NewStreams returns an empty set of streams.
func NewStreams() *Streams { return &Streams{closed: make(chan struct{})} }

// Close ends all streams, now and later.
func (s *Streams) Close() { s.once.Do(func() { close(s.closed) }) }

// Closed returns a channel that is closed by Close.
func (s *Streams) Closed() <-chan struct{} { return s.closed }

// Enter counts a new stream; false if its caller or the channel has reached the limit.
func (s *Streams) Enter(id metering.BucketID, most int) bool {
	return s.Slots.Enter(id, allStreams, most)
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
