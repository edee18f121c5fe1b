package mcp

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Subscribers are the sessions of the older revisions with an open stream, and their subscriptions. They exist only in
// memory, so they belong to this edge and are lost at a restart; sessions themselves are not stored anywhere.
// Successive handlers share them, so that subscriptions outlive a change of the configuration.
type Subscribers struct {
	mu       sync.Mutex
	sessions map[client]*subscriber
	opened   chan struct{} // closed when a stream is opened
}

// NewSubscribers returns an empty set.
func NewSubscribers() *Subscribers {
	return &Subscribers{sessions: make(map[client]*subscriber), opened: make(chan struct{})}
}

// client is a session of an account. It includes the account, so that a leaked session id is useless without the
// account's key.
type client struct{ session, account string }

// subscriber is a session with subscriptions or an open stream.
type subscriber struct {
	subscriptions
	client
	all     *Subscribers
	streams []chan struct{} // the newest last; guarded by all.mu
	expiry  *time.Timer     // runs while there is no stream
}

const (
	// reconnectTime is the time for which the subscriptions of a client without a stream are kept. Clients reconnect
	// within seconds.
	reconnectTime = time.Minute
	// streamWait is how long a subscription waits for the stream of its session, because clients open the stream at
	// the same time.
	streamWait = 2 * time.Second
)

// open adds a stream to a session. The returned channel receives a value whenever the stream should check its
// subscriptions.
func (all *Subscribers) open(c client) (*subscriber, chan struct{}) {
	all.mu.Lock()
	defer all.mu.Unlock()
	s := all.sessions[c]
	if s == nil {
		s = &subscriber{client: c, all: all}
		s.subscriptions.account = c.account
		all.sessions[c] = s
	}

	if s.expiry != nil {
		s.expiry.Stop()
	}

	stream := make(chan struct{}, 1)
	s.streams = append(s.streams, stream)
	close(all.opened)
	all.opened = make(chan struct{})
	return s, stream
}

// close removes a stream. The next newest stream of the session takes over.
func (s *subscriber) close(stream chan struct{}) {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	s.streams = slices.DeleteFunc(s.streams, func(one chan struct{}) bool { return one == stream })
	switch {
	case len(s.streams) > 0:
		s.wakeNewest()
	case s.empty() || len(s.all.sessions) > maxSessions:
		delete(s.all.sessions, s.client)
	default:
		s.expiry = time.AfterFunc(reconnectTime, s.forget)
	}
}

// forget drops a session whose client has not reconnected in time.
func (s *subscriber) forget() {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	if len(s.streams) == 0 && s.all.sessions[s.client] == s {
		delete(s.all.sessions, s.client)
	}
}

// newest reports whether a stream is the session's newest. Only that stream gets messages.
func (s *subscriber) newest(stream chan struct{}) bool {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	return len(s.streams) > 0 && s.streams[len(s.streams)-1] == stream
}

// wake makes the session's newest stream check its subscriptions.
func (s *subscriber) wake() {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	s.wakeNewest()
}

func (s *subscriber) wakeNewest() {
	if len(s.streams) == 0 {
		return
	}

	select {
	case s.streams[len(s.streams)-1] <- struct{}{}:
	default: // it is about to check
	}
}

// end drops the subscriptions of a session that has ended.
func (all *Subscribers) end(c client) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if s := all.sessions[c]; s != nil {
		s.clear()
	}
}

// find returns a session that has subscriptions or a stream; nil if there is none.
func (all *Subscribers) find(c client) *subscriber {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.sessions[c]
}

// await returns a session, waiting for a stream that is about to be opened; nil if there is none.
func (all *Subscribers) await(ctx context.Context, c client) *subscriber {
	late := time.After(streamWait)
	for {
		all.mu.Lock()
		s, opened := all.sessions[c], all.opened
		all.mu.Unlock()
		if s != nil {
			return s
		}

		select {
		case <-opened:
		case <-late:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}
