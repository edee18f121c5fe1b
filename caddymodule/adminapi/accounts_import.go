package adminapi

import (
	"cmp"
	"net/http"
	"time"

	"github.com/rodata/rodata/account"
)

// ImportedUser is a user of a better-auth database; the fields have the names of the columns in its tables user and
// account.
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

func importUser(g gateway, r *http.Request, in ImportedUser) (any, error) {
	plan := cmp.Or(in.Plan, g.Config.Catalogue()[0].Code)
	if err := g.checkPlan(plan); err != nil {
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
