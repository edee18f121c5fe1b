package account

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/rodata/rodata/internal/recent"
)

const sessionsBound = 16_384

// SessionStore is the part of a store that Sessions needs.
type SessionStore interface {
	// SessionByHash finds a session by the hash of its token, even an expired one. It returns ErrNoSession if there is
	// none.
	SessionByHash(ctx context.Context, hash []byte) (Session, error)
}

// Sessions looks up sessions by the hashes of their tokens, in a SessionStore and a short-lived cache. It is safe for
// concurrent use.
type Sessions struct {
	store SessionStore
	known *recent.Memory[digest, Session]
}

// NewSessions returns the sessions in a store.
func NewSessions(store SessionStore) *Sessions {
	return &Sessions{store: store, known: recent.New[digest, Session](sessionsBound)}
}

// Find finds a session by the hash of its token. It returns ErrNoSession if there is none or it has expired. If the
// store did not answer, the error wraps ErrStoreDown. Changes passed to Forget take effect at once, and others within
// 10 seconds.
func (s *Sessions) Find(ctx context.Context, hash [sha256.Size]byte) (Session, error) {
	id, now := digest(hash), time.Now()
	session, known := s.known.Get(id)
	if !known {
		remember := s.known.Reading()
		ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
		defer cancel()
		var err error
		if session, err = s.store.SessionByHash(ctx, hash[:]); err != nil {
			return Session{}, orStoreDown(err, ErrNoSession)
		}

		remember(id, session, now.Add(knownTTL))
	}

	if !now.Before(session.ExpiresAt) {
		return Session{}, ErrNoSession
	}

	return session, nil
}

// Forget drops the account's sessions from the cache after a change.
func (s *Sessions) Forget(account string) {
	s.known.DeleteFunc(func(session Session) bool { return account == Everyone || session.Account == account })
}
