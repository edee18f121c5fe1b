package auth

import (
	"context"
	"errors"

	"github.com/rodata/rodata/account"
)

// ErrTooManyLinks: somebody was given links enough within the time that they work.
var ErrTooManyLinks = errors.New("the user was given links enough for a new password within the hour; try again later")

// PasswordLink is a page on which a user sets a new password, with a token that works
// once, within an hour. It is for operators, who give it to the user by a way that
// they trust; whoever sets the password counts as somebody who reads what is sent to
// the user's address. The error is
// ErrTooManyLinks when there were 5 within the hour, mailed ones among them.
func (a *Auth) PasswordLink(ctx context.Context, u account.User, page string) (string, error) {
	bound := a.letterTo(u.Email)
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
