package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/rodata/rodata/account"
)

// signIn starts a session for whoever knows the password. An unknown address, one
// without a password and a wrong password are answered alike, after the same work;
// and so are a user who has not verified their address, and who has tried to sign up
// with somebody's.
func (a *Auth) signIn(x *exchange) error {
	var email, password, callback string
	remember := true
	if err := x.read(members{
		"email": text(&email), "password": text(&password), "callbackURL": maybeText(&callback), "rememberMe": truth(&remember),
	}); err != nil {
		return err
	}
	email, ok := readEmail(email)
	if !ok {
		return errInvalidEmail
	}
	u, hash, err := a.Store.UserByEmail(x.r.Context(), email)
	if err != nil && !errors.Is(err, account.ErrNoUser) {
		return err
	}
	g, err := a.admitGuess(x, email, u.ID)
	if err != nil {
		return err
	}
	tried, err := a.tries(x.r.Context(), email)
	if err != nil {
		return err
	}
	v, err := a.passwords.check(x.r.Context(), hash, password, a.salt(email, hash), tried)
	switch {
	case err != nil:
		return err
	case v.tried:
		return a.refuseUnverified(x, func(ctx context.Context) error { return a.tellOwner(ctx, x, email) })
	case !v.right:
		return &refusal{status: http.StatusUnauthorized, code: "INVALID_EMAIL_OR_PASSWORD", message: "Invalid email or password"}
	case a.RequireVerification && !u.EmailVerified:
		return a.refuseUnverified(x, func(ctx context.Context) error { return a.askToVerify(ctx, x, u, callback) })
	}
	if v.newer != "" {
		if err := a.Store.ReplacePassword(x.r.Context(), u.ID, hash, v.newer); err != nil {
			return err
		}
	}
	s, err := x.startSession(u, !remember)
	if err != nil {
		return err
	}
	g.right(x.r.Context()) // and not before: a password that was only tried must not tell by it who has an account
	redirect := callback != ""
	if redirect {
		x.w.Header().Set("Location", callback) // the client goes there by itself
	}
	return x.answer(signedIn{Redirect: &redirect, Token: &s.ID, URL: callback, User: viewUser(u)})
}

// refuseUnverified sends a mail once more: the link, or the word that there is an
// account already.
func (a *Auth) refuseUnverified(x *exchange, mail func(context.Context) error) error {
	if err := a.jobs.start(x.r.Context(), "asking to verify an address", mail); err != nil {
		return err
	}
	return &refusal{status: http.StatusForbidden, code: "EMAIL_NOT_VERIFIED", message: "Email not verified", detail: "a link has been sent to the address; open it first"}
}
