package auth

import (
	"context"
	"errors"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/problem"
)

var deleted = map[string]any{"success": true, "message": "User deleted"}

// deleteUser deletes the signed-in user, given the password or a mailed token. With neither, a token is mailed; without
// mail, a sign-in within the last day suffices.
func (a *Auth) deleteUser(x *exchange, s account.Session, u account.User) error {
	var password, token, callback string
	if err := x.read(members{"password": optionalText(&password), "token": optionalText(&token),
		"callbackURL": optionalText(&callback)}); err != nil {
		return err
	}

	var err error
	switch {
	case password != "":
		err = a.checkCurrentPassword(x, u, password)
	case token != "":
		err = a.confirmDeletion(x.r.Context(), u, token)
	case a.Mailer != nil:
		return x.answer(map[string]any{"success": true, "message": "Verification email sent"},
			a.tasks.start(x.r.Context(), "mailing a deletion link", func(ctx context.Context) error {
				return a.sendLink(ctx, x, deletionMail, u.Email, u.ID, "", "callbackURL", orRoot(callback))
			}))
	case !isFresh(s):
		return bad("SESSION_EXPIRED", "Session expired. Re-authenticate to perform this action.", "")
	}

	if err != nil {
		return err
	}

	return x.answer(deleted, a.delete(x, u))
}

// followDeletion is for clients that extract the token from the link.
func (a *Auth) followDeletion(x *exchange) error {
	callback, err := x.target("callbackURL", "")
	if err != nil {
		return err
	}
	if err := a.deleteByLink(x, x.r.URL.Query().Get("token")); err != nil {
		return err
	}
	if callback != "" {
		return x.redirect(callback)
	}

	return x.answer(deleted, nil)
}

func (a *Auth) deleteByLink(x *exchange, token string) error {
	_, u, err := x.session()
	if errors.Is(err, errUnauthorized) {
		return failure(problem.NotFound, "FAILED_TO_GET_USER_INFO", "Failed to get user info",
			"sign in with this browser, and open the link again")
	}
	if err != nil {
		return err
	}
	if err := a.confirmDeletion(x.r.Context(), u, token); err != nil {
		return err
	}

	return a.delete(x, u)
}

// confirmDeletion checks the mailed token; another user's token is invalid. The deletion of the user deletes the token.
func (a *Auth) confirmDeletion(ctx context.Context, u account.User, token string) error {
	v, err := a.usable(ctx, forDeletion, token)
	if err == nil && v.Subject != u.ID || errors.Is(err, errInvalidToken) {
		return as(problem.NotFound, errInvalidToken)
	}

	return err
}

func (a *Auth) delete(x *exchange, u account.User) error {
	if a.Closing != nil {
		if err := a.Closing(x.r.Context(), u.Account); err != nil {
			return err
		}
	}

	if err := a.Store.DeleteUser(x.r.Context(), u); err != nil {
		return err
	}

	x.clearSession()
	return nil
}

// viewDeletion asks the user to confirm the deletion, in a browser where they are signed in.
func (a *Auth) viewDeletion(x *exchange, v account.Verification) (pageView, error) {
	view := pageView{Heading: "deletion.heading"}
	_, u, err := x.session()
	switch {
	case errors.Is(err, errUnauthorized):
		view.Texts, view.Onward = []string{"deletion.signIn"}, "/dashboard/sign-in"
		return view, nil
	case err != nil:
		return view, err
	case u.ID != v.Subject:
		return view, errInvalidToken
	}

	view.Subject, view.Texts, view.Buttons = u.Email, []string{"deletion.text"},
		[]pageButton{{Label: "deletion.confirm"}}
	return view, nil
}

func (a *Auth) confirmDeletionLink(x *exchange, f confirmForm) error {
	if err := a.deleteByLink(x, f.token); err != nil {
		return err
	}
	return x.redirect(orRoot(f.urls.Callback))
}
