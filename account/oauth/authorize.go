package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
)

// request is an authorization request.
type request struct {
	text       string // the raw query, which the forms repeat
	parameters url.Values
	app        account.App
}

// readRequest parses an authorization request. Its errors are shown to the person: without a client and a redirect URI,
// the client cannot be informed.
func readRequest(text string) (*request, error) {
	values, err := parameters(text)
	if err != nil {
		return nil, err
	}

	q := &request{text: text, parameters: values}
	if q.client() == "" || q.redirect() == "" {
		return nil, bad("invalid_request", "client_id and redirect_uri are required")
	}

	return q, nil
}

func (q *request) client() string   { return q.parameters.Get("client_id") }
func (q *request) redirect() string { return q.parameters.Get("redirect_uri") }

// challengeShape is the form of an S256 challenge: 32 bytes in base64url.
var challengeShape = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// check validates the request; errors are reported to the client.
func (q *request) check(resource string) error {
	switch {
	case q.parameters.Get("response_type") != "code":
		return bad("unsupported_response_type", "response_type must be code")
	case !challengeShape.MatchString(q.parameters.Get("code_challenge")) ||
		q.parameters.Get("code_challenge_method") != "S256":
		return bad("invalid_request", "PKCE is required: send a code_challenge with code_challenge_method S256")
	}

	if err := checkResource(q.parameters, resource); err != nil {
		return err
	}
	return checkScope(q.parameters)
}

// checkResource rejects a request for a resource other than the server's only one, which is also the default.
func checkResource(values url.Values, resource string) error {
	for _, asked := range values["resource"] {
		if asked != "" && strings.TrimSuffix(asked, "/") != resource {
			return bad("invalid_target", "tokens are issued for the resource %s only", resource)
		}
	}

	return nil
}

// checkScope rejects a request that does not include the only scope. Other scopes are ignored; the answer names the
// granted scope (RFC 6749, section 3.3).
func checkScope(values url.Values) error {
	if asked := strings.Fields(values.Get("scope")); len(asked) > 0 && !slices.Contains(asked, Scope) {
		return bad("invalid_scope", "the only scope is %s", Scope)
	}
	return nil
}

// back returns the redirect URI with a response. The parameter iss identifies the issuer to the client (RFC 9207).
func (q *request) back(issuer string, pairs ...string) string {
	answer := url.Values{"iss": {issuer}}
	if state := q.parameters.Get("state"); state != "" {
		answer.Set("state", state)
	}

	for i := 0; i < len(pairs); i += 2 {
		answer.Set(pairs[i], pairs[i+1])
	}

	separator := "?"
	if strings.Contains(q.redirect(), "?") {
		separator = "&"
	}

	return q.redirect() + separator + answer.Encode()
}

// authorize asks the person for consent. The client is looked up only for signed-in people, so that others cannot make
// the server fetch documents.
func (s *Server) authorize(x *exchange) error {
	q, err := readRequest(x.r.URL.RawQuery)
	if err != nil {
		return err
	}

	session, err := x.session()
	if errors.Is(err, account.ErrNoSession) {
		return x.signInPage(q.text, "")
	}
	if err != nil {
		return err
	}
	if q.app, err = s.appFor(x.r.Context(), session, q.client()); err != nil {
		return err
	}
	if !redirectAllowed(q.app.Redirects, q.redirect()) {
		return bad("invalid_request", "the client has not registered this redirect_uri")
	}
	if f, ok := errors.AsType[*failure](q.check(s.Resource)); ok {
		return s.refuse(x, q, session, f)
	}

	user, err := s.Store.User(x.r.Context(), session.User)
	if errors.Is(err, account.ErrNoUser) { // deleted since
		return x.signInPage(q.text, "")
	}
	if err != nil {
		return err
	}

	return x.consentPage(q, user, s.seal(session.ID, q.app.Name, q.text, time.Now().Add(formAge)))
}

// refuse answers a request that the client must fix. The error is sent to the redirect URI only if the person has an
// earlier grant for the client: registration is open to everyone, and redirecting without consent would be an open
// redirector, useful for phishing (RFC 9700, section 4.11.2). Otherwise the person sees an error page.
func (s *Server) refuse(x *exchange, q *request, session account.Session, f *failure) error {
	grants, err := s.Store.Grants(x.r.Context(), session.Account)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(grants, func(g account.Grant) bool { return g.App == q.app.ID }) {
		return f
	}

	return x.redirect(q.back(s.Issuer, "error", f.code, "error_description", f.description))
}

// formAge is the validity period of a consent form.
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

// decide applies the person's choice. The seal proves that they consented to exactly this request of this client.
func (s *Server) decide(x *exchange) error {
	form, err := x.form()
	if err != nil {
		return err
	}

	q, err := readRequest(form.Get("request"))
	if err != nil {
		return err
	}

	session, err := x.session()
	if errors.Is(err, account.ErrNoSession) {
		return x.signInPage(q.text, "")
	}
	if err != nil {
		return err
	}

	q.app = account.App{ID: q.client(), Name: form.Get("name")}
	if !s.checkSeal(form.Get("seal"), session.ID, q.app.Name, q.text) || !s.fromOwnPage(x.r) {
		return &failure{status: http.StatusForbidden, code: "access_denied",
			description: "this form was not shown in this browser, or has expired; start again in the program"}
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

// fromOwnPage reports whether the Origin, if present, is the server's own.
func (s *Server) fromOwnPage(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return origin == "" || strings.EqualFold(origin, s.Issuer)
}

// grant stores the grant and returns its code.
func (s *Server) grant(x *exchange, session account.Session, q *request) (code string, err error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	code = account.NewSecret(codePrefix)
	g := account.Grant{
		ID: account.NewID(), Account: session.Account, App: q.app.ID, Name: q.app.Name, Resource: s.Resource,
		Redirect: q.redirect(), Challenge: q.parameters.Get("code_challenge"), CreatedAt: now,
	}

	err = s.Store.CreateGrant(x.r.Context(), g, account.Token{Kind: account.CodeToken, Hash: s.tokens.Hash(code),
		ExpiresAt: now.Add(codeAge)})
	if errors.Is(err, account.ErrNoAccount) {
		return "", &failure{status: http.StatusForbidden, code: "access_denied", description: "the account is closed"}
	}

	return code, err
}
