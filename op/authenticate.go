package op

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op/problem"
)

// Authenticate identifies the caller, for a channel that needs the caller before the operation is known. The problem,
// if any, is the one that Do would return.
func (g *Gateway) Authenticate(ctx context.Context, call *Call) (account.Caller, *problem.Problem) {
	caller := account.Caller{Address: call.Address}
	if err := g.authenticateKey(ctx, call, &caller, &Reply{arrival: time.Now()}); err != nil {
		return caller, g.problem(ctx, "authenticate", call, err)
	}
	return caller, nil
}

// Recognizes reports whether the caller of a stream may still receive it: the key, token or session that began it has
// not been revoked, nor its account closed. If the store does not answer, the caller may.
func (g *Gateway) Recognizes(ctx context.Context, call *Call, caller *account.Caller) bool {
	return g.reauthenticate(ctx, new(Operation), call, caller) == nil
}

func (g *Gateway) reauthenticate(ctx context.Context, op *Operation, call *Call, caller *account.Caller) error {
	again := account.Caller{Address: call.Address}
	err := g.authenticate(ctx, op, call, &again, &Reply{arrival: time.Now()})
	if p, known := ProblemOf(err); known && p.Kind == problem.Unavailable {
		return nil
	}
	if err == nil && again.Account() != caller.Account() {
		err = problem.Unauthorized.New("the session has ended; sign in again")
	}

	return err
}

// authenticate identifies the caller by key. Operations that need an account, and pages that request it, also accept a
// session cookie.
func (g *Gateway) authenticate(ctx context.Context, op *Operation, call *Call, caller *account.Caller,
	reply *Reply) error {
	if call.Caller != nil {
		*caller = *call.Caller
		return nil
	}
	if (op.Account || call.BySession) && !call.hasKey() && call.Cookie != "" && g.Sessions != nil {
		return g.authenticateSession(ctx, call, caller)
	}

	return g.authenticateKey(ctx, call, caller, reply)
}

// authenticateKey looks up the key that was sent. An invalid key, or another scheme, is never treated as anonymous. It
// draws on the bucket of its address, so guessing keys is limited like anonymous calls; the directory limits look-ups
// in its store likewise. Valid keys from the same address are unaffected.
func (g *Gateway) authenticateKey(ctx context.Context, call *Call, caller *account.Caller, reply *Reply) error {
	if !call.hasKey() {
		return nil
	}

	secret, bearer := call.secret()
	if call.APIKey != "" && secret != call.APIKey {
		if err := g.admit(ctx, caller, reply); err != nil {
			return err
		}
		return problem.Invalid(&problem.InputError{Parameter: "x-api-key", Code: problem.Conflict,
			Accepted: "one key, in one of the two headers",
			Reason:   "the headers Authorization and x-api-key contain different keys; send only one of them"})
	}

	key, err := g.lookUp(ctx, call, secret)
	guesses, tooMany := errors.AsType[*account.TooManyGuesses](err)
	unknown := errors.Is(err, account.ErrUnknownKey)
	if tooMany || unknown {
		if err := g.admit(ctx, caller, reply); err != nil {
			return err
		}
	}

	switch {
	case err == nil:
		caller.Key = &key
		g.plan(ctx, caller, key.Plan)
		caller.Accountable = key.Verified || caller.Plan != &g.Plans[0]
		return nil
	case unknown && !bearer:
		return refusedKey("the Authorization header has a scheme other than Bearer; send \"Authorization: Bearer " +
			"<key>\" or \"x-api-key: <key>\", or leave it out for free operations")
	case unknown:
		return refusedKey("the key is invalid: it is mistyped, unknown or revoked; send a valid one, or none for " +
			"free operations")
	case errors.Is(err, account.ErrStoreDown):
		g.Logger.LogAttrs(ctx, slog.LevelError, "looking up a key", slog.Any("error", err))
		return StoreDown("the key cannot be checked right now; try again shortly, or call free operations without a " +
			"key")
	case tooMany:
		return problem.RateLimited.New("too many invalid keys were sent from this address, so this one was not " +
			"checked; wait for the time in Retry-After").After(guesses.RetryAfter)
	}

	return err
}

// hasKey reports whether a key was sent in either header.
func (c *Call) hasKey() bool { return c.Authorization != "" || c.APIKey != "" }

// secret returns the key that was sent. For an Authorization scheme other than Bearer it is empty, so that such a
// header counts as an invalid key.
func (c *Call) secret() (secret string, bearer bool) {
	if c.Authorization == "" {
		return c.APIKey, true
	}

	scheme, secret, _ := strings.Cut(c.Authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}

	return strings.TrimSpace(secret), true
}

