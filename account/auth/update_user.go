package auth

import (
	"net/http"

	"github.com/rodata/rodata/account"
)

// updateUser changes the user's name and image.
func (a *Auth) updateUser(x *exchange, _ account.Session, u account.User) error {
	var name, image, email *string
	if err := x.read(members{"name": nullable(&name), "image": nullable(&image),
		"email": nullable(&email)}); err != nil {
		return err
	}

	switch {
	case email != nil:
		return &failure{status: http.StatusBadRequest, code: "EMAIL_CAN_NOT_BE_UPDATED",
			message: "Email can not be updated", detail: "the address is changed by " + Path + "/change-email"}
	case name == nil && image == nil:
		return &failure{status: http.StatusBadRequest, code: "NO_FIELDS_TO_UPDATE", message: "No fields to update"}
	}

	if err := setProfile(&u, name, image); err != nil {
		return err
	}
	if err := a.Store.RenameUser(x.r.Context(), u.ID, u.Name, u.Image); err != nil {
		return err
	}

	return x.answer(done)
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

// checkCurrentPassword checks the user's present password.
func (a *Auth) checkCurrentPassword(x *exchange, u account.User, password string) error {
	_, hash, err := a.Store.UserByEmail(x.r.Context(), u.Email)
	if err != nil {
		return err
	}
	if hash == "" {
		return errNoPassword
	}

	attempt, err := a.admitAttempt(x, u.Email, u.ID)
	if err != nil {
		return err
	}

	v, err := a.passwords.check(x.r.Context(), hash, password, a.salt(u.Email, hash), nil)
	if err != nil {
		return err
	}
	if !v.correct {
		return errWrongPassword
	}

	attempt.succeeded(x.r.Context())
	return nil
}
