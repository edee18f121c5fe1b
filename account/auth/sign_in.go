package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/rodata/rodata/account"
)

// signIn starts a session for whoever knows the password. An unknown address, one
// without a password and a wrong password are answered alike, after the same work.
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
	right, err := a.passwords.check(x.r.Context(), hash, password)
	if err != nil {
		return err
	}
	if !right {
		return &refusal{status: http.StatusUnauthorized, code: "INVALID_EMAIL_OR_PASSWORD", message: "Invalid email or password"}
	}
	if a.RequireVerification && !u.EmailVerified {
		return a.refuseUnverified(x, u, callback)
	}
	if err := a.renewHash(x.r.Context(), u, hash, password); err != nil {
		return err
	}
	s, err := x.startSession(u, !remember)
	if err != nil {
		return err
	}
	redirect := callback != ""
	if redirect {
		x.w.Header().Set("Location", callback) // the client goes there by itself
	}
	return x.answer(signedIn{Redirect: &redirect, Token: &s.ID, URL: callback, User: viewUser(u)})
}

// refuseUnverified sends the link once more.
func (a *Auth) refuseUnverified(x *exchange, u account.User, callback string) error {
	if err := a.jobs.start(x.r.Context(), "asking to verify an address", func(ctx context.Context) error {
		return a.askToVerify(ctx, x, u, callback)
	}); err != nil {
		return err
	}
	return &refusal{status: http.StatusForbidden, code: "EMAIL_NOT_VERIFIED", message: "Email not verified", detail: "a link has been sent to the address; open it first"}
}

// renewHash replaces a hash that was made at another cost, or by better-auth.
func (a *Auth) renewHash(ctx context.Context, u account.User, old, password string) error {
	if !outdated(old) {
		return nil
	}
	hash, err := a.passwords.hash(ctx, password)
	if err != nil {
		return err
	}
	return a.Store.ReplacePassword(ctx, u.ID, old, hash)
}
