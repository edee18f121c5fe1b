package adminapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/metering"
)

// Account is the operator's view of an account.
type Account struct {
	ID   string `json:"id"`
	Plan string `json:"plan"`
	// Email and Name are the address and the name of the owner; empty for an account without an owner.
	Email string `json:"email,omitempty"`
	Name  string `json:"name,omitempty"`
	// Consent is the version of the terms of use and the privacy statement that the owner accepted at sign-up, and
	// ConsentedAt the time; both are absent if the owner was not asked.
	Consent     string     `json:"consent,omitempty"`
	ConsentedAt *time.Time `json:"consentedAt,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
	ClosedAt    *time.Time `json:"closedAt"`
}

// AccountDetails is an account with this month's credits and its keys.
type AccountDetails struct {
	Account
	// Period is the month in the form 2026-11.
	Period string `json:"period"`
	// Used is the number of credits used in the period. Given is the number of credits given in addition to the plan's
	// credits.
	Used  int64              `json:"creditsUsed"`
	Given int64              `json:"creditsGiven"`
	Keys  []customer.KeyInfo `json:"keys"`
}

// info adds the owner to an account.
func (g gateway) info(ctx context.Context, a account.Account) (Account, error) {
	info := Account{ID: a.ID, Plan: a.Plan, CreatedAt: a.CreatedAt}
	if !a.ClosedAt.IsZero() {
		info.ClosedAt = &a.ClosedAt
	}

	owner, err := g.Store.UserOfAccount(ctx, a.ID)
	if err != nil && !errors.Is(err, account.ErrNoUser) {
		return Account{}, err
	}

	info.Email, info.Name = owner.Email, owner.Name
	if owner.Consent != "" {
		info.Consent, info.ConsentedAt = owner.Consent, &owner.ConsentedAt
	}

	return info, nil
}

// find returns an account with its owner.
func (g gateway) find(ctx context.Context, id string) (Account, error) {
	a, err := g.Store.Account(ctx, id)
	if err != nil {
		return Account{}, err
	}
	return g.info(ctx, a)
}

func showAccount(g gateway, r *http.Request) (any, error) {
	info, err := g.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}

	period := metering.Period(time.Now())
	balance, err := g.Store.Balance(r.Context(), info.ID, period)
	if err != nil {
		return nil, err
	}

	keys, err := g.Keys.Keys(r.Context(), info.ID)
	if err != nil {
		return nil, err
	}

	return AccountDetails{info, period, balance.Used, balance.Given, convertAll(keys, customer.NewKeyInfo)}, nil
}

// NewAccount is the body of a request that opens an account.
type NewAccount struct {
	// Plan is the code of its plan. Default: the first of the catalogue.
	Plan string `json:"plan"`
	// Email is the address of the owner, who can sign in with it. Without an address, the account can only be used
	// with keys.
	Email string `json:"email"`
	// Name is the name of the owner. Default: the address.
	Name string `json:"name"`
}

// openAccount opens an account. Its owner signs in by a mailed link, or sets a password with a link of
// makePasswordLink.
func openAccount(g gateway, r *http.Request, in NewAccount) (any, error) {
	in.Plan = cmp.Or(in.Plan, g.Config.Catalogue()[0].Code)
	err := g.checkPlan(in.Plan)
	if err != nil {
		return nil, err
	}

	opened := account.Account{ID: account.NewID(), Plan: in.Plan,
		CreatedAt: time.Now().UTC().Truncate(time.Millisecond)}
	if in.Email == "" {
		err = g.Store.CreateAccount(r.Context(), opened)
	} else {
		err = g.admitUser(r.Context(),
			account.User{Account: opened.ID, Email: in.Email, Name: in.Name, CreatedAt: opened.CreatedAt}, "", in.Plan)
	}

	if err != nil {
		return nil, err
	}

	return g.info(r.Context(), opened)
}

// admitUser opens an account for a person.
func (g gateway) admitUser(ctx context.Context, u account.User, passwordHash, plan string) error {
	u.Email = strings.ToLower(strings.TrimSpace(u.Email))
	if err := new(customer.Email).UnmarshalText([]byte(u.Email)); err != nil {
		return badRequest("email: %w", err)
	}

	u.Name = cmp.Or(strings.TrimSpace(u.Name), u.Email)
	_, err := g.Store.ImportUser(ctx, u, passwordHash, plan)
	return err
}

// closeAccount cancels an account's subscription, closes it for good, and deletes its owner.
func closeAccount(g gateway, r *http.Request) (any, error) {
	if err := g.Billing.Cancel(r.Context(), r.PathValue("id")); err != nil {
		return nil, err
	}

	owner, err := g.Store.UserOfAccount(r.Context(), r.PathValue("id"))
	switch {
	case errors.Is(err, account.ErrNoUser):
		return nil, g.Store.CloseAccount(r.Context(), r.PathValue("id"))
	case err != nil:
		return nil, err
	}

	return nil, g.Store.DeleteUser(r.Context(), owner)
}
