package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/password"
	"github.com/rodata/rodata/op/problem"
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

	const message = "If this email exists in our system, check your email for the reset link"
	return x.answer(map[string]any{"status": true, "message": message},
		a.tasks.start(x.r.Context(), "mailing a password reset link", func(ctx context.Context) error {
			u, _, err := a.Store.UserByEmail(ctx, email)
			if errors.Is(err, account.ErrNoUser) {
				return nil
			}
			if err != nil {
				return err
			}

			// The token is in the query, which the access log omits, rather than in the path.
			return a.sendLink(ctx, x, resetMail, u.Email, u.ID, "", "callbackURL", orRoot(target))
		}))
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
	return x.answer(done, invalidIf(err, account.ErrNoVerification))
}

// ErrTooManyLinks means that a user already has as many unexpired links as allowed.
var ErrTooManyLinks = errors.New("the user already has as many links for a new password as an hour allows; try again " +
	"later")

// PasswordLink returns the address of a page on which a user sets a new password, with a token that is valid once,
// within an hour. Operators deliver it to the user over a trusted channel; using it verifies the user's address. The
// error is ErrTooManyLinks if 5 links were issued within the last hour, including mailed ones.
func (a *Auth) PasswordLink(ctx context.Context, u account.User, page string) (string, error) {
	bound := a.mailBound(u.Email)
	bound.Daily = 0 // it is not mailed
	token, err := a.issue(ctx, forReset, u.ID, "", bound)
	if err != nil {
		return "", err
	}
	if token == "" {
		return "", ErrTooManyLinks
	}

	return withParameters(page, "token", token), nil
}

// changePassword replaces the password, given the present one, and ends all other sessions and earlier links. With
// revokeOtherSessions the session of the request is replaced too, as in better-auth.
func (a *Auth) changePassword(x *exchange, s account.Session, u account.User) error {
	var current, password string
	revoke := false
	if err := x.read(members{"currentPassword": text(&current), "newPassword": text(&password),
		"revokeOtherSessions": boolean(&revoke)}); err != nil {
		return err
	}
	if err := checkNewPassword("newPassword", password); err != nil {
		return err
	}

	ctx := x.r.Context()
	if err := a.checkCurrentPassword(x, u, current); err != nil {
		return err
	}

	hash, err := a.passwords.Hash(ctx, password, nil)
	if err != nil {
		return err
	}

	except := s.ID
	if revoke {
		except = ""
	}
	if err := a.Store.ChangePassword(ctx, u, hash, except); err != nil {
		return err
	}

	answer := signInAnswer{User: viewUser(u)}
	if revoke {
		s, err := x.startSession(u, s.Brief)
		if err != nil {
			return err
		}

		answer.Token = &s.ID
	}

	return x.answer(answer, nil)
}

var passwordForm = fmt.Sprintf("%d to %d characters", password.MinLength, password.MaxLength)

// checkNewPassword rejects a new password, a member of the body, that is too short, too long or too common.
func checkNewPassword(member, text string) error {
	switch n := utf8.RuneCountInString(text); {
	case n < password.MinLength:
		return wrong("PASSWORD_TOO_SHORT", "Password too short",
			fmt.Sprintf("a password has at least %d characters", password.MinLength),
			problem.InputError{Parameter: member, Code: problem.TooShort, Accepted: passwordForm})
	case n > password.MaxLength:
		return wrong("PASSWORD_TOO_LONG", "Password too long",
			fmt.Sprintf("a password has at most %d characters", password.MaxLength),
			problem.InputError{Parameter: member, Code: problem.TooLong, Accepted: passwordForm})
	case password.IsCommon(text):
		return bad("PASSWORD_COMPROMISED",
			"The password you entered has been compromised. Please choose a different password.",
			"this is one of the most common passwords, which attackers try first; choose another one")
	}

	return nil
}
