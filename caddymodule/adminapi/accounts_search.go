package adminapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/rodata/rodata/account"
)

// AccountQuery is the body of a request that lists accounts, the oldest first.
type AccountQuery struct {
	// Query is an e-mail address, the code of a plan, or a prefix of an id; empty for all accounts.
	Query string `json:"query"`
	// After is the id of the account after which to continue.
	After string `json:"after"`
	// Limit is the maximum number of accounts to list: 1 to 100, default 100.
	Limit int `json:"limit"`
}

// maxAccounts is the maximum number of accounts in an answer.
const maxAccounts = 100

func findAccounts(g gateway, r *http.Request, in AccountQuery) (any, error) {
	if in.Limit = cmp.Or(in.Limit, maxAccounts); in.Limit < 1 || in.Limit > maxAccounts {
		return nil, badRequest("limit: a request lists 1 to %d accounts", maxAccounts)
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

func (g gateway) search(ctx context.Context, query, after string, limit int) ([]account.Account, error) {
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
