package auth

import (
	"context"
	"errors"

	"github.com/rodata/rodata/account"
)

// requestMagicLink mails a link that signs its reader in, or up if sign-up is open.
func (a *Auth) requestMagicLink(x *exchange) error {
	var email, name, callback, newUser, failed, consent string
	if err := x.read(members{
		"email": text(&email), "name": optionalText(&name), "callbackURL": optionalText(&callback),
		"newUserCallbackURL": optionalText(&newUser), "errorCallbackURL": optionalText(&failed),
		"consent": optionalText(&consent),
	}); err != nil {
		return err
	}

	email, ok := readEmail(email)
	if !ok {
		return invalidEmail("email")
	}
	if err := checkConsent(consent); err != nil {
		return err
	}
	if a.Mailer == nil {
		return bad("MAGIC_LINK_DISABLED", "Magic link isn't enabled", "this service sends no mail; sign in by password")
	}

	return x.answer(done, a.tasks.start(x.r.Context(), "mailing a magic link", func(ctx context.Context) error {
		if a.SignUpClosed {
			if _, _, err := a.Store.UserByEmail(ctx, email); errors.Is(err, account.ErrNoUser) {
				return nil // the response is the same
			} else if err != nil {
				return err
			}
		}

		return a.sendLink(ctx, x, magicLinkMail, email, email, name, "callbackURL", orRoot(callback),
			"newUserCallbackURL", newUser, "errorCallbackURL", failed, "consent", consent)
	}))
}

// followMagicLink is for clients that extract the token from the link and sign in themselves.
func (a *Auth) followMagicLink(x *exchange) error {
	callback, err1 := x.target("callbackURL", "/")
	failed, err2 := x.target("errorCallbackURL", callback)
	welcome, err3 := x.target("newUserCallbackURL", callback)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}

	u, s, isNew, err := a.signInByLink(x, x.r.URL.Query().Get("token"), "")
	if p, ok := refused(err); ok {
		return x.redirect(failed, "error", p.Code)
	}

	switch {
	case err != nil:
		return err
	case x.r.URL.Query().Get("callbackURL") == "":
		return x.answer(struct {
			Token   string      `json:"token"`
			User    userView    `json:"user"`
			Session sessionView `json:"session"`
		}{s.ID, viewUser(u), viewSession(s)}, nil)
	case isNew:
		return x.redirect(welcome)
	}

	return x.redirect(callback)
}

// signInByLink redeems a token, once all checks have passed, and starts a session. A new user accepts the texts of the
// version in consent.
func (a *Auth) signInByLink(x *exchange, token,
	consent string) (u account.User, s account.Session, isNew bool, err error) {
	u, isNew, err = a.linkUser(x, token, consent)
	if err == nil {
		s, err = x.startSession(u, false)
	}

	return u, s, isNew, err
}

// linkUser redeems a token, and finds or creates the user of the address that it was mailed to. If there is no user and
// sign-up is closed, the error is a failure, and the token remains valid.
func (a *Auth) linkUser(x *exchange, token, consent string) (u account.User, isNew bool, err error) {
	ctx := x.r.Context()
	v, err := a.usable(ctx, forMagic, token)
	if err != nil {
		return u, false, err
	}

	u, _, err = a.Store.UserByEmail(ctx, v.Subject)
	isNew = errors.Is(err, account.ErrNoUser)
	switch {
	case isNew && a.SignUpClosed: // deleted since the link was sent
		err = forbidden("new_user_signup_disabled", "New user sign up is disabled", "")
	case isNew:
		err = a.admitSignUp(x)
	}

	if err == nil {
		_, err = a.redeem(ctx, forMagic, token)
	}
	if err != nil {
		return u, isNew, err
	}

	if !isNew {
		err = a.prove(ctx, &u)
		return u, false, err
	}

	u, err = newUser(nameFor(v.Subject, v.Value), v.Subject, nil)
	if err == nil {
		u.EmailVerified = true
		recordConsent(&u, consent)
		err = a.Store.CreateUser(ctx, u, a.DefaultPlan)
	}

	return u, true, err
}

// prove marks an unverified address as verified. It removes what somebody else may have set up in the account before.
func (a *Auth) prove(ctx context.Context, u *account.User) error {
	if u.EmailVerified {
		return nil
	}

	u.EmailVerified = true
	return a.Store.ProveUser(ctx, *u)
}

// viewMagicLink describes what the link does: it signs in, or up.
func (a *Auth) viewMagicLink(x *exchange, v account.Verification) (pageView, error) {
	view := pageView{Heading: "sign-in.heading", Subject: v.Subject, Texts: []string{"sign-in.text"},
		Buttons: []pageButton{{Label: "sign-in.confirm"}}}
	u, _, err := a.Store.UserByEmail(x.r.Context(), v.Subject)
	if errors.Is(err, account.ErrNoUser) {
		view.Consents = true
		return view, nil
	}
	if err == nil && !u.EmailVerified {
		view.Texts = append(view.Texts, "sign-in.ends")
	}

	return view, err
}

func (a *Auth) confirmMagicLink(x *exchange, f confirmForm) error {
	_, _, isNew, err := a.signInByLink(x, f.token, f.consent)
	p, ok := refused(err)
	switch {
	case ok && f.urls.Failed != "":
		return x.redirect(f.urls.Failed, "error", p.Code)
	case err != nil:
		return err
	case isNew && f.urls.Welcome != "":
		return x.redirect(f.urls.Welcome)
	}

	return x.redirect(orRoot(f.urls.Callback))
}
