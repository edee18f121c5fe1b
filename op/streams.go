package op

import (
	"context"
	"net/http"
	"sync"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
)

// allStreams is the maximum number of concurrent streams of a channel.
const allStreams = 2048

// Slots limits concurrent work, in total and for each caller. The zero value is ready for use.
type Slots struct {
	mu     sync.Mutex
	all    int
	caller map[metering.BucketID]int
	left   chan struct{} // closed when a slot is freed; nil if nobody waits
}

// Enter takes a slot; false if that exceeds the limit for all callers or for each.
func (s *Slots) Enter(id metering.BucketID, all, each int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.enter(id, all, each)
}

func (s *Slots) enter(id metering.BucketID, all, each int) bool {
	if s.all >= all || s.caller[id] >= each {
		return false
	}
	if s.caller == nil {
		s.caller = make(map[metering.BucketID]int)
	}

	s.all++
	s.caller[id]++
	return true
}

// Await takes a slot like Enter, and waits for one until the context ends.
func (s *Slots) Await(ctx context.Context, id metering.BucketID, all, each int) bool {
	for {
		s.mu.Lock()
		if s.enter(id, all, each) {
			s.mu.Unlock()
			return true
		}
		if s.left == nil {
			s.left = make(chan struct{})
		}
		left := s.left
		s.mu.Unlock()

		select {
		case <-left:
		case <-ctx.Done():
			return false
		}
	}
}

// Leave frees a slot.
func (s *Slots) Leave(id metering.BucketID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.caller[id]--; s.caller[id] == 0 {
		delete(s.caller, id)
	}

	if s.left != nil {
		close(s.left)
		s.left = nil
	}
}

// Count returns the number of slots that a caller has.
func (s *Slots) Count(id metering.BucketID) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.caller[id]
}

// Holds reports whether a caller has a slot.
func (s *Slots) Holds(id metering.BucketID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.caller[id] > 0
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

	// changes maps each account with a stream to a channel that is closed when the account's keys or sessions change.
	changes map[string]chan struct{}
	mu      sync.Mutex

	// stops maps each web server to a channel, which is closed when the server shuts down, because the shutdown would
	// otherwise wait for the streams.
	stops sync.Map // *http.Server to chan struct{}
}

// NewStreams returns an empty set of streams.
func NewStreams() *Streams {
	return &Streams{closed: make(chan struct{}), changes: make(map[string]chan struct{})}
}

// Close ends all streams, now and later.
func (s *Streams) Close() { s.once.Do(func() { close(s.closed) }) }

// Closed returns a channel that is closed by Close.
func (s *Streams) Closed() <-chan struct{} { return s.closed }

// Enter counts a new stream; false if its caller or the channel has reached the limit. While half of the channel's
// streams are open, the limit of a caller is an eighth, so that a few callers cannot take all.
func (s *Streams) Enter(id metering.BucketID, most int) bool {
	if s.Open() >= allStreams/2 {
		most = max(1, most/8)
	}
	return s.Slots.Enter(id, allStreams, most)
}

// Changed returns a channel that is closed when the keys or sessions of an account change: a stream must then
// authenticate its caller again. To miss no change, get the channel before authenticating.
func (s *Streams) Changed(id string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes[id] == nil {
		s.changes[id] = make(chan struct{})
	}
	return s.changes[id]
}

// Recheck makes the streams of an account authenticate their callers again, or all streams for account.Everyone.
func (s *Streams) Recheck(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one, changed := range s.changes {
		if one == id || id == account.Everyone {
			close(changed)
			delete(s.changes, one)
		}
	}
}

// Leave frees the slot of a stream.
func (s *Streams) Leave(id metering.BucketID) {
	s.Slots.Leave(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.Holds(id) {
		delete(s.changes, id.Account)
	}
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
