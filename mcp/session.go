package mcp

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
)

// sessionHeader is the header of the session ID in the revisions before 2026-07-28.
const sessionHeader = "Mcp-Session-Id"

// sessions separates the clients of the older revisions. It stores only the calls in flight and the ids of ended
// sessions. So a session can continue on another edge or after a restart, and an idle session takes no memory.
type sessions struct {
	mu       sync.Mutex
	inFlight map[callID]*pendingCall
	ended    map[string]struct{}
	order    [maxEnded]string // the ended sessions, a ring buffer
	next     int
}

// maxEnded is the maximum number of ended sessions to remember. A forgotten one looks like a session of another edge
// and is served.
const maxEnded = 4096

// callID identifies a call in flight by the session id and the call's own id, both as sent.
type callID struct{ session, id string }

type pendingCall struct{ cancel context.CancelCauseFunc }

func newSessions() *sessions {
	return &sessions{inFlight: make(map[callID]*pendingCall), ended: make(map[string]struct{})}
}

// errCancelled is the cause of a call's cancellation by its client.
var errCancelled = errors.New("cancelled by the client")

// begin makes a call cancellable by its session, until end is called.
func (s *sessions) begin(ctx context.Context, call callID) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	state := &pendingCall{cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight[call] = state
	return ctx, func() {
		cancel(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.inFlight[call] == state { // not for a later call with the same id
			delete(s.inFlight, call)
		}
	}
}

// cancel ends a call in flight, if there is one.
func (s *sessions) cancel(call callID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state := s.inFlight[call]; state != nil {
		state.cancel(errCancelled)
	}
}

// end records that a session was ended.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ended := s.ended[id]; ended {
		return
	}

	delete(s.ended, s.order[s.next])
	s.order[s.next], s.ended[id] = id, struct{}{}
	s.next = (s.next + 1) % maxEnded
}

func (s *sessions) hasEnded(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ended := s.ended[id]
	return ended
}

// validSession limits the IDs that a client may choose: visible ASCII, as the protocol requires, and at most 128
// characters.
func validSession(id string) bool {
	hidden := func(r rune) bool { return r <= ' ' || r > '~' }
	return len(id) <= 128 && !strings.ContainsFunc(id, hidden)
}

// session returns the session ID of a request of the older revisions; empty for none. An ended session is a problem:
// the client must start a new one.
func (h *Handler) session(r *http.Request) (string, *problem.Problem) {
	id := r.Header.Get(sessionHeader)
	switch {
	case !validSession(id):
		return "", problem.Invalid(&problem.InputError{Parameter: sessionHeader, Code: problem.InvalidFormat,
			Accepted: "at most 128 visible ASCII characters"})
	case id != "" && h.sessions.hasEnded(id):
		return "", problem.NotFound.New("the session was ended; begin another one with initialize")
	}

	return id, nil
}

// endSession handles DELETE, by which a client of the older revisions ends its session.
func (h *Handler) endSession(w http.ResponseWriter, r *http.Request, caller *account.Caller) {
	if modernHeader(r) {
		h.refuseMethod(w, r, http.MethodPost)
		return
	}

	id, refused := h.session(r)
	if refused != nil {
		h.refuse(w, r, refused)
		return
	}
	if id != "" {
		h.sessions.end(id)
		h.Subscribers.end(client{id, caller.Account()})
	}

	w.WriteHeader(http.StatusOK)
}
