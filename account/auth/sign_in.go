package auth

import (
	"context"
	"errors"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/problem"
)

// signIn checks a password and starts a session. An unknown address, a user without a password and a wrong password get
// the same answer after the same work. The same holds for an unverified user and for a sign-up attempt with a taken
// address.
func (a *Auth) signIn(x *exchange) error {
	var email, password, callback string
	remember := true
	if err := x.read(members{
		"email": text(&email), "password": text(&password), "callbackURL": optionalText(&callback),
		"rememberMe": boolean(&remember),
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

	attempt, err := a.admitAttempt(x, email, u.ID)
	if err != nil {
		return err
	}

	tried, err := a.signUpAttempts(x.r.Context(), email)
	if err != nil {
		return err
	}

	checked, err := a.passwords.Check(x.r.Context(), hash, password, a.salt(email, hash), tried)
	switch {
	case err != nil:
		return err
	case checked.Attempted:
		return a.refuseUnverified(x, func(ctx context.Context) error { return a.notifyOwner(ctx, x, email) })
	case !checked.Correct:
		return failure(problem.Unauthorized, "INVALID_EMAIL_OR_PASSWORD", "Invalid email or password", "")
	case a.RequireVerification && !u.EmailVerified:
		return a.refuseUnverified(x, func(ctx context.Context) error { return a.sendVerification(ctx, x, u, callback) })
	}

	if checked.Rehashed != "" {
		if err := a.Store.ReplacePassword(x.r.Context(), u.ID, hash, checked.Rehashed); err != nil {
			return err
		}
	}

	s, err := x.startSession(u, !remember)
	if err != nil {
		return err
	}

	// Not earlier: resetting the counter for an attempted password would reveal the account.
	attempt.recordSuccess(x.r.Context())
	return x.answerSignIn(s, u, callback)
}

// answerSignIn answers a sign-in by password. The client redirects to a callback, if there is one.
func (x *exchange) answerSignIn(s account.Session, u account.User, callback string) error {
	redirect := callback != ""
	if redirect {
		x.w.Header().Set("Location", callback)
	}

	return x.answer(signInAnswer{Redirect: &redirect, Token: &s.ID, URL: callback, User: viewUser(u)}, nil)
}

// refuseUnverified mails the link, or the notice of an existing account, once more.
func (a *Auth) refuseUnverified(x *exchange, mail func(context.Context) error) error {
	if err := a.tasks.start(x.r.Context(), "mailing a verification link or a notice", mail); err != nil {
		return err
	}
	return forbidden("EMAIL_NOT_VERIFIED", "Email not verified", "a link has been sent to the address; open it first")
}
