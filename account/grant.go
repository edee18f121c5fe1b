package account

import (
	"errors"
	"time"
)

// App is an OAuth client. It has no secret, so its metadata is unverified.
type App struct {
	// ID is the URL of its client ID metadata document, or else the id from its registration.
	ID string
	// Name is the name in its metadata.
	Name string
	// Redirects are its redirect URIs.
	Redirects []string
}

// Grant is a user's permission for an app to make calls that are charged to the account.
type Grant struct {
	// ID identifies the grant; it is not a secret. Calls are logged and charged under it, like those with a key.
	ID string
	// Account is the id of the person's account.
	Account string
	// App and Name are the app's ID, and its name at the time of the grant.
	App, Name string
	// Resource is the address of the resource that the app may call.
	Resource string
	// Redirect is the redirect URI of the authorization, and Challenge its PKCE code challenge (RFC 7636, S256).
	Redirect, Challenge string
	// CreatedAt is the time of consent, to the millisecond.
	CreatedAt time.Time
	// LastUsedAt is the time of the last recorded call. It is zero if there was none.
	LastUsedAt time.Time
	// ExpiresAt is the expiry time unless the app refreshes its tokens.
	ExpiresAt time.Time
}

// Token is a token of a grant. Only its hash is stored, as Directory.Hash computes it.
type Token struct {
	Kind TokenKind
	Hash []byte
	// ExpiresAt is the expiry time.
	ExpiresAt time.Time
	// Used reports that it has been exchanged, which is possible only once.
	Used bool
}

// TokenKind is the purpose of a token.
type TokenKind string

// The kinds of tokens.
const (
	// CodeToken is exchanged for an access token and a refresh token.
	CodeToken TokenKind = "code"
	// AccessToken authorizes calls. It is never exchanged.
	AccessToken TokenKind = "access"
	// RefreshToken is exchanged for a new pair.
	RefreshToken TokenKind = "refresh"
)

// MaxGrants is the maximum number of grants of an account; a further one replaces the oldest.
const MaxGrants = 100

// ErrNoGrant: there is no such grant or token, or it has expired.
var ErrNoGrant = errors.New("there is no such grant")
