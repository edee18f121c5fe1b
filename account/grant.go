package account

import (
	"errors"
	"slices"
	"strings"
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
	// Resource is the address of the resource that the app may call, and Scope what it may do there.
	Resource string
	Scope    Scope
	// Redirect is the redirect URI of the authorization, and Challenge its PKCE code challenge (RFC 7636, S256).
	Redirect, Challenge string
	// CreatedAt is the time of consent, to the millisecond.
	CreatedAt time.Time
	// LastUsedAt is the time of the last recorded call. It is zero if there was none.
	LastUsedAt time.Time
	// ExpiresAt is the expiry time unless the app refreshes its tokens.
	ExpiresAt time.Time
}

// Scope is what an app may do: one or more of the constants below, separated by spaces (RFC 6749, section 3.3).
type Scope string

// The scopes.
const (
	// ReadScope permits look-ups, which are charged to the account, and reading how many credits are left.
	ReadScope Scope = "rodata:read"
	// WatchScope permits reading the account's watch-lists and events, and changing its watch-lists.
	WatchScope Scope = "rodata:watch"
	// AllScopes is all of them.
	AllScopes = ReadScope + " " + WatchScope
)

// Tokens returns the single scopes.
func (s Scope) Tokens() []string { return strings.Fields(string(s)) }

// Has reports whether a scope includes a single one.
func (s Scope) Has(one Scope) bool { return slices.Contains(s.Tokens(), string(one)) }

// Token is a token of a grant. Only its hash is stored, as Directory.Hash computes it.
type Token struct {
	Kind TokenKind
	Hash []byte
	// ExpiresAt is the expiry time.
	ExpiresAt time.Time
	// UsedAt is the time at which it was first exchanged. It is zero if it was not.
	UsedAt time.Time
}

// RenewalLeeway is the time for which a used refresh token is still exchanged. Programs renew from several calls at
// once, and lose answers (RFC 9700, section 4.14.2).
const RenewalLeeway = time.Minute

// IsExchangeable reports whether a token may be exchanged at a time. It may once; a refresh token may again within
// RenewalLeeway.
func (t *Token) IsExchangeable(now time.Time) bool {
	return t.UsedAt.IsZero() || t.Kind == RefreshToken && now.Sub(t.UsedAt) < RenewalLeeway
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
