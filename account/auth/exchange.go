package auth

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/web"
)

type exchange struct {
	auth *Auth
	w    http.ResponseWriter
	r    *http.Request
	base string // the service's address
}

func (a *Auth) exchange(w http.ResponseWriter, r *http.Request) *exchange {
	return &exchange{a, w, r, a.BaseURL(r)}
}

// answer sends a success, unless there was an error, which it returns.
func (x *exchange) answer(body any, err error) error {
	if err == nil {
		web.WriteJSON(x.w, http.StatusOK, body)
	}
	return err
}

// redirect redirects to a trusted address, with parameters added to its query.
func (x *exchange) redirect(target string, parameters ...string) error {
	x.w.Header().Set("Location", withParameters(target, parameters...))
	status := http.StatusFound
	if x.r.Method == http.MethodPost { // a form: continue with GET
		status = http.StatusSeeOther
	}

	x.w.WriteHeader(status)
	return nil
}

// withParameters adds pairs of names and values to the query of an address. Pairs with an empty value are omitted.
func withParameters(target string, parameters ...string) string {
	u, err := url.Parse(target)
	if err != nil || len(parameters) == 0 {
		return target
	}

	query := u.Query()
	for i := 0; i < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			query.Set(parameters[i], parameters[i+1])
		}
	}

	u.RawQuery = query.Encode()
	return u.String()
}

// session returns the session of the request and its user. It returns errUnauthorized if there is no session.
func (x *exchange) session() (account.Session, account.User, error) {
	s, err := x.currentSession()
	if err != nil {
		if errors.Is(err, account.ErrNoSession) {
			err = errUnauthorized
		}
		return account.Session{}, account.User{}, err
	}

	u, err := x.auth.Store.User(x.r.Context(), s.User)
	if errors.Is(err, account.ErrNoUser) { // deleted meanwhile
		err = errUnauthorized
	}

	return s, u, err
}

type timestamp time.Time

// MarshalJSON implements json.Marshaler.
func (t timestamp) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Time(t).UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}

type userView struct {
	ID            string    `json:"id"`
	Name          string    `json:"name"`
	Email         string    `json:"email"`
	EmailVerified bool      `json:"emailVerified"`
	Image         *string   `json:"image"`
	CreatedAt     timestamp `json:"createdAt"`
	UpdatedAt     timestamp `json:"updatedAt"`
}

func viewUser(u account.User) userView {
	view := userView{ID: u.ID, Name: u.Name, Email: u.Email, EmailVerified: u.EmailVerified,
		CreatedAt: timestamp(u.CreatedAt), UpdatedAt: timestamp(u.UpdatedAt)}
	if u.Image != "" {
		view.Image = &u.Image
	}
	return view
}

// sessionView is a session as the client sees it. Its token is the session's id, which can only revoke the session, so
// an injected script finds no credential here.
type sessionView struct {
	ID        string    `json:"id"`
	Token     string    `json:"token"`
	UserID    string    `json:"userId"`
	IPAddress string    `json:"ipAddress"`
	UserAgent string    `json:"userAgent"`
	CreatedAt timestamp `json:"createdAt"`
	UpdatedAt timestamp `json:"updatedAt"`
	ExpiresAt timestamp `json:"expiresAt"`
}

func viewSession(s account.Session) sessionView {
	return sessionView{s.ID, s.ID, s.User, s.Address, s.Agent, timestamp(s.CreatedAt), timestamp(s.UpdatedAt),
		timestamp(s.ExpiresAt)}
}

type signInAnswer struct {
	Redirect *bool    `json:"redirect,omitempty"`
	Token    *string  `json:"token"` // the handle of the session
	URL      string   `json:"url,omitempty"`
	User     userView `json:"user"`
}

// done is the answer to a request without a result.
var done = map[string]bool{"status": true}
