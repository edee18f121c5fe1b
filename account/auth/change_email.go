package auth

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/rodata/rodata/account"
)

// recentAge is the time after sign-in during which users can change their address without the password. Later, a stolen
// cookie is not enough to take over the account.
const recentAge = 5 * time.Minute

// changeEmail changes the address of a user who knows the password or has just signed in. It takes two steps: a link to
// the current address, if it is verified, and then a link to the new address. The answer does not reveal whether the
// new address is taken.
//
// Without mail, an unverified address changes at once and stays unverified. The answer then reveals whether the new
// address is taken, so the change is disabled where sign-up is closed.
func (a *Auth) changeEmail(x *exchange, s account.Session, u account.User) error {
	var email, callback, password string
	if err := x.read(members{"newEmail": text(&email), "callbackURL": optionalText(&callback),
		"password": optionalText(&password)}); err != nil {
		return err
	}

	email, ok := readEmail(email)
	switch {
	case !ok:
		return invalidEmail("newEmail")
	case a.Mailer == nil && (a.SignUpClosed || u.EmailVerified):
		return bad("CHANGE_EMAIL_DISABLED", "Change email is disabled", "this service sends no mail; ask its operator")
	case email == u.Email:
		return bad("EMAIL_IS_THE_SAME", "Email is the same", "")
	case password == "" && time.Since(s.CreatedAt) >= recentAge:
		return forbidden("SESSION_NOT_FRESH", "Session is not fresh",
			"send the password too, or sign in again and change the address within 5 minutes")
	}

	if password != "" {
		if err := a.checkCurrentPassword(x, u, password); err != nil {
			return err
		}
	}

	if a.Mailer == nil {
		err := a.Store.SetEmail(x.r.Context(), u.ID, email)
		if errors.Is(err, account.ErrEmailTaken) {
			err = nil
		}
		return x.answer(done, err)
	}

	return x.answer(done, a.tasks.start(x.r.Context(), "changing an address", func(ctx context.Context) error {
		if u.EmailVerified {
			return a.sendLink(ctx, x, changeMail, u.Email, u.ID, email, "callbackURL", orRoot(callback))
		}
		return a.sendNewAddressLink(ctx, x, u, email, callback)
	}))
}

// sendNewAddressLink mails a link to the new address, unless it is taken.
func (a *Auth) sendNewAddressLink(ctx context.Context, x *exchange, u account.User, email, callback string) error {
	_, _, err := a.Store.UserByEmail(ctx, email)
	if !errors.Is(err, account.ErrNoUser) {
		return err
	}
	return a.sendLink(ctx, x, newAddressMail, email, u.ID, email, "callbackURL", orRoot(callback))
}

// agreeToChange redeems the token mailed to the current address, unless the mail to the new address cannot be sent now.
func (a *Auth) agreeToChange(x *exchange, token, callback string) error {
	ctx := x.r.Context()
	v, err := a.lookUp(ctx, forChange, token)
	if err != nil {
		return err
	}
	if err := checkUsable(v); err != nil {
		return err
	}

	u, err := a.subject(ctx, v)
	if err != nil {
		return err
	}

	redeemed := make(chan error, 1)
	if err := a.tasks.start(ctx, "changing an address", func(ctx context.Context) error {
		_, err := a.redeem(ctx, forChange, token)
		redeemed <- err
		if err != nil {
			return nil // the caller reports it
		}

		return a.sendNewAddressLink(ctx, x, u, v.Value, callback)
	}); err != nil {
		return err
	}

	return <-redeemed
}

func (a *Auth) viewChange(x *exchange, v account.Verification) (pageView, error) {
	u, err := a.subject(x.r.Context(), v)
	return pageView{Heading: "change.heading", Subject: v.Value, Other: u.Email, Texts: []string{"change.text"},
		Buttons: []pageButton{{Label: "change.confirm"}}}, err
}

func (a *Auth) confirmChange(x *exchange, f confirmForm) error {
	if err := a.agreeToChange(x, f.token, f.urls.Callback); err != nil {
		return err
	}
	return x.show(http.StatusOK, pageView{Heading: "change.heading", Texts: []string{"change.done"},
		Onward: orRoot(f.urls.Callback)}, "")
}
