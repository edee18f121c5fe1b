package auth

import "github.com/rodata/rodata/account"

// listAccounts lists the user's logins. Better-auth calls them accounts.
func (a *Auth) listAccounts(x *exchange, _ account.Session, u account.User) error {
	logins, err := a.Store.Logins(x.r.Context(), u.ID)
	if err != nil {
		return err
	}

	views := make([]loginView, len(logins)) // never null
	for i, l := range logins {
		views[i] = loginView{l.ID, l.Provider, l.Subject, l.User, timestamp(l.CreatedAt), timestamp(l.UpdatedAt),
			[]string{}}
	}

	return x.answer(views)
}

// loginView is a login as returned to the client.
type loginView struct {
	ID         string    `json:"id"`
	ProviderID string    `json:"providerId"`
	AccountID  string    `json:"accountId"`
	UserID     string    `json:"userId"`
	CreatedAt  timestamp `json:"createdAt"`
	UpdatedAt  timestamp `json:"updatedAt"`
	Scopes     []string  `json:"scopes"` // empty: the gateway never calls the provider on the user's behalf
}
