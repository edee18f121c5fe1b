package adminapi

import (
	"errors"
	"net/http"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/customer"
)

var errNoOwner = badRequest("this account has no owner: it was opened without an e-mail address")

// owner returns the owner of the account in a request.
func (g gateway) owner(r *http.Request) (account.User, error) {
	found, err := g.Store.Account(r.Context(), r.PathValue("id"))
	if err != nil {
		return account.User{}, err
	}

	u, err := g.Store.UserOfAccount(r.Context(), found.ID)
	switch {
	case errors.Is(err, account.ErrNoUser) && found.ClosedAt.IsZero():
		err = errNoOwner
	case errors.Is(err, account.ErrNoUser):
		err = account.ErrNoAccount
	}

	return u, err
}

// PasswordLink is a link with which the owner of an account sets a password.
type PasswordLink struct {
	URL string `json:"url"`
}

func makePasswordLink(g gateway, r *http.Request) (any, error) {
	u, err := g.owner(r)
	if err != nil {
		return nil, err
	}

	link, err := g.Auth.PasswordLink(r.Context(), u, g.Config.BaseURL+"/dashboard/reset")
	if err != nil {
		return nil, err
	}

	return PasswordLink{link}, nil
}

// setEmail changes the address of an account's owner. The new address is not verified.
func setEmail(g gateway, r *http.Request, in struct{ Email string }) (any, error) {
	email := strings.ToLower(strings.TrimSpace(in.Email))
	if err := new(customer.Email).UnmarshalText([]byte(email)); err != nil {
		return nil, badRequest("email: %w", err)
	}

	u, err := g.owner(r)
	if err != nil {
		return nil, err
	}
	if err := g.Store.SetEmail(r.Context(), u.ID, email); err != nil {
		return nil, err
	}

	return g.find(r.Context(), u.Account)
}
