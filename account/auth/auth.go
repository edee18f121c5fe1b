// Package auth signs people in: by password, by a link in a mail, or through GitHub and Google. It answers /api/auth/*
// in the wire format of better-auth 1.7 (https://www.better-auth.com), so that the official JavaScript client of
// better-auth works unchanged.
//
// It differs from better-auth in ways that the client does not notice. No token is stored. A session is identified by a
// handle that is not secret. Every error is an RFC 9457 problem with the additional members code and message. A new
// password ends all sessions.
package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/password"
	"github.com/rodata/rodata/account/provider"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
)

// Path is the prefix of all paths that Auth serves, without a trailing slash.
const Path = "/api/auth"

// Handles reports whether Auth serves a path.
func Handles(path string) bool { return path == Path || strings.HasPrefix(path, Path+"/") }

// Options configure an Auth.
type Options struct {
	// Store keeps users, sessions and tokens. Any error that package account does not define counts as an unreachable
	// store. Required.
	Store *store.DB
	// Secret keys the hashes of tokens and signs cookies; see account.LoadSecret. Required.
	Secret []byte
	// BaseURL is the address of the service for a request, without a trailing slash. Pages of its origin are trusted;
	// on https cookies are Secure. Links in mails begin with it, so a service that sends mail must not take it from the
	// client's request. Required.
	BaseURL func(*http.Request) string
	// Address returns the address that a request comes from. Required.
	Address func(*http.Request) netip.Addr
	// TrustedOrigins are the origins, such as https://app.example.ro, whose pages may sign people in, in addition to
	// the service's own.
	TrustedOrigins web.Origins
	// Mailer sends mails. Without one there are no links by mail: forgotten passwords cannot be reset, there is no
	// magic link, and addresses stay unverified.
	Mailer Mailer
	// RequireVerification refuses sign-in by password until the address is verified. It needs a Mailer. Without it, an
	// open sign-up allows user enumeration.
	RequireVerification bool
	// SignUpClosed disables every kind of sign-up: only operators open accounts. Then sign-up allows no user
	// enumeration either.
	SignUpClosed bool
	// Providers sign people in through other services.
	Providers []*provider.Provider
	// DefaultPlan is the code of a new account's plan. Required.
	DefaultPlan string
	// Buckets limit the rate of calls from an address. Required; they outlive this Auth.
	Buckets *metering.Buckets
	// Fleet, if set, replaces Buckets with limits shared by several processes.
	Fleet *metering.FleetBuckets
	// SessionAge is the time after sign-in at which a session ends, however it is used. Default: 90 days.
	SessionAge time.Duration
	// Closing, if set, is called before an account is closed because its user is deleted; an error stops the deletion.
	Closing func(ctx context.Context, account string) error
	// Unsubscribe returns the name of the watch-list whose digests the token of a link ends; with end, it ends them.
	// The error is account.ErrNoVerification if the token is not genuine, or the watch-list has been deleted. Required
	// for the pages that digests link to.
	Unsubscribe func(ctx context.Context, token string, end bool) (list string, err error)
	// Logger receives failures. Required.
	Logger *slog.Logger
}

// Auth signs people in and finds their sessions. It is safe for concurrent use.
type Auth struct {
	Options
	mux       http.Handler
	sessions  *account.Sessions
	stop      func() // unsubscribes from account changes
	passwords *password.Hasher
	tasks     tasks
}

// New returns an Auth, which must be closed.
func New(o Options) *Auth {
	o.SessionAge = cmp.Or(o.SessionAge, defaultSessionAge)
	a := &Auth{Options: o, sessions: account.NewSessions(o.Store), passwords: password.New(o.Store.ForeignPasswords),
		tasks: tasks{logger: o.Logger, slots: make(chan struct{}, maxTasks)}}
	a.stop = o.Store.Watch(a.sessions.Forget)
	routes := make(map[string]http.HandlerFunc)
	for name, f := range a.table() {
		routes[strings.Replace(name, " ", " "+Path, 1)] = a.handler(name, f)
	}

	a.mux = web.NewMux(routes, func(w http.ResponseWriter, r *http.Request, _ string) {
		a.exchange(w, r).fail(errNoRoute)
	})
	return a
}

// Close waits for background tasks and releases the Auth.
func (a *Auth) Close() {
	a.tasks.running.Wait()
	a.stop()
}

