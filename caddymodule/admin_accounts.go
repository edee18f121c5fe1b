package caddymodule

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/metering"
)

// accountRoutes are the addresses at which an operator manages accounts. Bodies
// are JSON objects, and hold what is personal: the server logs addresses.
//
//	GET    /rodata/plans                      the catalogue, as in /v1/plans
//	POST   /rodata/accounts                   opens one: {plan, email, name}
//	POST   /rodata/accounts/find              {query, after, limit}: see findAccounts
//	POST   /rodata/accounts/import            opens one for a user of better-auth's: see importedUser
//	GET    /rodata/accounts/{id}              shows one
//	DELETE /rodata/accounts/{id}              closes one
//	PUT    /rodata/accounts/{id}/plan         {plan}
//	PUT    /rodata/accounts/{id}/email        {email}: of its owner
//	POST   /rodata/accounts/{id}/password-link
//	                                          a link with which its owner sets a password
//	POST   /rodata/accounts/{id}/credits      {credits}: gives them for this month
//	GET    /rodata/accounts/{id}/keys         lists its keys
//	POST   /rodata/accounts/{id}/keys         {name}: issues a key, and tells it
//	DELETE /rodata/accounts/{id}/keys/{key}   revokes one
func (a *Admin) accountRoutes() []caddy.AdminRoute {
	const accounts = "/rodata/accounts"
	return []caddy.AdminRoute{
		{Pattern: "/rodata/plans", Handler: show(a, listPlans)},
		{Pattern: accounts, Handler: a.desk(methods{"POST": openAccount})},
		{Pattern: accounts + "/find", Handler: a.desk(methods{"POST": findAccounts})},
		{Pattern: accounts + "/import", Handler: a.desk(methods{"POST": importUser})},
		{Pattern: accounts + "/{id}", Handler: a.desk(methods{"GET": showAccount, "DELETE": closeAccount})},
		{Pattern: accounts + "/{id}/plan", Handler: a.desk(methods{"PUT": setPlan})},
		{Pattern: accounts + "/{id}/email", Handler: a.desk(methods{"PUT": setEmail})},
		{Pattern: accounts + "/{id}/password-link", Handler: a.desk(methods{"POST": makePasswordLink})},
		{Pattern: accounts + "/{id}/credits", Handler: a.desk(methods{"POST": giveCredits})},
		{Pattern: accounts + "/{id}/keys", Handler: a.desk(methods{"GET": listKeys, "POST": issueKey})},
		{Pattern: accounts + "/{id}/keys/{key}", Handler: a.desk(methods{"DELETE": revokeKey})},
	}
}

// listPlans is the catalogue.
func listPlans(s *service) []api.Plan { return api.Catalogue(s.gateway.Plans) }

// accountInfo is what an operator sees of an account.
type accountInfo struct {
	ID   string `json:"id"`
	Plan string `json:"plan"`
	// Email and Name are those of who signs in to it; empty when nobody does.
	Email     string     `json:"email,omitempty"`
	Name      string     `json:"name,omitempty"`
	CreatedAt time.Time  `json:"createdAt"`
	ClosedAt  *time.Time `json:"closedAt"`
}

// accountDetails is all that is shown of one account.
type accountDetails struct {
	accountInfo
	// Period is the month, and Used and Given are the credits that were used in it
	// and given beyond the plan's.
	Period string        `json:"period"`
	Used   int64         `json:"creditsUsed"`
	Given  int64         `json:"creditsGiven"`
	Keys   []api.KeyInfo `json:"keys"`
}

// info adds what is known of an account's owner.
func (s *service) info(ctx context.Context, a account.Account) (accountInfo, error) {
	info := accountInfo{ID: a.ID, Plan: a.Plan, CreatedAt: a.CreatedAt}
	if !a.ClosedAt.IsZero() {
		info.ClosedAt = &a.ClosedAt
	}
	owner, err := s.store.UserOfAccount(ctx, a.ID)
	if err != nil && !errors.Is(err, account.ErrNoUser) {
		return accountInfo{}, err
	}
	info.Email, info.Name = owner.Email, owner.Name
	return info, nil
}

// openAccount opens an account on a plan, by default the first of the catalogue.
// With an address it is one that its owner signs in to, by a link that is mailed, by
// asking for a new password, or with one that they set by makePasswordLink; without,
// its keys are all there is to it.
func openAccount(s *service, r *http.Request) (any, error) {
	in, err := readBody[struct{ Plan, Email, Name string }](r)
	if err != nil {
		return nil, err
	}
	if in.Plan, err = s.planCode(cmp.Or(in.Plan, s.gateway.Plans[0].Code)); err != nil {
		return nil, err
	}
	opened := account.Account{ID: account.NewID(), Plan: in.Plan, CreatedAt: time.Now().UTC().Truncate(time.Millisecond)}
	if in.Email == "" {
		err = s.store.CreateAccount(r.Context(), opened)
	} else {
		err = s.admitUser(r.Context(), account.User{Account: opened.ID, Email: in.Email, Name: in.Name, CreatedAt: opened.CreatedAt}, "", in.Plan)
	}
	if err != nil {
		return nil, err
	}
	return s.info(r.Context(), opened)
}

// admitUser opens an account for a person.
func (s *service) admitUser(ctx context.Context, u account.User, passwordHash, plan string) error {
	u.Email = strings.ToLower(strings.TrimSpace(u.Email))
	if err := new(api.Email).UnmarshalText([]byte(u.Email)); err != nil {
		return badRequest("email: %w", err)
	}
	u.Name = cmp.Or(strings.TrimSpace(u.Name), u.Email)
	_, err := s.store.ImportUser(ctx, u, passwordHash, plan)
	return err
}

