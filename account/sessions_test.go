package account

import (
	"context"
	"crypto/sha256"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// memorySessions is a SessionStore in memory that counts its calls.
type memorySessions struct {
	sessions map[[sha256.Size]byte]Session
	queries  int
	failure  error
	before   func() // runs after a look-up has read its answer, before it returns
}

func (c *memorySessions) SessionByHash(_ context.Context, hash []byte) (Session, error) {
	c.queries++
	session, ok := c.sessions[[sha256.Size]byte(hash)]
	if c.before != nil {
		c.before()
	}

	switch {
	case c.failure != nil:
		return Session{}, c.failure
	case !ok:
		return Session{}, ErrNoSession
	}

	return session, nil
}

func TestSessionsAreRememberedForSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hash := sha256.Sum256([]byte("a token"))
		c := &memorySessions{sessions: map[[sha256.Size]byte]Session{hash: {ID: "s", Account: "acc",
			ExpiresAt: time.Now().Add(15 * time.Second)}}}
		s := NewSessions(c)
		find := func(want error, queries int) {
			t.Helper()
			got, err := s.Find(t.Context(), hash)
			if !errors.Is(err, want) || (err == nil) != (got.ID == "s") || c.queries != queries {
				t.Errorf("got %+v, %v after %d queries; want %v after %d", got, err, c.queries, want, queries)
			}
		}
		find(nil, 1)
		<-time.After(9 * time.Second)
		find(nil, 1)
		<-time.After(time.Second)
		find(nil, 2)
		s.Forget("another")
		find(nil, 2)
		s.Forget("acc")
		find(nil, 3)
		s.Forget(Everyone)
		find(nil, 4)
		<-time.After(5 * time.Second)
		find(ErrNoSession, 4) // expired while in the cache
		delete(c.sessions, hash)
		s.Forget("acc")
		find(ErrNoSession, 5)
		find(ErrNoSession, 6) // unknown sessions are not cached: only we sign cookies
		c.failure = errors.New("disk")
		find(ErrStoreDown, 7)
	})
}

func TestEndOfASessionIsNotOverlooked(t *testing.T) {
	hash := sha256.Sum256([]byte("a token"))
	c := &memorySessions{sessions: map[[sha256.Size]byte]Session{hash: {ID: "s", Account: "acc",
		ExpiresAt: time.Now().Add(time.Hour)}}}
	s := NewSessions(c)
	c.before = func() { // ended after the answer was read
		delete(c.sessions, hash)
		s.Forget("acc")
	}
	s.Find(t.Context(), hash)
	testkit.ErrorIs(t, testkit.Err(s.Find(t.Context(), hash)), ErrNoSession)
}