// lookUp returns the key for a secret or, over MCP, for an OAuth token.
func (g *Gateway) lookUp(ctx context.Context, call *Call, secret string) (account.Key, error) {
	if g.Tokens != nil && call.Channel == "mcp" {
		if key, err := g.Tokens.KeyFrom(ctx, secret, call.Address); !errors.Is(err, account.ErrUnknownKey) {
			return key, err
		}
	}

	return g.Keys.KeyFrom(ctx, secret, call.Address)
}

// authenticateSession looks up the session of a cookie. A cookie that names no valid session is ignored, because
// browsers send all their cookies.
func (g *Gateway) authenticateSession(ctx context.Context, call *Call, caller *account.Caller) error {
	session, err := g.Sessions.Session(ctx, call.Site, call.Cookie)
	switch {
	case errors.Is(err, account.ErrNoSession):
		return nil
	case errors.Is(err, account.ErrStoreDown):
		g.Logger.LogAttrs(ctx, slog.LevelError, "looking up a session", slog.Any("error", err))
		return StoreDown("the session cannot be checked right now; try again shortly")
	case err != nil:
		return err
	}

	caller.Session = &session
	g.plan(ctx, caller, session.Plan)
	caller.Accountable = session.Verified || caller.Plan != &g.Plans[0]
	return nil
}

// plan sets the caller's plan. Accounts on a retired plan fall back to the default plan, so that a changed catalogue
// does not lock anyone out; the first such call logs a warning.
func (g *Gateway) plan(ctx context.Context, caller *account.Caller, code string) {
	for i := range g.Plans {
		if g.Plans[i].Code == code {
			caller.Plan = &g.Plans[i]
			return
		}
	}

	caller.Plan = &g.Plans[0]
	if _, warned := g.retired.LoadOrStore(code, true); warned {
		return
	}

	g.Logger.LogAttrs(ctx, slog.LevelWarn,
		"accounts are on a plan that is not in the catalogue, and fall back to the default plan: add the plan to "+
			"the configuration again, or list the accounts with \"rodata accounts list --query <plan>\" and move "+
			"them with \"rodata accounts set-plan\"",
		slog.String("plan", code), slog.String("instead", g.Plans[0].Code))
}

// CheckScope rejects a caller whose access token does not have a scope.
func CheckScope(caller *account.Caller, scope account.Scope) error {
	if caller.Key == nil || caller.Key.Permits(scope) {
		return nil
	}
	return problem.InsufficientScope.New("this needs the scope %s, and the user granted %s; ask the user to grant it",
		scope, caller.Key.Scope)
}

// permit rejects callers without an account unless the operation permits them, apps that were not granted the
// operation's scope, changes made with a session by untrusted pages, and requests from pages of other sites if only the
// service's own pages may send them.
func (g *Gateway) permit(op *Operation, call *Call, caller *account.Caller) error {
	if err := CheckScope(caller, op.Scope); err != nil {
		return err
	}

	switch {
	case op.OwnPages && call.isFromElsewhere() && !g.trusts(call):
		return problem.Forbidden.New("pages of other sites may not send this; the operator can trust their origin, " +
			"and programs other than browsers should omit the header Origin")
	case !op.Account, op.Guests && caller.Account() == "":
		return nil
	case caller.Account() == "":
		return problem.Unauthorized.New("this operation needs an account: send \"Authorization: Bearer <key>\" or " +
			"\"x-api-key: <key>\"")
	case caller.Session == nil, op.Method == http.MethodGet, g.trusts(call):
		return nil
	case call.Origin == "":
		return problem.Forbidden.New("a change made with a session needs the header Origin, which browsers send; " +
			"other programs should use a key")
	}

	return problem.Forbidden.New("pages of the origin %s may not act with a session; the operator can trust this "+
		"origin",
		problem.Quoted(call.Origin))
}

// trusts reports whether a request comes from a page of the service's own origin or of a trusted one.
func (g *Gateway) trusts(call *Call) bool {
	return web.IsSameOrigin(call.Site, call.Origin) || g.TrustedOrigins.Has(call.Origin)
}

// isFromElsewhere reports whether the browser's headers show that a page, possibly another site's, sent the request.
func (c *Call) isFromElsewhere() bool { return c.Origin != "" || c.FetchSite == "cross-site" }

func refusedKey(detail string) *problem.Problem {
	p := problem.Unauthorized.New("%s", detail)
	p.RefusesKey = true
	return p
}

// StoreDown is the problem of a call while the store of the accounts cannot be reached.
func StoreDown(detail string) *problem.Problem {
	return problem.Unavailable.New("%s", detail).After(5 * time.Second)
}
