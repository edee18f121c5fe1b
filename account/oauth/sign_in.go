package oauth

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/rodata/rodata/account/auth"
)

// signIn handles the form of signInPage, which works without scripts. It calls package auth like auth's own client, so
// that its rules and limits apply, and then returns to the authorization request.
func (s *Server) signIn(x *exchange) error {
	form, err := x.form()
	if err != nil {
		return err
	}

	request := form.Get("request")
	if _, err := readRequest(request); err != nil {
		return err
	}

	next, provider := authorizeURL(request), form.Get("provider")
	path, body := "/sign-in/email", map[string]string{"email": form.Get("email"), "password": form.Get("password")}
	if provider != "" {
		path, body = "/sign-in/social", map[string]string{"provider": provider, "callbackURL": next}
	}

	a := x.callAuth(path, body)
	if provider != "" {
		next = a.header.Get("Location")
	}
	if a.status != http.StatusOK {
		return x.signInPage(request, a.code())
	}

	for _, cookie := range a.header["Set-Cookie"] {
		x.w.Header().Add("Set-Cookie", cookie)
	}

	return x.redirect(next)
}

func authorizeURL(request string) string {
	return Path + "/authorize?" + strings.TrimPrefix(request, "?")
}

type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header, WriteHeader and Write implement http.ResponseWriter.
func (a *reply) Header() http.Header            { return a.header }
func (a *reply) WriteHeader(status int)         { a.status = status }
func (a *reply) Write(text []byte) (int, error) { return a.body.Write(text) }

func (a *reply) code() string {
	var problem struct{ Code string }
	if err := json.Unmarshal(a.body.Bytes(), &problem); err != nil {
		return ""
	}
	return problem.Code
}

// callAuth calls package auth like the person's browser: with the same origin, address and cookies.
func (x *exchange) callAuth(path string, body map[string]string) *reply {
	text, err := json.Marshal(body)
	if err != nil { // cannot happen for strings
		panic(err)
	}

	r := x.r.Clone(x.r.Context())
	r.URL = &url.URL{Path: auth.Path + path}
	r.Header.Set("Content-Type", "application/json")
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	a := &reply{header: make(http.Header), status: http.StatusOK}
	x.server.People.ServeHTTP(a, r)
	return a
}
