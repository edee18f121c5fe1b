package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/internal/weburl"
)

// Authenticate finds out who calls, for a channel that has to know before there
// is an operation to do. The problem is the one that Do would answer the call
// with, and nil for a caller who may go on.
func (g *Gateway) Authenticate(ctx context.Context, call *Call) (account.Caller, *problem.Problem) {
	caller := account.Caller{Address: call.Address}
	if err := g.authenticateKey(ctx, call, &caller, &Reply{arrival: time.Now()}); err != nil {
		return caller, g.problem(ctx, "authenticate", call, err)
	}
	return caller, nil
}

// authenticate finds out who calls: whose key was sent, or else, where the
// operation is an account's, whose session the cookie names.
func (g *Gateway) authenticate(ctx context.Context, op *Operation, call *Call, caller *account.Caller, reply *Reply) error {
	if call.Caller != nil {
		*caller = *call.Caller
		return nil
	}
	if op.Account && !call.hasKey() && call.Cookie != "" && g.Sessions != nil {
		return g.authenticateSession(ctx, call, caller)
	}
	return g.authenticateKey(ctx, call, caller, reply)
}

// authenticateKey finds out whose key was sent. One that is not valid, or of another
// scheme, is never taken for no key. It draws on the bucket of its address, so that
// keys cannot be tried faster than anonymous calls can be made, and the directory
// asks its store about no more than that; valid keys from there are none the worse
// for it.
func (g *Gateway) authenticateKey(ctx context.Context, call *Call, caller *account.Caller, reply *Reply) error {
	if !call.hasKey() {
		return nil
	}
	secret, bearer := call.secret()
	if call.APIKey != "" && secret != call.APIKey {
		if err := g.admit(ctx, caller, reply); err != nil {
			return err
		}
		return problem.Invalid(&problem.InputError{Parameter: "x-api-key", Code: problem.Conflict, Accepted: "one key, in one of the two headers", Reason: "the headers Authorization and x-api-key hold different keys; send one of the two"})
	}
	key, err := g.lookUp(ctx, call, secret)
	switch {
	case err == nil:
		caller.Key = &key
		g.plan(ctx, caller, key.Plan)
		caller.Accountable = key.Verified || caller.Plan != &g.Plans[0]
		return nil
	case errors.Is(err, account.ErrUnknownKey):
		if err := g.admit(ctx, caller, reply); err != nil {
			return err
		}
		if !bearer {
			return refusedKey("the Authorization header is of another scheme than Bearer; send \"Authorization: Bearer <key>\" or \"x-api-key: <key>\", or leave it out for free operations")
		}
		return refusedKey("the key is not valid: it is mistyped, unknown, or revoked; send a valid one, or none for free operations")
	case errors.Is(err, account.ErrStoreDown):
		g.Logger.LogAttrs(ctx, slog.LevelError, "looking up a key", slog.Any("error", err))
		return storeDown("the key cannot be checked just now; try again shortly, or call free operations without a key")
	}
	if guesses := (*account.TooManyGuesses)(nil); errors.As(err, &guesses) {
		if err := g.admit(ctx, caller, reply); err != nil {
			return err
		}
		p := problem.RateLimited.New("too many keys that are not valid came from this address, so that this one was not looked up; wait as Retry-After says")
		p.RetryAfter = guesses.RetryAfter
		return p
	}
	return err
}

// hasKey reports whether a key was sent, in whatever header.
func (c *Call) hasKey() bool { return c.Authorization != "" || c.APIKey != "" }

// secret is the key that was sent. An Authorization header of another scheme than
// Bearer holds none; its secret is empty, which no key's is, so that such a header
// counts as a wrong key.
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

// lookUp finds the key that a secret belongs to, or that a token stands for.
func (g *Gateway) lookUp(ctx context.Context, call *Call, secret string) (account.Key, error) {
	if g.Tokens != nil && call.Channel == "mcp" {
		if key, err := g.Tokens.KeyFrom(ctx, secret, call.Address); !errors.Is(err, account.ErrUnknownKey) {
			return key, err
		}
	}
	return g.Keys.KeyFrom(ctx, secret, call.Address)
}

