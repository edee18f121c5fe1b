package oauth

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/problem"
)

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
	_, err := q.scope()
	return err
}

// scope returns what the person is asked to grant. Without a scope in the request, it is account.ReadScope.
func (q *request) scope() (account.Scope, error) {
	return requestedScope(q.parameters, account.AllScopes, account.ReadScope)
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

// requestedScope returns the requested part of the available scopes. Other scopes are ignored; the answer names the
// granted ones (RFC 6749, section 3.3).
func requestedScope(values url.Values, available, otherwise account.Scope) (account.Scope, error) {
	asked := strings.Fields(values.Get("scope"))
	if len(asked) == 0 {
		return otherwise, nil
	}

	granted := slices.DeleteFunc(available.Tokens(), func(one string) bool { return !slices.Contains(asked, one) })
	if len(granted) == 0 {
		return "", bad("invalid_scope", "none of the requested scopes can be granted; available: %s", available)
	}

	return account.Scope(strings.Join(granted, " ")), nil
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
	return x.serveSignedIn(x.r.URL.RawQuery, func(q *request, session account.Session) error {
		return s.askConsent(x, q, session)
	})
}

// serveSignedIn parses an authorization request, and serves it for the person who is signed in. Others are asked to
// sign in first.
func (x *exchange) serveSignedIn(text string, serve func(*request, account.Session) error) error {
	q, err := readRequest(text)
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

	return serve(q, session)
}

func (s *Server) askConsent(x *exchange, q *request, session account.Session) (err error) {
	if q.app, err = s.appFor(x.r.Context(), session, q.client()); err != nil {
		return err
	}
	if !allowsRedirect(q.app.Redirects, q.redirect()) {
		return bad("invalid_request", "the client has not registered this redirect_uri")
	}
	if p, ok := errors.AsType[*problem.Problem](q.check(s.Resource)); ok {
		return s.reject(x, q, session, p)
	}

	user, err := s.Store.User(x.r.Context(), session.User)
	if errors.Is(err, account.ErrNoUser) { // deleted since
		return x.signInPage(q.text, "")
	}
	if err != nil {
		return err
	}

	scope, err := q.scope()
	if err != nil {
		return err
	}

	return x.consentPage(q, scope, user, s.seal(session.ID, q.app.Name, q.text, time.Now().Add(formAge)))
}

// reject answers a request that the client must fix. The error is sent to the redirect URI only if the person has an
// earlier grant for the client: registration is open to everyone, and redirecting without consent would be an open
// redirector, useful for phishing (RFC 9700, section 4.11.2). Otherwise the person sees an error page.
func (s *Server) reject(x *exchange, q *request, session account.Session, p *problem.Problem) error {
	grants, err := s.Store.Grants(x.r.Context(), session.Account)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(grants, func(g account.Grant) bool { return g.App == q.app.ID }) {
		return p
	}

	return x.redirect(q.back(s.Issuer, "error", p.Code, "error_description", p.Detail))
}
