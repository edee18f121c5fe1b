// Package oauth lets people allow programs the use of their accounts, for
// connectors that cannot be given an API key: an authorization server of OAuth 2.1
// (draft-ietf-oauth-v2-1) as the Model Context Protocol of 2026-07-28 wants one.
//
// There is one resource, one scope and no client with a secret. A program shows
// who it is by a document at an address of its own
// (draft-ietf-oauth-client-id-metadata-document), or registers (RFC 7591); a
// person who is signed in allows it; it exchanges a code for tokens, bound to it by
// PKCE (RFC 7636). Tokens are random, and only their hashes are kept. An access
// token stands for a key of the account, so that rates, credits and logs are those
// of keys.
package oauth

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/metering"
)

// Path is where people and programs come to, without a slash at the end. The
// descriptions are at addresses of their own, see Server.Handles.
const Path = auth.Path + "/oauth2"

// Scope is what a grant is for: calling tools, on the account's credits.
const Scope = "mcp"

// How long tokens are accepted.
const (
	codeAge    = time.Minute
	accessAge  = time.Hour
	refreshAge = 30 * 24 * time.Hour
)

// How tokens begin. The rest is that of an API key, checksum included, so that a
// mistyped one is refused without asking the store.
const (
	codePrefix    = "rodata_code_"
	accessPrefix  = "rodata_access_"
	refreshPrefix = "rodata_refresh_"
)

// Options are what a Server is made of. All are required but those with a default.
type Options struct {
	// Store keeps apps, grants and tokens.
	Store Store
	// Secret keys the hashes of tokens and seals forms, as account.LoadSecret
	// returns it.
	Secret []byte
	// People knows who is signed in, and signs in who is not.
	People *auth.Auth
	// Issuer is the service's address, scheme and host: what tokens are issued by
	// (RFC 8414, RFC 9207).
	Issuer string
	// Resource is the address that tokens are good for, below Issuer (RFC 8707).
	Resource string
	// Address is where a request comes from. Default: the connection's.
	Address func(*http.Request) netip.Addr
	// Buckets bound how often one address calls. Default: new ones; they are given to
	// outlive this Server.
	Buckets *metering.Buckets
	// Documents fetches what programs say of themselves. Default: a client that
	// reaches public addresses only, which is what must be used where anybody may
	// name the address.
	Documents *http.Client
	// Logger is told of what fails.
	Logger *slog.Logger
}

// Store is what a Server asks of the place where grants are kept, of which
// account/store has one. Errors are those of package account; others mean that the
// store could not be asked. Methods may be called concurrently.
type Store interface {
	account.Store
	User(ctx context.Context, id string) (account.User, error)
	App(ctx context.Context, id string) (account.App, error)
	CreateGrant(ctx context.Context, g account.Grant, code account.Token) error
	GrantByToken(ctx context.Context, kind account.TokenKind, hash []byte) (account.Grant, account.Token, error)
	ExchangeToken(ctx context.Context, g account.Grant, old []byte, tokens ...account.Token) error
	KeyByToken(ctx context.Context, hash []byte, resource string) (account.Key, error)
	Grants(ctx context.Context, account string) ([]account.Grant, error)
	EndGrant(ctx context.Context, account, id string) error
	TouchGrants(ctx context.Context, used map[string]time.Time) error
	Watch(changed func(account string)) (stop func())
}

// Server answers for all of it. It may be used concurrently.
type Server struct {
	Options
	tokens    *account.Directory
	clients   clientIDs
	documents *documents
	routes    map[string]route
	stop      func() // no more news of changed accounts
}

// New makes a Server, which must be closed.
func New(o Options) *Server {
	if o.Address == nil {
		o.Address = connectionAddress
	}
	if o.Buckets == nil {
		o.Buckets = metering.NewBuckets()
	}
	if o.Documents == nil {
		o.Documents = publicClient()
	}
	s := &Server{Options: o, clients: newClientIDs(o.Secret), documents: newDocuments(o.Documents)}
	s.tokens = account.NewDirectory(tokenStore{o.Store, o.Resource}, o.Secret, accessPrefix)
	s.tokens.Guesses = o.Buckets
	s.stop = o.Store.Watch(s.tokens.Forget)
	s.routes = s.table()
	return s
}

// Close ends the use of the Server.
func (s *Server) Close() { s.stop() }

func connectionAddress(r *http.Request) netip.Addr {
	connection, _ := netip.ParseAddrPort(r.RemoteAddr)
	return connection.Addr()
}

// Key finds what an access token stands for: a key of the account that allowed it,
// whose id is that of the grant and whose name is the app's. The errors are those
// of account.Directory. A grant that ends here counts from the next call on, one
// that ends in another process within 10 seconds.
func (s *Server) Key(ctx context.Context, token string) (account.Key, error) {
	return s.tokens.Key(ctx, token)
}

// KeyFrom is Key for a caller at an address, which may try only so many tokens that
// are not valid.
func (s *Server) KeyFrom(ctx context.Context, token string, from netip.Addr) (account.Key, error) {
	return s.tokens.KeyFrom(ctx, token, from)
}

// WriteUses writes when grants were used, as account.Directory does for keys.
func (s *Server) WriteUses(ctx context.Context, failed func(error)) { s.tokens.WriteUses(ctx, failed) }

// tokenStore shows a directory of keys the access tokens for a resource.
type tokenStore struct {
	Store
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