// AllowsEnumeration reports whether sign-up allows user enumeration.
func (a *Auth) AllowsEnumeration() bool { return !a.RequireVerification && !a.SignUpClosed }

type flow struct {
	do    func(*exchange) error
	limit metering.Rate
}

// table maps methods and paths below Path to flows.
func (a *Auth) table() map[string]flow {
	return map[string]flow{
		"GET /ok":                       {do: a.ok},
		"GET /error":                    {do: a.errorPage},
		"POST /sign-up/email":           {a.signUp, credentialRate},
		"POST /sign-in/email":           {a.signIn, credentialRate},
		"POST /sign-in/magic-link":      {a.requestMagicLink, magicLinkRate},
		"GET /magic-link/verify":        {a.followMagicLink, magicLinkRate},
		"POST /sign-in/social":          {a.signInSocial, credentialRate},
		"GET /callback/{provider}":      {do: a.callback},
		"POST /sign-out":                {do: a.signOut},
		"GET /get-session":              {do: a.getSession},
		"GET /list-sessions":            {do: requireSession(a.listSessions)},
		"POST /revoke-session":          {do: requireSession(a.revokeSession)},
		"POST /revoke-sessions":         {do: requireSession(a.revokeSessions)},
		"POST /revoke-other-sessions":   {do: requireSession(a.revokeOtherSessions)},
		"GET /list-accounts":            {do: requireSession(a.listAccounts)},
		"POST /update-user":             {do: requireSession(a.updateUser)},
		"POST /change-password":         {requireSession(a.changePassword), credentialRate},
		"POST /change-email":            {requireSession(a.changeEmail), credentialRate},
		"POST /send-verification-email": {a.sendVerificationEmail, mailRequestRate},
		"GET /verify-email":             {do: a.verifyEmail},
		"GET /confirm/{action}":         {do: a.confirmPage},
		"POST /confirm/{action}":        {do: a.acceptConfirmation},
		"GET /unsubscribe":              {do: a.viewDigest},
		"POST /unsubscribe":             {do: a.endDigest},
		"POST /request-password-reset":  {a.requestPasswordReset, mailRequestRate},
		"GET /reset-password":           {do: a.followPasswordReset},
		"GET /reset-password/{token}":   {do: a.followPasswordReset},
		"POST /reset-password":          {a.resetPassword, credentialRate},
		"POST /delete-user":             {requireSession(a.deleteUser), credentialRate},
		"GET /delete-user/callback":     {do: a.followDeletion},
	}
}

func requireSession(do func(*exchange, account.Session, account.User) error) func(*exchange) error {
	return func(x *exchange) error {
		s, u, err := x.session()
		if err != nil {
			return err
		}
		return do(x, s, u)
	}
}

var errNoRoute = failure(problem.NotFound, "NOT_FOUND", "Not found", "there is no such route, or not for this method")

// ServeHTTP answers requests below Path.
func (a *Auth) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Origin")
	if origin := r.Header.Get("Origin"); a.IsTrustedOrigin(origin, r) {
		web.AllowTrustedPage(h, origin)
	}

	a.mux.ServeHTTP(w, r)
}

// handler returns the handler of a flow. HEAD is refused, because flows for GET redeem tokens.
func (a *Auth) handler(name string, f flow) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := a.exchange(w, r)
		err := a.admit(x, name, f.limit)
		if err == nil && r.Method == http.MethodHead {
			err = errNoRoute
		}
		if err == nil {
			err = x.checkOrigin()
		}
		if err == nil {
			err = f.do(x)
		}
		if err != nil {
			x.fail(err)
		}
	}
}

func (a *Auth) ok(x *exchange) error { return x.answer(map[string]bool{"ok": true}, nil) }

// Session finds the session of a Cookie header of a request to the service at a base address. It returns
// account.ErrNoSession if the session does not exist or has ended. If the store cannot be reached, the error wraps
// account.ErrStoreDown and the cause. Ending a session takes effect at once in this process, and within 10 seconds in
// others.
func (a *Auth) Session(ctx context.Context, base, cookie string) (account.Session, error) {
	r := http.Request{Header: http.Header{"Cookie": {cookie}}}
	token := a.readCookie(&r, base, sessionCookie)
	if token == "" {
		return account.Session{}, account.ErrNoSession
	}

	return a.sessions.Find(ctx, [sha256.Size]byte(a.hash(forSession, token)))
}
