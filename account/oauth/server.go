// Package oauth is an authorization server of OAuth 2.1 (draft-ietf-oauth-v2-1) with which people grant programs access
// to their accounts, for connectors that cannot send an API key. It follows version 2026-07-28 of the Model Context
// Protocol.
//
// There is one resource, and there are public clients only. A client identifies itself by a metadata document at its
// own address (draft-ietf-oauth-client-id-metadata-document), or registers (RFC 7591); a signed-in person consents; the
// client exchanges a code, bound to the client by PKCE (RFC 7636), for tokens. Tokens are random, and only their hashes
// are stored. An access token acts as a key of the account: the same rate limits, credits and logs apply.
package oauth

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/metering"
)

// Path is the prefix of the endpoints, without a trailing slash. The metadata has other paths; Server.Handles accepts
// both.
const Path = auth.Path + "/oauth2"

// The lifetimes of tokens.
const (
	codeAge    = time.Minute
	accessAge  = time.Hour
	refreshAge = 30 * 24 * time.Hour
	// defaultGrantAge is the default of Options.GrantAge.
	defaultGrantAge = 180 * 24 * time.Hour
)

// The prefixes of tokens. The rest has the form of an API key with its checksum, so that mistyped ones are refused
// without a look-up.
const (
	codePrefix    = "rodata_code_"
	accessPrefix  = "rodata_access_"
	refreshPrefix = "rodata_refresh_"
)

// Options configure a Server. Fields without a default are required.
type Options struct {
	// Store holds grants and tokens. Any error not defined in package account means that the store is unavailable.
	Store *store.DB
	// Secret keys the hashes of tokens and signs forms; see account.LoadSecret.
	Secret []byte
	// People finds sessions and signs people in.
	People *auth.Auth
	// Issuer is the service's scheme and host (RFC 8414, RFC 9207).
	Issuer string
	// Resource is the address that tokens are valid for, below Issuer (RFC 8707).
	Resource string
	// Address returns the address of the client that sent a request.
	Address func(*http.Request) netip.Addr
	// Buckets limit the rate of calls from an address. They outlive the Server.
	Buckets *metering.Buckets
	// GrantAge is the time after which a grant ends, however it is used. Default: 180 days.
	GrantAge time.Duration
	// Documents fetches clients' metadata documents. Default: a client that connects to public addresses only, to
	// prevent SSRF.
	Documents *http.Client
	// Logger receives failures.
	Logger *slog.Logger
}

// Server serves the endpoints and metadata. It is safe for concurrent use.
type Server struct {
	Options
	// Tokens finds the keys for access tokens, which have the account and id of the grant, and the name of the app. A
	// revoked grant is rejected at once by this process, and within 10 seconds by others.
	Tokens    *account.Directory
	clients   clientIDs
	documents *documents
	mux       http.Handler
	open      []string // see openPaths
	stop      func()   // unsubscribes from account changes
}

// New returns a Server, which must be closed.
func New(o Options) *Server {
	if o.Documents == nil {
		o.Documents = publicClient()
	}

	o.GrantAge = cmp.Or(o.GrantAge, defaultGrantAge)
	s := &Server{Options: o, clients: newClientIDs(o.Secret), documents: newDocuments(o.Documents)}
	s.Tokens = account.NewDirectory(tokenStore{o.Store, o.Resource}, o.Secret, accessPrefix)
	s.Tokens.Guesses = o.Buckets
	s.stop = o.Store.Watch(s.Tokens.Forget)
	s.mux, s.open = s.newMux(), s.openPaths()
	return s
}

// Close releases the Server.
func (s *Server) Close() { s.stop() }

// tokenStore presents the access tokens for a resource as keys.
type tokenStore struct {
	*store.DB
	resource string
}

// KeyByHash implements account.Store.
func (t tokenStore) KeyByHash(ctx context.Context, hash []byte) (account.Key, error) {
	return t.KeyByToken(ctx, hash, t.resource)
}

// TouchKeys implements account.Store.
func (t tokenStore) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	return t.TouchGrants(ctx, used)
}
