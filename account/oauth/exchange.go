package oauth

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op/problem"
)

type exchange struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
}

// maxBody limits a request's body, in bytes.
const maxBody = 32 << 10

func (x *exchange) answer(body any) error {
	web.WriteJSON(x.w, http.StatusOK, body)
	return nil
}

// redirect redirects a browser, which continues with GET.
func (x *exchange) redirect(target string) error {
	x.w.Header().Set("Location", target)
	x.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// session returns the session of the request, or account.ErrNoSession.
func (x *exchange) session() (account.Session, error) {
	return x.server.People.Session(x.r.Context(), x.server.Issuer, strings.Join(x.r.Header["Cookie"], "; "))
}

// body reads the body, which must have a media type.
func (x *exchange) body(want, code string) ([]byte, error) {
	if media, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type")); err != nil || media != want {
		return nil, bad(code, "the body must have the media type %s", want)
	}

	text, err := web.ReadBody(x.w, x.r, maxBody)
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		p.Code = code
	}

	return text, err
}

func (x *exchange) form() (url.Values, error) {
	text, err := x.body("application/x-www-form-urlencoded", "invalid_request")
	if err != nil {
		return nil, err
	}
	return parameters(string(text))
}

// parameters parses a query or form in which each name occurs once (RFC 6749, section 3.1), except resource (RFC 8707).
// Empty values count as missing.
func parameters(text string) (url.Values, error) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, bad("invalid_request", "the parameters are malformed")
	}

	for name, all := range values {
		if len(all) > 1 && name != "resource" {
			return nil, bad("invalid_request", "a parameter is repeated")
		}
		if len(all) == 1 && all[0] == "" {
			delete(values, name)
		}
	}

	return values, nil
}
