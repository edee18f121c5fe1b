package auth

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/rodata/rodata/account"
)

// exchange is one request and its answer.
type exchange struct {
	auth    *Auth
	w       http.ResponseWriter
	r       *http.Request
	base    string // the service's address as the request names it
	segment string // what stands for the * of the flow's path
}

// answer sends a success.
func (x *exchange) answer(body any) error {
	x.send(http.StatusOK, "application/json", body)
	return nil
}

func (x *exchange) send(status int, contentType string, body any) {
	text, err := json.Marshal(body)
	if err != nil { // what is sent here always encodes
		panic(err)
	}
	x.w.Header().Set("Content-Type", contentType)
	x.w.WriteHeader(status)
	x.w.Write(text) // a client that has gone is nobody's error
}

// redirect sends a browser to a trusted address, with parameters added to it.
func (x *exchange) redirect(target string, parameters ...string) error {
	x.w.Header().Set("Location", withParameters(target, parameters...))
	status := http.StatusFound
	if x.r.Method == http.MethodPost { // the form of a page: go on with GET
		status = http.StatusSeeOther
	}
	x.w.WriteHeader(status)
	return nil
}

// withParameters adds names and values to the query of an address.
func withParameters(target string, parameters ...string) string {
	u, err := url.Parse(target)
	if err != nil || len(parameters) == 0 {
		return target
	}
	query := u.Query()
	for i := 0; i < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// link is an address of ours for a mail.
func (x *exchange) link(path string, parameters ...string) string {
	return withParameters(x.base+Path+path, parameters...)
}

// session is the session of the request and its user; the error is errUnauthorized
// when there is none.
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

// moment is a time as better-auth writes it.
type moment time.Time

// MarshalJSON implements json.Marshaler.
func (m moment) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Time(m).UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}

// userView is a user as the client sees them.
type userView struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	Email         string  `json:"email"`
	EmailVerified bool    `json:"emailVerified"`
	Image         *string `json:"image"`
	CreatedAt     moment  `json:"createdAt"`
	UpdatedAt     moment  `json:"updatedAt"`
}

func viewUser(u account.User) userView {
	view := userView{ID: u.ID, Name: u.Name, Email: u.Email, EmailVerified: u.EmailVerified, CreatedAt: moment(u.CreatedAt), UpdatedAt: moment(u.UpdatedAt)}
	if u.Image != "" {
		view.Image = &u.Image
	}
	return view
}

// sessionView is a session as the client sees it. Its token is the id, with which
// it can be revoked and nothing else: a script that is slipped into a page finds
// no way in here that would outlive the page.
type sessionView struct {
	ID        string `json:"id"`
	Token     string `json:"token"`
	UserID    string `json:"userId"`
	IPAddress string `json:"ipAddress"`
	UserAgent string `json:"userAgent"`
	CreatedAt moment `json:"createdAt"`
	UpdatedAt moment `json:"updatedAt"`
	ExpiresAt moment `json:"expiresAt"`
}

func viewSession(s account.Session) sessionView {
	return sessionView{s.ID, s.ID, s.User, s.Address, s.Agent, moment(s.CreatedAt), moment(s.UpdatedAt), moment(s.ExpiresAt)}
}

// signedIn is what the client is told once somebody is signed in.
type signedIn struct {
	Redirect *bool    `json:"redirect,omitempty"`
	Token    *string  `json:"token"` // the handle of the session
	URL      string   `json:"url,omitempty"`
	User     userView `json:"user"`
}

// done says that what was asked for is done.
var done = map[string]bool{"status": true}
