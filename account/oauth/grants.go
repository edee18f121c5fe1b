package oauth

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/problem"
)

type grantView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Host is the client's origin, if known; otherwise null.
	Host       *string       `json:"host"`
	Scope      account.Scope `json:"scope"`
	CreatedAt  time.Time     `json:"createdAt"`
	LastUsedAt *time.Time    `json:"lastUsedAt"` // to the minute; null if never
}

func viewGrant(g account.Grant) grantView {
	v := grantView{ID: g.ID, Name: g.Name, Scope: g.Scope, CreatedAt: g.CreatedAt}
	if host := origin(g.App, g.Redirect); host != "" {
		v.Host = &host
	}
	if !g.LastUsedAt.IsZero() {
		v.LastUsedAt = &g.LastUsedAt
	}

	return v
}

// origin returns the origin of the client's document or of its redirect URI. It is empty for a client on the person's
// own machine.
func origin(app, redirect string) string {
	if u, err := url.Parse(app); err == nil && hasDocument(app) {
		return u.Host
	}
	return redirectLabel(redirect)
}

func (s *Server) listGrants(x *exchange, session account.Session) error {
	grants, err := s.Store.Grants(x.r.Context(), session.Account)
	if err != nil {
		return err
	}

	views := make([]grantView, len(grants))
	for i, g := range grants {
		views[i] = viewGrant(g)
	}

	return x.answer(map[string]any{"items": views})
}

func (s *Server) endGrant(x *exchange, session account.Session) error {
	if !s.People.IsTrustedOrigin(x.r.Header.Get("Origin"), x.r) {
		return failure(problem.Forbidden, "invalid_origin", "this origin is not trusted to act for a signed-in person")
	}

	err := s.Store.EndGrant(x.r.Context(), session.Account, x.r.PathValue("id"))
	if errors.Is(err, account.ErrNoGrant) {
		return failure(problem.NotFound, "not_found", "the account has no such grant")
	}
	if err != nil {
		return err
	}

	x.w.WriteHeader(http.StatusNoContent)
	return nil
}

func requireSession(do func(*exchange, account.Session) error) func(*exchange) error {
	return func(x *exchange) error {
		session, err := x.session()
		if errors.Is(err, account.ErrNoSession) {
			return failure(problem.Unauthorized, "unauthorized", "there is no session; sign in first")
		}
		if err != nil {
			return err
		}

		return do(x, session)
	}
}
