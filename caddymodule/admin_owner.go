package caddymodule

import (
	"errors"
	"net/http"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
)

// errNobodySignsIn refuses what is about the owner of an account that has none.
var errNobodySignsIn = badRequest("nobody signs in to this account: it was opened without an e-mail address")

// owner is who signs in to the account of a request.
func (s *service) owner(r *http.Request) (account.User, error) {
	found, err := s.store.Account(r.Context(), r.PathValue("id"))
	if err != nil {
		return account.User{}, err
	}
	u, err := s.store.UserOfAccount(r.Context(), found.ID)
	switch {
	case errors.Is(err, account.ErrNoUser) && found.ClosedAt.IsZero():
		err = errNobodySignsIn
	case errors.Is(err, account.ErrNoUser):
		err = account.ErrNoAccount
	}
	return u, err
}

// makePasswordLink makes a link with which the owner of an account sets a password.
func makePasswordLink(s *service, r *http.Request) (any, error) {
	u, err := s.owner(r)
	if err != nil {
		return nil, err
	}
	link, err := s.auth.PasswordLink(r.Context(), u, s.baseURL+"/dashboard/reset")
	if err != nil {
		return nil, err
	}
	return map[string]string{"url": link}, nil
}

// setEmail gives the owner of an account another address, which counts as not
// verified.
func setEmail(s *service, r *http.Request) (any, error) {
	in, err := readBody[struct{ Email string }](r)
	if err != nil {
		return nil, err
	}
	email := strings.ToLower(strings.TrimSpace(in.Email))
	if err := new(api.Email).UnmarshalText([]byte(email)); err != nil {
		return nil, badRequest("email: %w", err)
	}
	u, err := s.owner(r)
	if err != nil {
		return nil, err
	}
	if err := s.store.SetEmail(r.Context(), u.ID, email); err != nil {
		return nil, err
	}
	return s.find(r.Context(), u.Account)
}