// importedUser is a user as better-auth's tables user and account hold it, under
// the names of their columns.
type importedUser struct {
	Email         string    `json:"email"`
	Name          string    `json:"name"`
	EmailVerified bool      `json:"emailVerified"`
	Image         string    `json:"image"`
	CreatedAt     time.Time `json:"createdAt"`
	// Password is the hash of the credential account; empty for who has none.
	Password string `json:"password"`
	// Plan is the code of the plan to begin with. Default: the first one.
	Plan string `json:"plan"`
}

func importUser(s *service, r *http.Request) (any, error) {
	in, err := readBody[importedUser](r)
	if err != nil {
		return nil, err
	}
	plan, err := s.planCode(cmp.Or(in.Plan, s.gateway.Plans[0].Code))
	if err != nil {
		return nil, err
	}
	u := account.User{Account: account.NewID(), Email: in.Email, Name: in.Name, EmailVerified: in.EmailVerified, Image: in.Image, CreatedAt: in.CreatedAt}
	if err := s.admitUser(r.Context(), u, in.Password, plan); err != nil {
		return nil, err
	}
	return s.find(r.Context(), u.Account)
}

const pageOfAccounts = 100

// findAccounts lists accounts in the order in which they were opened, from behind
// the id after on, at most limit (1 to 100, default 100). The query is an e-mail
// address, the code of a plan, or the beginning of an id; empty for all.
func findAccounts(s *service, r *http.Request) (any, error) {
	in, err := readBody[struct {
		Query, After string
		Limit        int
	}](r)
	if err != nil {
		return nil, err
	}
	if in.Limit = cmp.Or(in.Limit, pageOfAccounts); in.Limit < 1 || in.Limit > pageOfAccounts {
		return nil, badRequest("limit: 1 to %d accounts are listed at a time", pageOfAccounts)
	}
	found, err := s.search(r.Context(), in.Query, in.After, in.Limit)
	if err != nil {
		return nil, err
	}
	infos := make([]accountInfo, len(found))
	for i := range found {
		if infos[i], err = s.info(r.Context(), found[i]); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

func (s *service) search(ctx context.Context, query, after string, limit int) ([]account.Account, error) {
	if !strings.Contains(query, "@") {
		return s.store.Accounts(ctx, query, after, limit)
	}
	owner, _, err := s.store.UserByEmail(ctx, strings.ToLower(query))
	if errors.Is(err, account.ErrNoUser) || err == nil && owner.Account <= after {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a, err := s.store.Account(ctx, owner.Account)
	return []account.Account{a}, err
}

// find is one account as an operator sees it.
func (s *service) find(ctx context.Context, id string) (accountInfo, error) {
	a, err := s.store.Account(ctx, id)
	if err != nil {
		return accountInfo{}, err
	}
	return s.info(ctx, a)
}

func showAccount(s *service, r *http.Request) (any, error) {
	info, err := s.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	period := metering.Period(time.Now())
	balance, err := s.store.Balance(r.Context(), info.ID, period)
	if err != nil {
		return nil, err
	}
	keys, err := listKeys(s, r)
	if err != nil {
		return nil, err
	}
	return accountDetails{info, period, balance.Used, balance.Given, keys.([]api.KeyInfo)}, nil
}

// closeAccount ends an account for good, with its subscription, and deletes who signs
// in to it.
func closeAccount(s *service, r *http.Request) (any, error) {
	if err := s.billing.Cancel(r.Context(), r.PathValue("id")); err != nil {
		return nil, err
	}
	owner, err := s.store.UserOfAccount(r.Context(), r.PathValue("id"))
	switch {
	case errors.Is(err, account.ErrNoUser):
		return nil, s.store.CloseAccount(r.Context(), r.PathValue("id"))
	case err != nil:
		return nil, err
	}
	return nil, s.store.DeleteUser(r.Context(), owner)
}

func setPlan(s *service, r *http.Request) (any, error) {
	in, err := readBody[struct{ Plan string }](r)
	if err != nil {
		return nil, err
	}
	if in.Plan, err = s.planCode(in.Plan); err != nil {
		return nil, err
	}
	if err := s.store.SetPlan(r.Context(), r.PathValue("id"), in.Plan); err != nil {
		return nil, err
	}
	return s.find(r.Context(), r.PathValue("id"))
}

// planCode is the code of a plan of the catalogue.
func (s *service) planCode(code string) (string, error) {
	var codes []string
	for _, plan := range s.gateway.Plans {
		codes = append(codes, plan.Code)
	}
	if !slices.Contains(codes, code) {
		return "", badRequest("there is no plan %q; there are: %s", code, strings.Join(codes, ", "))
	}
	return code, nil
}

func giveCredits(s *service, r *http.Request) (any, error) {
	in, err := readBody[struct{ Credits int64 }](r)
	if err != nil {
		return nil, err
	}
	if in.Credits < 1 {
		return nil, badRequest("credits: a number from 1 on is given")
	}
	period := metering.Period(time.Now())
	if err := s.store.GiveCredits(r.Context(), r.PathValue("id"), period, in.Credits); err != nil {
		return nil, err
	}
	return struct {
		Account string `json:"account"`
		Period  string `json:"period"`
		Credits int64  `json:"credits"`
	}{r.PathValue("id"), period, in.Credits}, nil
}
