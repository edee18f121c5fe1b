package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/rodata/rodata/account"
)

// changeEmail sends a link to another address, which becomes the user's once they
// follow it, and a word to the present one. The answer does not tell whether
// anybody else has the address. Where no mail is sent, the address changes at once
// and stays unverified; since that tells whether it is free, it does not where
// sign-up is closed.
func (a *Auth) changeEmail(x *exchange) error {
	_, u, err := x.session()
	if err != nil {
		return err
	}
	var email, callback string
	if err := x.read(members{"newEmail": text(&email), "callbackURL": maybeText(&callback)}); err != nil {
		return err
	}
	email, ok := readEmail(email)
	switch {
	case !ok:
		return invalid("[body.newEmail] Invalid email address")
	case a.Mailer == nil && a.SignUpClosed:
		return &refusal{status: http.StatusBadRequest, code: "CHANGE_EMAIL_DISABLED", message: "Change email is disabled", detail: "this service sends no mail; ask whoever runs it"}
	case email == u.Email:
		return &refusal{status: http.StatusBadRequest, code: "EMAIL_IS_THE_SAME", message: "Email is the same"}
	}
	if a.Mailer == nil {
		err = a.Store.SetEmail(x.r.Context(), u.ID, email)
		if errors.Is(err, account.ErrEmailTaken) {
			err = nil
		}
	} else {
		err = a.jobs.start(x.r.Context(), "changing an address", func(ctx context.Context) error {
			return a.askToChange(ctx, x, u, email, callback)
		})
	}
	if err != nil {
		return err
	}
	return x.answer(done)
}

func (a *Auth) askToChange(ctx context.Context, x *exchange, u account.User, email, callback string) error {
	_, _, err := a.Store.UserByEmail(ctx, email)
	if err == nil {
		return nil // it is somebody else's
	}
	if !errors.Is(err, account.ErrNoUser) {
		return err
	}
	if err := a.sendEmailLink(ctx, x, changeLetter, u, email, callback); err != nil {
		return err
	}
	return a.post(ctx, x, changeNotice, u.Email, u.Name, "")
}
