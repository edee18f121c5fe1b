package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/rodata/rodata/account"
)

// requestMagicLink sends a link that signs in whoever reads the mail, and signs
// them up if need be and sign-up is open.
func (a *Auth) requestMagicLink(x *exchange) error {
	var email, name, callback, newUser, failed string
	if err := x.read(members{
		"email": text(&email), "name": maybeText(&name), "callbackURL": maybeText(&callback),
		"newUserCallbackURL": maybeText(&newUser), "errorCallbackURL": maybeText(&failed),
	}); err != nil {
		return err
	}
	email, ok := readEmail(email)
	if !ok {
		return invalid("[body.email] Invalid email address")
	}
	if a.Mailer == nil {
		return &refusal{status: http.StatusBadRequest, code: "MAGIC_LINK_DISABLED", message: "Magic link isn't enabled", detail: "this service sends no mail; sign in by password"}
	}
	if err := a.jobs.start(x.r.Context(), "sending a magic link", func(ctx context.Context) error {
		if a.SignUpClosed {
			if _, _, err := a.Store.UserByEmail(ctx, email); errors.Is(err, account.ErrNoUser) {
				return nil // and the answer does not tell
			} else if err != nil {
				return err
			}
		}
		token, err := a.issue(ctx, forMagic, email, name, a.letterTo(email))
		if err != nil || token == "" {
			return err
		}
		return a.post(ctx, x, magicLetter, email,
			x.confirmLink("sign-in", token, "callbackURL", orRoot(callback), "newUserCallbackURL", newUser, "errorCallbackURL", failed))
	}); err != nil {
		return err
	}
	return x.answer(done)
}

// followMagicLink is for clients that take the token from the link and sign in
// themselves.
func (a *Auth) followMagicLink(x *exchange) error {
	callback, err1 := x.target("callbackURL", "/")
	failed, err2 := x.target("errorCallbackURL", callback)
	welcome, err3 := x.target("newUserCallbackURL", callback)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	u, s, isNew, err := a.signInByLink(x, x.r.URL.Query().Get("token"))
	if f := (*refusal)(nil); errors.As(err, &f) {
		return x.redirect(failed, "error", f.code)
	}
	switch {
	case err != nil:
		return err
	case x.r.URL.Query().Get("callbackURL") == "":
		return x.answer(struct {
			Token   string      `json:"token"`
			User    userView    `json:"user"`
			Session sessionView `json:"session"`
		}{s.ID, viewUser(u), viewSession(s)})
	case isNew:
		return x.redirect(welcome)
	}
	return x.redirect(callback)
}

// signInByLink uses a token to sign in whoever reads the mail.
func (a *Auth) signInByLink(x *exchange, token string) (u account.User, s account.Session, isNew bool, err error) {
	v, err := a.use(x.r.Context(), forMagic, token)
	if err != nil {
		return u, s, false, err
	}
	u, isNew, err = a.reader(x, v.Subject, v.Value)
	if err == nil {
		s, err = x.startSession(u, false)
	}
	return u, s, isNew, err
}

// reader is the user with an address that somebody has shown to read. The error
// is a refusal when there is none and sign-up is closed.
func (a *Auth) reader(x *exchange, email, name string) (u account.User, isNew bool, err error) {
	ctx := x.r.Context()
	u, _, err = a.Store.UserByEmail(ctx, email)
	switch {
	case err == nil:
		err = a.prove(ctx, &u)
		return u, false, err
	case !errors.Is(err, account.ErrNoUser):
		return u, false, err
	case a.SignUpClosed: // who has left since the link was sent
		return u, false, &refusal{status: http.StatusForbidden, code: "new_user_signup_disabled", message: "New user sign up is disabled"}
	}
	if err := a.admitNewcomer(x); err != nil {
		return u, false, err
	}
	u, err = newUser(nameFor(email, name), email, nil)
	if err == nil {
		u.EmailVerified = true
		err = a.Store.CreateUser(ctx, u, a.DefaultPlan)
	}
	return u, true, err
}

// prove notes that the user reads their mail, unless that is known. What others
// may have prepared for them before is gone then.
func (a *Auth) prove(ctx context.Context, u *account.User) error {
	if u.EmailVerified {
		return nil
	}
	u.EmailVerified = true
	return a.Store.ProveUser(ctx, *u)
}
