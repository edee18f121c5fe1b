package auth

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/problem"
)

func (a *Auth) sendVerification(ctx context.Context, x *exchange, u account.User, callback string) error {
	return a.sendLink(ctx, x, verifyMail, u.Email, u.ID, u.Email, "callbackURL", orRoot(callback))
}

// orRoot defaults a callback to the front page.
func orRoot(callback string) string { return cmp.Or(callback, "/") }

// sendVerificationEmail mails the link again. Without a session, the answer reveals nothing about the address.
func (a *Auth) sendVerificationEmail(x *exchange) error {
	var email, callback string
	if err := x.read(members{"email": text(&email), "callbackURL": optionalText(&callback)}); err != nil {
		return err
	}

	email, ok := readEmail(email)
	if !ok {
		return invalidEmail("email")
	}
	if a.Mailer == nil {
		return bad("VERIFICATION_EMAIL_NOT_ENABLED", "Verification email isn't enabled", "")
	}

	_, u, err := x.session()
	switch {
	case errors.Is(err, errUnauthorized):
	case err != nil:
		return err
	case u.Email != email:
		return bad("EMAIL_MISMATCH", "Email mismatch", "")
	case u.EmailVerified:
		return bad("EMAIL_ALREADY_VERIFIED", "Email is already verified", "")
	}

	return x.answer(done, a.tasks.start(x.r.Context(), "mailing a verification link", func(ctx context.Context) error {
		u, _, err := a.Store.UserByEmail(ctx, email)
		if errors.Is(err, account.ErrNoUser) || err == nil && u.EmailVerified {
			return nil
		}
		if err != nil {
			return err
		}

		return a.sendVerification(ctx, x, u, callback)
	}))
}

// verifyEmail is for clients that extract the token from the link and verify the address themselves. It is idempotent.
func (a *Auth) verifyEmail(x *exchange) error {
	callback, err := x.target("callbackURL", "")
	if err != nil {
		return err
	}

	token := x.r.URL.Query().Get("token")
	err = a.verify(x, token, false)
	if errors.Is(err, errInvalidToken) { // may be from the first step of a change
		err = a.agreeToChange(x, token, callback)
	}

	f, failed := refused(err)
	failed = failed && f.Status() < http.StatusInternalServerError // the link still works
	switch {
	case failed && callback != "":
		return x.redirect(callback, "error", f.Code)
	case failed:
		return as(problem.Unauthorized, f)
	case err != nil:
		return err
	case callback != "":
		return x.redirect(callback)
	}

	return x.answer(struct {
		Status bool      `json:"status"`
		User   *userView `json:"user"`
	}{Status: true}, nil)
}

// verify redeems a token to verify an address. With forget, an existing password is removed in any case.
func (a *Auth) verify(x *exchange, token string, forget bool) error {
	ctx := x.r.Context()
	v, err := a.lookUp(ctx, forEmail, token)
	if err != nil {
		return err
	}

	u, err := a.verifiable(ctx, v)
	if err != nil || v.Used {
		return err
	}

	keep, err := a.keepOnVerification(x, u, v.Value)
	if err != nil {
		return err
	}
	if forget {
		keep = account.KeepNothing
	}

	err = a.Store.VerifyEmail(ctx, u, v.Value, keep, a.hash(forEmail, token))
	if errors.Is(err, account.ErrNoUser) || errors.Is(err, account.ErrEmailTaken) {
		err = errInvalidToken
	}

	return invalidIf(err, account.ErrNoVerification)
}

// keepOnVerification decides what survives the verification of an address. If the user is signed in, they set up the
// account themselves, so everything stays. If a password works only after verification, the link belongs to the sign-up
// that chose the password, and nothing else can have been set up.
func (a *Auth) keepOnVerification(x *exchange, u account.User, email string) (account.Keep, error) {
	s, err := x.currentSession()
	switch {
	case err != nil && !errors.Is(err, account.ErrNoSession):
		return account.KeepNothing, err
	case err == nil && s.User == u.ID:
		return account.KeepAll, nil
	case a.RequireVerification && email == u.Email:
		return account.KeepPassword, nil
	}

	return account.KeepNothing, nil
}

// viewEmail describes what verifying an address does to the account.
func (a *Auth) viewEmail(x *exchange, v account.Verification) (pageView, error) {
	u, err := a.verifiable(x.r.Context(), v)
	if err != nil {
		return pageView{}, err
	}

	view := pageView{Heading: "email.heading", Subject: v.Value, Texts: []string{"email.text"},
		Buttons: []pageButton{{Label: "email.confirm"}}}
	if v.Used {
		view.Texts, view.Buttons = []string{"email.done"}, nil
		view.Onward, err = x.target("callbackURL", "/")
		return view, err
	}

	if u.Email != v.Value {
		view.Texts, view.Other = []string{"email.change"}, u.Email
	}

	keep, err := a.keepOnVerification(x, u, v.Value)
	switch {
	case err != nil || u.EmailVerified:
		return view, err
	case keep == account.KeepPassword:
		view.Texts = append(view.Texts, "email.password")
		view.Buttons = []pageButton{{Label: "email.mine"}, {"email.forget", "forgetPassword", "true"}}
	case keep == account.KeepNothing:
		view.Texts = append(view.Texts, "email.ends")
	}

	return view, nil
}

func (a *Auth) confirmEmail(x *exchange, f confirmForm) error {
	if err := a.verify(x, f.token, f.forget); err != nil {
		return err
	}
	return x.redirect(orRoot(f.urls.Callback))
}

// verifiable returns the user whose address a token verifies. A used token is accepted while its effect lasts, because
// people click twice.
func (a *Auth) verifiable(ctx context.Context, v account.Verification) (account.User, error) {
	if isExpired(v) {
		return account.User{}, errExpiredToken
	}

	u, err := a.subject(ctx, v)
	if err == nil && v.Used && (u.Email != v.Value || !u.EmailVerified) {
		err = errInvalidToken
	}

	return u, err
}
