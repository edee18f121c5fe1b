package account

import (
	"errors"
	"time"
)

// Session is the time for which a person is signed in, in one browser.
type Session struct {
	// ID names the session where sessions are listed and revoked; it is no secret.
	ID string
	// User is the id of the person, and Account that of the account that is theirs.
	User, Account string
	// Plan is the code of the account's plan.
	Plan string
	// CreatedAt is when the person signed in.
	CreatedAt time.Time
	// ExpiresAt is the moment from which the session is no longer accepted.
	ExpiresAt time.Time
}

// ErrNoSession: a cookie names no session, or one that has ended; which of these
// is not for the caller to know.
var ErrNoSession = errors.New("there is no such session")
