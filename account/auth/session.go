package auth

import (
	"crypto/rand"
	"errors"
	"time"

	"github.com/rodata/rodata/account"
)

// The lifetimes of sessions. A request for the session extends it by sessionAge, at most once a day, and never beyond
// Options.SessionAge. Brief sessions are never extended.
const (
	sessionAge        = 7 * 24 * time.Hour
	defaultSessionAge = 90 * 24 * time.Hour
	briefAge          = 24 * time.Hour
	extendAfter       = 24 * time.Hour
	// freshAge is the time after sign-in in which the most sensitive operations are allowed.
	freshAge = 24 * time.Hour
)

const maxAgent = 300 // maximum length of a User-Agent, in bytes

// startSession signs a user in and sets the cookie of the request's browser.
func (x *exchange) startSession(u account.User, brief bool) (account.Session, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	s := account.Session{
		ID: account.NewID(), User: u.ID, Account: u.Account, Brief: brief,
		Agent:     printableAgent(x.r.UserAgent()),
		CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(min(sessionAge, x.auth.SessionAge)),
	}

	if from := x.auth.Address(x.r); from.IsValid() {
		s.Address = from.Unmap().String()
	}
	if brief {
		s.ExpiresAt = now.Add(min(briefAge, x.auth.SessionAge))
	}

	token := rand.Text()
	if err := x.auth.Store.CreateSession(x.r.Context(), s, x.auth.hash(forSession, token),
		x.auth.networkHash(u.ID, x.network())); err != nil {
		return account.Session{}, err
	}

	x.giveSession(s, token)
	return s, nil
}

func (x *exchange) giveSession(s account.Session, token string) {
	if s.Brief {
		x.setCookie(sessionCookie, token, 0)
		x.setCookie(briefCookie, "true", 0)
		return
	}

	x.setCookie(sessionCookie, token, s.ExpiresAt.Sub(s.UpdatedAt))
}

func (x *exchange) clearSession() {
	for _, name := range []string{sessionCookie, dataCookie, briefCookie} {
		x.clearCookie(name)
	}
}

// currentSession reads the session of the request from the store. It returns account.ErrNoSession if there is none.
func (x *exchange) currentSession() (account.Session, error) {
	token := x.cookie(sessionCookie)
	if token == "" {
		return account.Session{}, account.ErrNoSession
	}

	s, err := x.auth.Store.SessionByHash(x.r.Context(), x.auth.hash(forSession, token))
	if err == nil && !time.Now().Before(s.ExpiresAt) {
		err = account.ErrNoSession
	}

	return s, err
}

// getSession answers with the session and its user, or null.
func (a *Auth) getSession(x *exchange) error {
	x.w.Header().Set("Pragma", "no-cache")
	s, u, err := x.session()
	if errors.Is(err, errUnauthorized) {
		if x.cookie(sessionCookie) != "" {
			x.clearSession()
		}
		return x.answer(nil, nil)
	}

	if err == nil {
		s, err = a.extend(x, s)
	}

	return x.answer(struct {
		Session sessionView `json:"session"`
		User    userView    `json:"user"`
	}{viewSession(s), viewUser(u)}, err)
}

// extend extends a session at most once a day (sliding expiry), but never beyond Options.SessionAge.
func (a *Auth) extend(x *exchange, s account.Session) (account.Session, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	left := min(sessionAge, s.CreatedAt.Add(a.SessionAge).Sub(now))
	if s.Brief || now.Add(left).Sub(s.ExpiresAt) < extendAfter {
		return s, nil
	}

	s.UpdatedAt, s.ExpiresAt = now, now.Add(left)
	if err := a.Store.ExtendSession(x.r.Context(), s); err != nil {
		return s, err
	}

	x.giveSession(s, x.cookie(sessionCookie))
	return s, nil
}

// signOut ends the session of the request, if there is one.
func (a *Auth) signOut(x *exchange) error {
	if err := x.read(nil); err != nil {
		return err
	}

	s, err := x.currentSession()
	if err == nil {
		err = a.Store.EndSession(x.r.Context(), s.Account, s.ID)
	}
	if err != nil && !errors.Is(err, account.ErrNoSession) {
		return err
	}

	x.clearSession()
	return x.answer(map[string]bool{"success": true}, nil)
}

func (a *Auth) listSessions(x *exchange, s account.Session, _ account.User) error {
	if !isFresh(s) {
		return forbidden("SESSION_NOT_FRESH", "Session is not fresh",
			"sign in again to do this: it is more than a day ago")
	}

	all, err := a.Store.Sessions(x.r.Context(), s.User)
	views := make([]sessionView, len(all))
	for i := range all {
		views[i] = viewSession(all[i])
	}

	return x.answer(views, err)
}

func isFresh(s account.Session) bool { return time.Since(s.CreatedAt) < freshAge }

// revokeSession ends one session of the user, by its handle. Another user's handle has no effect.
func (a *Auth) revokeSession(x *exchange, s account.Session, _ account.User) error {
	var handle string
	if err := x.read(members{"token": text(&handle)}); err != nil {
		return err
	}

	return x.answer(done, a.Store.EndSession(x.r.Context(), s.Account, handle))
}

func (a *Auth) revokeSessions(x *exchange, s account.Session, _ account.User) error {
	return a.revoke(x, s, "")
}

func (a *Auth) revokeOtherSessions(x *exchange, s account.Session, _ account.User) error {
	return a.revoke(x, s, s.ID)
}

func (a *Auth) revoke(x *exchange, s account.Session, except string) error {
	if err := x.read(nil); err != nil {
		return err
	}

	return x.answer(done, a.Store.EndSessions(x.r.Context(), s.Account, except))
}

// printableAgent returns the printable beginning of a User-Agent.
func printableAgent(agent string) string {
	agent = agent[:min(len(agent), maxAgent)]
	for i := range len(agent) {
		if agent[i] < ' ' || agent[i] > '~' {
			return agent[:i]
		}
	}

	return agent
}
