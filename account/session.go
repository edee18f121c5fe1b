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
	// Brief says that the session ends with the browser, and after a day at the
	// latest; others are prolonged by use.
	Brief bool
	// Address and Agent are where the person signed in from: the address of the
	// connection, and what the browser called itself.
	Address, Agent string
	// CreatedAt is when the person signed in, UpdatedAt when the session was last
	// prolonged.
	CreatedAt, UpdatedAt time.Time
	// ExpiresAt is the moment from which the session is no longer accepted.
	ExpiresAt time.Time
}

// ErrNoSession: a cookie names no session, or one that has ended; which of these
// is not for the caller to know.
var ErrNoSession = errors.New("there is no such session")
