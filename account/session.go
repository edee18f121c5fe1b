package account

import (
	"errors"
	"time"
)

// Session is a signed-in browser.
type Session struct {
	// ID identifies the session; it is not a secret.
	ID string
	// User is the id of the user, and Account the id of the user's account.
	User, Account string
	// Plan is the code of the account's plan.
	Plan string
	// Verified reports whether the address of the account is verified, or an operator opened the account.
	Verified bool
	// Brief sessions end with the browser, and after a day at the latest; other sessions are extended by use.
	Brief bool
	// Address and Agent are the client address and User-Agent at sign-in.
	Address, Agent string
	// CreatedAt is the time of sign-in, UpdatedAt the time of the last extension.
	CreatedAt, UpdatedAt time.Time
	// ExpiresAt is the expiry time.
	ExpiresAt time.Time
}

// ErrNoSession: the session does not exist or has ended. Callers must not learn which.
var ErrNoSession = errors.New("there is no such session")
