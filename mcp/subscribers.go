package mcp

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Subscribers are the sessions of the older revisions that have a stream open, with what they are subscribed to. That
// is all in memory, and so of this edge and gone after a restart: a session itself is stored nowhere. Handlers that
// follow one another share them, so that subscriptions outlive a change of the configuration.
type Subscribers struct {
	mu     sync.Mutex
	of     map[client]*subscriber
	opened chan struct{} // closed when a stream is opened
}

// NewSubscribers returns an empty set.
func NewSubscribers() *Subscribers {
	return &Subscribers{of: make(map[client]*subscriber), opened: make(chan struct{})}
}

// client is a session of an account. The account is part of it, so that a session id that became known is of no use.
type client struct{ session, account string }

// subscriber is a session with a stream.
type subscriber struct {
	subscriptions
	client
	all     *Subscribers
	streams []chan struct{} // the newest last; guarded by all.mu
	gone    *time.Timer     // runs while there is no stream
}

const (
	// reconnectTime is how long subscriptions are kept for a client that has no stream open. Clients reconnect within
	// seconds.
	reconnectTime = time.Minute
	// streamWait is how long a subscription waits for the stream of its session, which clients open meanwhile.
	streamWait = 2 * time.Second
)

// open adds a stream to a session. The channel stands for the stream, and gets a value when it is to look at the
// subscriptions.
func (all *Subscribers) open(c client) (*subscriber, chan struct{}) {
	all.mu.Lock()
	defer all.mu.Unlock()
	s := all.of[c]
	if s == nil {
		s = &subscriber{client: c, all: all}
		s.subscriptions.account = c.account
		all.of[c] = s
	}
	if s.gone != nil {
		s.gone.Stop()
	}

	stream := make(chan struct{}, 1)
	s.streams = append(s.streams, stream)
	close(all.opened)
	all.opened = make(chan struct{})
	return s, stream
}

// close removes a stream. Another one of the session tells from then on.
func (s *subscriber) close(stream chan struct{}) {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	s.streams = slices.DeleteFunc(s.streams, func(one chan struct{}) bool { return one == stream })
	switch {
	case len(s.streams) > 0:
		s.wakeNewest()
	case s.empty() || len(s.all.of) > allSessions:
		delete(s.all.of, s.client)
	default:
		s.gone = time.AfterFunc(reconnectTime, s.forget)
	}
}

// forget drops a session whose client did not come back.
func (s *subscriber) forget() {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	if len(s.streams) == 0 && s.all.of[s.client] == s {
		delete(s.all.of, s.client)
	}
}

// newest reports whether a stream is the session's newest: a message goes to one stream of a session only.
func (s *subscriber) newest(stream chan struct{}) bool {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	return len(s.streams) > 0 && s.streams[len(s.streams)-1] == stream
}

// wake has the session's stream look at the subscriptions.
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
	default: // it is about to look
	}
}

// end drops the subscriptions of a session that was ended.
func (all *Subscribers) end(c client) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if s := all.of[c]; s != nil {
		s.clear()
	}
}

// find returns a session that has subscriptions or a stream; nil when there is none.
func (all *Subscribers) find(c client) *subscriber {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.of[c]
}

// await returns a session, whose stream may be about to be opened; nil when it is not.
func (all *Subscribers) await(ctx context.Context, c client) *subscriber {
	late := time.NewTimer(streamWait)
	defer late.Stop()
	for {
		all.mu.Lock()
		s, opened := all.of[c], all.opened
		all.mu.Unlock()
		if s != nil {
			return s
		}

		select {
		case <-opened:
		case <-late.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}
