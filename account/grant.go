package account

import (
	"errors"
	"time"
)

// App is a program that asks people for the use of their accounts: a client, in
// the words of OAuth. It has no secret, so what it says of itself is a claim.
type App struct {
	// ID is the address of the document in which the app describes itself, or else
	// the id that it was given when it registered.
	ID string
	// Name is what it calls itself.
	Name string
	// Redirects are the addresses at which it takes people back.
	Redirects []string
	// CreatedAt is when it registered, to the millisecond; zero for one with a
	// document.
	CreatedAt time.Time
}

// Grant is what a person has allowed an app: to make calls that the account is
// charged for.
type Grant struct {
	// ID names the grant where grants are listed and ended; it is no secret. Calls
	// are logged and charged under it, as they are under the id of a key.
	ID string
	// Account is the id of the person's account.
	Account string
	// App and Name are the app's ID, and what it called itself at that time.
	App, Name string
	// Resource is the address of what may be called.
	Resource string
	// Redirect is where the person was sent back, and Challenge what proves that
	// the app that was sent the code is the one that uses it (RFC 7636, S256).
	Redirect, Challenge string
	// CreatedAt is when it was allowed, to the millisecond.
	CreatedAt time.Time
	// LastUsedAt is when a call was last made, as far as that has been written
	// down; zero for never.
	LastUsedAt time.Time
	// ExpiresAt is the moment from which it is worth nothing, unless the app renews
	// its tokens before.
	ExpiresAt time.Time
}

// Token is what an app shows to make use of a grant. The token itself is kept
// nowhere, only its hash, as Directory.Hash computes it.
type Token struct {
	Kind TokenKind
	Hash []byte
	// ExpiresAt is the moment from which it is not accepted.
	ExpiresAt time.Time
	// Used says that it has been exchanged, which it can be once.
	Used bool
}

// TokenKind is what a token is good for.
type TokenKind string

// The kinds of tokens.
const (
	// CodeToken is exchanged for the other two.
	CodeToken TokenKind = "code"
	// AccessToken makes calls. It is never exchanged.
	AccessToken TokenKind = "access"
	// RefreshToken is exchanged for two new ones.
	RefreshToken TokenKind = "refresh"
)

// MaxGrants is how many grants an account may have at a time; beyond it the oldest
// ends.
const MaxGrants = 100

// The answers of a store about apps and grants.
var (
	// ErrNoApp: no app of that id has registered.
	ErrNoApp = errors.New("there is no such app")
	// ErrNoGrant: there is no such grant or token, or it has ended.
	ErrNoGrant = errors.New("there is no such grant")
)
