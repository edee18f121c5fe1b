package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/rodata/rodata/account"
)

// requestPasswordReset sends a link with which a new password can be set. Neither
// the answer nor its time tells whether anybody has the address.
func (a *Auth) requestPasswordReset(x *exchange) error {
	var email, target string
	if err := x.read(members{"email": text(&email), "redirectTo": maybeText(&target)}); err != nil {
		return err
	}
	email, ok := readEmail(email)
	if !ok {
		return invalid("[body.email] Invalid email address")
	}
	if a.Mailer == nil {
		return &refusal{status: http.StatusBadRequest, code: "RESET_PASSWORD_DISABLED", message: "Reset password isn't enabled", detail: "this service sends no mail; ask whoever runs it"}
	}
	if err := a.jobs.start(x.r.Context(), "asking for a new password", func(ctx context.Context) error {
		return a.sendReset(ctx, x, email, target)
	}); err != nil {
		return err
	}
	return x.answer(map[string]any{"status": true, "message": "If this email exists in our system, check your email for the reset link"})
}

// sendReset sends the link. The token stands in its query, which the access log
// leaves out, and not in its path.
func (a *Auth) sendReset(ctx context.Context, x *exchange, email, target string) error {
	u, _, err := a.Store.UserByEmail(ctx, email)
	if errors.Is(err, account.ErrNoUser) {
		return nil
	}
	if err != nil {
		return err
	}
	token, err := a.issue(ctx, forReset, u.ID, "", a.letterTo(u.Email))
	if err != nil || token == "" {
		return err
	}
	return a.post(ctx, x, resetLetter, u.Email, x.link("/reset-password", "token", token, "callbackURL", orRoot(target)))
}

// followPasswordReset is where the link leads: on to the page that asks for the
// new password. The token is not used yet.
func (a *Auth) followPasswordReset(x *exchange) error {
	callback, err := x.target("callbackURL", "")
	if err != nil {
		return err
	}
	token := x.segment
	if token == "" {
		token = x.r.URL.Query().Get("token")
	}
	if callback == "" {
		return x.redirectError("", errInvalidToken.code)
	}
	v, err := a.look(x.r.Context(), forReset, token)
	if err != nil && !errors.Is(err, errInvalidToken) {
		return err
	}
	if err != nil || v.Used || expired(v) {
		return x.redirect(callback, "error", errInvalidToken.code)
	}
	return x.redirect(callback, "token", token)
}

// resetPassword sets the new password and ends all sessions: whoever had the old
// one must not stay.
func (a *Auth) resetPassword(x *exchange) error {
	var token, password string
	if err := x.read(members{"newPassword": text(&password), "token": maybeText(&token)}); err != nil {
		return err
	}
	if token == "" {
		return errInvalidToken
	}
	if err := checkPassword(password); err != nil {
		return err
	}
	ctx := x.r.Context()
	if _, err := a.look(ctx, forReset, token); err != nil { // before the work of a hash
		return err
	}
	hash, err := a.passwords.hash(ctx, password, newSalt())
	if err != nil {
		return err
	}
	v, err := a.use(ctx, forReset, token)
	if err != nil {
		return err
	}
	u, err := a.Store.User(ctx, v.Subject)
	if errors.Is(err, account.ErrNoUser) {
		return errInvalidToken
	}
	if err != nil {
		return err
	}
	if err := a.Store.ResetPassword(ctx, u, hash); err != nil {
		return err
	}
	return x.answer(done)
}
