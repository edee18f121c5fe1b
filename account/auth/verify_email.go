package auth

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/rodata/rodata/account"
)

// askToVerify sends a user a link that shows that they read their mail.
func (a *Auth) askToVerify(ctx context.Context, x *exchange, u account.User, callback string) error {
	return a.sendEmailLink(ctx, x, verifyLetter, u, u.Email, callback)
}

// sendEmailLink sends to an address a link that makes it the user's.
func (a *Auth) sendEmailLink(ctx context.Context, x *exchange, l letter, u account.User, email, callback string) error {
	token, err := a.issue(ctx, forEmail, u.ID, email)
	if err != nil || token == "" {
		return err
	}
	return a.post(ctx, x, l, email, u.Name, x.link("/verify-email", "token", token, "callbackURL", orRoot(callback)))
}

// orRoot is where a browser goes when nobody says.
func orRoot(callback string) string {
	if callback == "" {
		return "/"
	}
	return callback
}

// sendVerificationEmail sends the link again. Without a session the answer tells
// nothing about the address.
func (a *Auth) sendVerificationEmail(x *exchange) error {
	var email, callback string
	if err := x.read(members{"email": text(&email), "callbackURL": maybeText(&callback)}); err != nil {
		return err
	}
	email, ok := readEmail(email)
	if !ok {
		return invalid("[body.email] Invalid email address")
	}
	if a.Mailer == nil {
		return &refusal{status: http.StatusBadRequest, code: "VERIFICATION_EMAIL_NOT_ENABLED", message: "Verification email isn't enabled"}
	}
	_, u, err := x.session()
	switch {
	case errors.Is(err, errUnauthorized):
	case err != nil:
		return err
	case u.Email != email:
		return &refusal{status: http.StatusBadRequest, code: "EMAIL_MISMATCH", message: "Email mismatch"}
	case u.EmailVerified:
		return &refusal{status: http.StatusBadRequest, code: "EMAIL_ALREADY_VERIFIED", message: "Email is already verified"}
	}
	if err := a.jobs.start(x.r.Context(), "asking to verify an address", func(ctx context.Context) error {
		u, _, err := a.Store.UserByEmail(ctx, email)
		if errors.Is(err, account.ErrNoUser) || err == nil && u.EmailVerified {
			return nil
		}
		if err != nil {
			return err
		}
		return a.askToVerify(ctx, x, u, callback)
	}); err != nil {
		return err
	}
	return x.answer(done)
}

// verifyEmail is where the link leads. Following it again does no harm, for people
// click twice.
func (a *Auth) verifyEmail(x *exchange) error {
	callback, err := x.target("callbackURL", "")
	if err != nil {
		return err
	}
	err = a.verify(x.r.Context(), x.r.URL.Query().Get("token"))
	f := (*refusal)(nil)
	switch {
	case errors.As(err, &f) && callback != "":
		return x.redirect(callback, "error", f.code)
	case errors.As(err, &f):
		return &refusal{status: http.StatusUnauthorized, code: f.code, message: f.message, detail: f.detail}
	case err != nil:
		return err
	case callback != "":
		return x.redirect(callback)
	}
	return x.answer(struct {
		Status bool      `json:"status"`
		User   *userView `json:"user"`
	}{Status: true})
}

func (a *Auth) verify(ctx context.Context, token string) error {
	v, err := a.look(ctx, forEmail, token)
	if err != nil {
		return err
	}
	if !time.Now().Before(v.ExpiresAt) {
		return errExpiredToken
	}
	if v.Used {
		u, err := a.Store.User(ctx, v.Subject)
		if errors.Is(err, account.ErrNoUser) || err == nil && (u.Email != v.Value || !u.EmailVerified) {
			err = errInvalidToken
		}
		return err
	}
	if _, err := a.use(ctx, forEmail, token); err != nil {
		return err
	}
	err = a.Store.VerifyEmail(ctx, v.Subject, v.Value)
	if errors.Is(err, account.ErrNoUser) || errors.Is(err, account.ErrEmailTaken) {
		err = errInvalidToken
	}
	return err
}