// authenticateSession finds out whose session a cookie names. A cookie that names
// none is no cookie: browsers send all that they have.
func (g *Gateway) authenticateSession(ctx context.Context, call *Call, caller *account.Caller) error {
	session, err := g.Sessions.Session(ctx, call.Cookie)
	switch {
	case errors.Is(err, account.ErrNoSession):
		return nil
	case errors.Is(err, account.ErrStoreDown):
		g.Logger.LogAttrs(ctx, slog.LevelError, "looking up a session", slog.Any("error", err))
		return storeDown("the session cannot be checked just now; try again shortly")
	case err != nil:
		return err
	}
	caller.Session = &session
	g.plan(ctx, caller, session.Plan)
	return nil
}

// plan finds the caller's plan in the catalogue. Whoever has one that was taken
// out of it has that of new accounts: a changed catalogue shuts nobody out.
func (g *Gateway) plan(ctx context.Context, caller *account.Caller, code string) {
	for i := range g.Plans {
		if g.Plans[i].Code == code {
			caller.Plan = &g.Plans[i]
			return
		}
	}
	caller.Plan = &g.Plans[0]
	g.tellOfGone(ctx, code)
}

// tellOfGone warns, once for each plan, that accounts have one that is not in the
// catalogue.
func (g *Gateway) tellOfGone(ctx context.Context, code string) {
	if _, told := g.gone.LoadOrStore(code, true); told {
		return
	}
	g.Logger.LogAttrs(ctx, slog.LevelWarn, "accounts have a plan that is not in the catalogue, and are served by another instead: "+
		"name the plan in the configuration again, or find them with \"rodata accounts list --query <plan>\" and give them another with \"rodata accounts set-plan\"",
		slog.String("plan", code), slog.String("instead", g.Plans[0].Code))
}

// permit refuses who has no account where one is needed, and a page of somebody
// else's that wants to change something with a session, or to send what only our
// own pages may.
func (g *Gateway) permit(op *Operation, call *Call, caller *account.Caller) error {
	switch {
	case op.OwnPages && call.fromElsewhere() && !g.trusts(call):
		return problem.Forbidden.New("pages of other sites may not send this; its operator can trust them, and programs that are no browsers leave the header Origin out")
	case !op.Account:
		return nil
	case caller.Account() == "":
		return problem.Unauthorized.New("this operation needs an account: send \"Authorization: Bearer <key>\" or \"x-api-key: <key>\". To get a key, sign up at /api/auth and create one with the session's cookie (POST /v1/keys), or ask the operator of this installation")
	case caller.Session == nil, op.Method == http.MethodGet, g.trusts(call):
		return nil
	case call.Origin == "":
		return problem.Forbidden.New("a change with a session needs the header Origin, which browsers send; other programs use a key")
	}
	return problem.Forbidden.New("pages of the origin %s may not act with a session; its operator can trust them", quoted(call.Origin))
}

// trusts reports whether a request comes from a page of the service's own origin
// or of one that it trusts.
func (g *Gateway) trusts(call *Call) bool {
	return weburl.SameOrigin(call.Site, call.Origin) || g.TrustedOrigins.Has(call.Origin)
}

// fromElsewhere reports whether a browser says that a page sends the request, which
// may be another site's.
func (c *Call) fromElsewhere() bool { return c.Origin != "" || c.FetchSite == "cross-site" }

func refusedKey(detail string) *problem.Problem {
	p := problem.Unauthorized.New("%s", detail)
	p.RefusesKey = true
	return p
}

func storeDown(detail string) *problem.Problem {
	p := problem.Unavailable.New("%s", detail)
	p.RetryAfter = 5 * time.Second
	return p
}
