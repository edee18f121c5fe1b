package account

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"
)

// sessionsBound is how many sessions are remembered.
const sessionsBound = 16_384

// SessionStore is what Sessions asks of the place where sessions are kept.
type SessionStore interface {
	// SessionByHash finds the session whose token has this hash; ErrNoSession when
	// there is none. An expired session is found.
	SessionByHash(ctx context.Context, hash []byte) (Session, error)
}

// Sessions finds sessions by the hashes of their tokens, in a SessionStore and
// for some seconds in memory. It may be used concurrently.
type Sessions struct {
	store SessionStore

	mu      sync.RWMutex
	known   memory[Session]
	changes int // counts, so that an answer read before one is not remembered after it
}

// NewSessions makes an index of the sessions in store.
func NewSessions(store SessionStore) *Sessions {
	return &Sessions{store: store, known: newMemory[Session](knownTTL, sessionsBound)}
}

// Find finds the session whose token has this hash. The error is ErrNoSession when
// there is none or it has expired; it wraps ErrStoreDown and the cause when the
// store could not be asked. What Forget is told counts from the next call on, a
// change that nobody tells within 10 seconds.
func (s *Sessions) Find(ctx context.Context, hash [sha256.Size]byte) (Session, error) {
	id, now := digest(hash), time.Now()
	s.mu.RLock()
	changes := s.changes
	session, known := s.known.get(id, now)
	s.mu.RUnlock()
	if !known {
		ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
		defer cancel()
		var err error
		if session, err = s.store.SessionByHash(ctx, hash[:]); err != nil {
			return Session{}, answered(err, ErrNoSession)
		}
		s.remember(id, session, now, changes)
	}
	if !now.Before(session.ExpiresAt) {
		return Session{}, ErrNoSession
	}
	return session, nil
}

// remember keeps an answer, unless something changed since changes was read.
func (s *Sessions) remember(id digest, session Session, asked time.Time, changes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if changes == s.changes {
		s.known.put(id, session, asked)
	}
}

// Forget has the next use of each of the account's sessions looked up in the
// store, since something about them has changed.
func (s *Sessions) Forget(account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	s.known.drop(func(session Session) bool { return account == Everyone || session.Account == account })
}
