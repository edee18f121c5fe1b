package auth

import (
	"cmp"
	"context"
	"errors"

	"github.com/rodata/rodata/account"
)

// requestPasswordReset mails a link to set a new password. Neither the answer nor its duration reveals whether the
// address is known.
func (a *Auth) requestPasswordReset(x *exchange) error {
	var email, target string
	if err := x.read(members{"email": text(&email), "redirectTo": optionalText(&target)}); err != nil {
		return err
	}

	email, ok := readEmail(email)
	if !ok {
		return invalidEmail("email")
	}
	if a.Mailer == nil {
		return bad("RESET_PASSWORD_DISABLED", "Reset password isn't enabled",
			"this service sends no mail; ask its operator")
	}

	if err := a.tasks.start(x.r.Context(), "mailing a password reset link", func(ctx context.Context) error {
		return a.sendReset(ctx, x, email, target)
	}); err != nil {
		return err
	}

	return x.answer(map[string]any{"status": true,
		"message": "If this email exists in our system, check your email for the reset link"})
}

// sendReset mails the link. The token is in the query, which the access log omits, rather than in the path.
func (a *Auth) sendReset(ctx context.Context, x *exchange, email, target string) error {
	u, _, err := a.Store.UserByEmail(ctx, email)
	if errors.Is(err, account.ErrNoUser) {
		return nil
	}
	if err != nil {
		return err
	}

	token, err := a.issue(ctx, forReset, u.ID, "", a.mailBound(u.Email))
	if err != nil || token == "" {
		return err
	}

	return a.send(ctx, x, resetMail, u.Email, x.link("/reset-password", "token", token, "callbackURL", orRoot(target)))
}

// followPasswordReset redirects the link to the page that asks for the new password. The token is not redeemed yet.
func (a *Auth) followPasswordReset(x *exchange) error {
	callback, err := x.target("callbackURL", "")
	if err != nil {
		return err
	}

	token := cmp.Or(x.r.PathValue("token"), x.r.URL.Query().Get("token"))
	if callback == "" {
		return x.redirectError("", errInvalidToken.Code)
	}

	v, err := a.lookUp(x.r.Context(), forReset, token)
	if err != nil && !errors.Is(err, errInvalidToken) {
		return err
	}
	if err != nil || v.Used || isExpired(v) {
		return x.redirect(callback, "error", errInvalidToken.Code)
	}

	return x.redirect(callback, "token", token)
}

// resetPassword sets the new password and ends all sessions, since a thief may have opened some with the old one.
func (a *Auth) resetPassword(x *exchange) error {
	var token, password string
	if err := x.read(members{"newPassword": text(&password), "token": optionalText(&token)}); err != nil {
		return err
	}
	if token == "" {
		return errInvalidToken
	}
	if err := checkNewPassword("newPassword", password); err != nil {
		return err
	}

	ctx := x.r.Context()
	v, err := a.lookUp(ctx, forReset, token) // before hashing, which is expensive
	if err != nil {
		return err
	}

	u, err := a.subject(ctx, v)
	if err != nil {
		return err
	}

	hash, err := a.passwords.Hash(ctx, password, nil)
	if err != nil {
		return err
	}

	err = a.Store.ResetPassword(ctx, u, hash, a.hash(forReset, token))
	if err != nil {
		return invalidIf(err, account.ErrNoVerification)
	}

	return x.answer(done)
}
