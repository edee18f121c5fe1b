package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/problem"
)

func (s *Server) decide(x *exchange) error {
	form, err := x.form()
	if err != nil {
		return err
	}

	return x.serveSignedIn(form.Get("request"), func(q *request, session account.Session) error {
		return s.conclude(x, q, session, form)
	})
}

// conclude redirects to the client with a code if the person consented, otherwise with an error. The seal proves that
// the person was shown exactly this request of this client.
func (s *Server) conclude(x *exchange, q *request, session account.Session, form url.Values) error {
	q.app = account.App{ID: q.client(), Name: form.Get("name")}
	if !s.checkSeal(form.Get("seal"), session.ID, q.app.Name, q.text) || !s.isFromOwnPage(x.r) {
		return failure(problem.Forbidden, "access_denied", "this form was not shown in this browser, or has expired; start again in the program")
	}
	if form.Get("decision") != "allow" {
		return x.redirect(q.back(s.Issuer, "error", "access_denied", "error_description", "the person refused consent"))
	}

	code, err := s.grant(x, session, q)
	if err != nil {
		return err
	}

	return x.redirect(q.back(s.Issuer, "code", code))
}

// isFromOwnPage reports whether the Origin, if present, is the server's own.
func (s *Server) isFromOwnPage(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return origin == "" || strings.EqualFold(origin, s.Issuer)
}

func (s *Server) grant(x *exchange, session account.Session, q *request) (code string, err error) {
	scope, err := q.scope()
	if err != nil {
		return "", err
	}

	now := time.Now().UTC().Truncate(time.Millisecond)
	code = account.NewSecret(codePrefix)
	g := account.Grant{
		ID: account.NewID(), Account: session.Account, App: q.app.ID, Name: q.app.Name, Resource: s.Resource,
		Scope: scope, Redirect: q.redirect(), Challenge: q.parameters.Get("code_challenge"), CreatedAt: now,
	}

	err = s.Store.CreateGrant(x.r.Context(), g, account.Token{Kind: account.CodeToken, Hash: s.Tokens.Hash(code),
		ExpiresAt: now.Add(codeAge)})
	if errors.Is(err, account.ErrNoAccount) {
		return "", failure(problem.Forbidden, "access_denied", "the account is closed")
	}

	return code, err
}

const formAge = time.Hour

// seal signs a form that was shown to a session, so that its content cannot be changed and no other page can forge it.
func (s *Server) seal(session, name, request string, until time.Time) string {
	expires := strconv.FormatInt(until.Unix(), 10)
	return expires + "." + s.signature(session, name, request, expires)
}

// checkSeal reports whether a form was shown to the session and has not expired.
func (s *Server) checkSeal(seal, session, name, request string) bool {
	expires, signature, _ := strings.Cut(seal, ".")
	until, err := strconv.ParseInt(expires, 10, 64)
	return err == nil && time.Now().Unix() < until &&
		hmac.Equal([]byte(signature), []byte(s.signature(session, name, request, expires)))
}

func (s *Server) signature(parts ...string) string {
	text, err := json.Marshal(parts)
	if err != nil { // cannot happen for strings
		panic(err)
	}

	mac := hmac.New(sha256.New, s.Secret)
	mac.Write([]byte("oauth consent\x00"))
	mac.Write(text)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
