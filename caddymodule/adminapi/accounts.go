package adminapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/metering"
)

// listPlans returns the catalogue, like /v1/plans.
func listPlans(g *Gateway, _ *http.Request) (any, error) { return api.Catalogue(g.Plans), nil }

// Account is the operator's view of an account.
type Account struct {
	ID   string `json:"id"`
	Plan string `json:"plan"`
	// Email and Name are the address and the name of the owner; empty for an account without an owner.
	Email string `json:"email,omitempty"`
	Name  string `json:"name,omitempty"`
	// Consent is the version of the terms of use and the privacy statement that the owner accepted at
	// sign-up, and ConsentedAt when; absent if the owner was not asked.
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
	Used  int64         `json:"creditsUsed"`
	Given int64         `json:"creditsGiven"`
	Keys  []api.KeyInfo `json:"keys"`
}

// info adds the owner to an account.
func (g *Gateway) info(ctx context.Context, a account.Account) (Account, error) {
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

// openAccount opens an account. Its owner signs in by a mailed link, or sets a
// password with a link of makePasswordLink.
func openAccount(g *Gateway, r *http.Request) (any, error) {
	in, err := readBody[NewAccount](r)
	if err != nil {
		return nil, err
	}
	if in.Plan, err = g.planCode(cmp.Or(in.Plan, g.Plans[0].Code)); err != nil {
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
func (g *Gateway) admitUser(ctx context.Context, u account.User, passwordHash, plan string) error {
	u.Email = strings.ToLower(strings.TrimSpace(u.Email))
	if err := new(api.Email).UnmarshalText([]byte(u.Email)); err != nil {
		return badRequest("email: %w", err)
	}

	u.Name = cmp.Or(strings.TrimSpace(u.Name), u.Email)
	_, err := g.Store.ImportUser(ctx, u, passwordHash, plan)
	return err
}

// ImportedUser is a user of a better-auth database; the fields have the names of the
// columns in its tables user and account.
type ImportedUser struct {
	Email         string    `json:"email"`
	Name          string    `json:"name"`
	EmailVerified bool      `json:"emailVerified"`
	Image         string    `json:"image"`
	CreatedAt     time.Time `json:"createdAt"`
	// Password is the hash in the credential account; empty for a user without one.
	Password string `json:"password"`
	// Plan is the code of the plan. Default: the first of the catalogue.
	Plan string `json:"plan"`
}

func importUser(g *Gateway, r *http.Request) (any, error) {
	in, err := readBody[ImportedUser](r)
	if err != nil {
		return nil, err
	}

	plan, err := g.planCode(cmp.Or(in.Plan, g.Plans[0].Code))
	if err != nil {
		return nil, err
	}

	u := account.User{
		Account: account.NewID(), Email: in.Email, Name: in.Name, EmailVerified: in.EmailVerified, Image: in.Image,
		CreatedAt: in.CreatedAt,
	}
	if err := g.admitUser(r.Context(), u, in.Password, plan); err != nil {
		return nil, err
	}

	return g.find(r.Context(), u.Account)
}

const pageOfAccounts = 100

// AccountQuery is the body of a request that lists accounts, the oldest first.
type AccountQuery struct {
	// Query is an e-mail address, the code of a plan, or the beginning of an id; empty for all accounts.
	Query string `json:"query"`
	// After is the id of the account after which to continue.
	After string `json:"after"`
	// Limit is the maximum number of accounts to list: 1 to 100, default 100.
	Limit int `json:"limit"`
}

func findAccounts(g *Gateway, r *http.Request) (any, error) {
	in, err := readBody[AccountQuery](r)
	if err != nil {
		return nil, err
	}
	if in.Limit = cmp.Or(in.Limit, pageOfAccounts); in.Limit < 1 || in.Limit > pageOfAccounts {
		return nil, badRequest("limit: a request lists 1 to %d accounts", pageOfAccounts)
	}

	found, err := g.search(r.Context(), in.Query, in.After, in.Limit)
	if err != nil {
		return nil, err
	}

	infos := make([]Account, len(found))
	for i := range found {
		if infos[i], err = g.info(r.Context(), found[i]); err != nil {
			return nil, err
		}
	}

	return infos, nil
}

func (g *Gateway) search(ctx context.Context, query, after string, limit int) ([]account.Account, error) {
	if !strings.Contains(query, "@") {
		return g.Store.Accounts(ctx, query, after, limit)
	}

	owner, _, err := g.Store.UserByEmail(ctx, strings.ToLower(query))
	if errors.Is(err, account.ErrNoUser) || err == nil && owner.Account <= after {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	a, err := g.Store.Account(ctx, owner.Account)
	return []account.Account{a}, err
}

// find returns an account with its owner.
func (g *Gateway) find(ctx context.Context, id string) (Account, error) {
	a, err := g.Store.Account(ctx, id)
	if err != nil {
		return Account{}, err
	}
	return g.info(ctx, a)
}

func showAccount(g *Gateway, r *http.Request) (any, error) {
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

	return AccountDetails{info, period, balance.Used, balance.Given, convertAll(keys, api.NewKeyInfo)}, nil
}

// closeAccount cancels an account's subscription, closes it for good, and deletes its owner.
func closeAccount(g *Gateway, r *http.Request) (any, error) {
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

func setPlan(g *Gateway, r *http.Request) (any, error) {
	in, err := readBody[struct{ Plan string }](r)
	if err != nil {
		return nil, err
	}
	if in.Plan, err = g.planCode(in.Plan); err != nil {
		return nil, err
	}
	if err := g.Store.SetPlan(r.Context(), r.PathValue("id"), in.Plan); err != nil {
		return nil, err
	}

	return g.find(r.Context(), r.PathValue("id"))
}

// planCode returns the code, or an error if it is not in the catalogue.
func (g *Gateway) planCode(code string) (string, error) {
	var codes []string
	for _, plan := range g.Plans {
		codes = append(codes, plan.Code)
	}

	if !slices.Contains(codes, code) {
		return "", badRequest("there is no plan %q; there are: %s", code, strings.Join(codes, ", "))
	}

	return code, nil
}

// GivenCredits are credits given to an account for a month.
type GivenCredits struct {
	Account string `json:"account"`
	Period  string `json:"period"`
	Credits int64  `json:"credits"`
}

func giveCredits(g *Gateway, r *http.Request) (any, error) {
	in, err := readBody[struct{ Credits int64 }](r)
	if err != nil {
		return nil, err
	}
	if in.Credits < 1 {
		return nil, badRequest("credits: give at least 1")
	}

	period := metering.Period(time.Now())
	if err := g.Store.GiveCredits(r.Context(), r.PathValue("id"), period, in.Credits); err != nil {
		return nil, err
	}

	return GivenCredits{r.PathValue("id"), period, in.Credits}, nil
}
