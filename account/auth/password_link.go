package auth

import (
	"context"
	"errors"

	"github.com/rodata/rodata/account"
)

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
