package oauth

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/rodata/rodata/account"
)

// exchange is one request and its answer.
type exchange struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	segment string // what stands for the * of the route
}

// maxBody is how many bytes of a request are read.
const maxBody = 32 << 10

func (x *exchange) send(status int, contentType string, body any) {
	text, err := json.Marshal(body)
	if err != nil { // what is sent here always encodes
		panic(err)
	}
	x.w.Header().Set("Content-Type", contentType)
	x.w.WriteHeader(status)
	x.w.Write(text) // a client that has gone is nobody's error
}

func (x *exchange) answer(body any) error {
	x.send(http.StatusOK, "application/json", body)
	return nil
}

// redirect sends a browser on, with GET whatever it came with.
func (x *exchange) redirect(target string) error {
	x.w.Header().Set("Location", target)
	x.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// session is who is signed in; account.ErrNoSession when nobody is.
func (x *exchange) session() (account.Session, error) {
	return x.server.People.Session(x.r.Context(), strings.Join(x.r.Header["Cookie"], "; "))
}

// body reads the body, which must be of a media type.
func (x *exchange) body(want, code string) ([]byte, error) {
	if media, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type")); err != nil || media != want {
		return nil, bad(code, "the body must be of the type %s", want)
	}
	text, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, &failure{status: http.StatusRequestEntityTooLarge, code: code, description: "the body is larger than what is read"}
	}
	if err != nil {
		return nil, bad(code, "the body could not be read to its end")
	}
	return text, nil
}

// form reads a form, in which everything stands once.
func (x *exchange) form() (url.Values, error) {
	text, err := x.body("application/x-www-form-urlencoded", "invalid_request")
	if err != nil {
		return nil, err
	}
	return parameters(string(text))
}

// parameters reads what programs send: each name once (RFC 6749, section 3.1), but
// for resource (RFC 8707); one without a value is as good as none.
func parameters(text string) (url.Values, error) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, bad("invalid_request", "the parameters cannot be read")
	}
	for name, all := range values {
		if len(all) > 1 && name != "resource" {
			return nil, bad("invalid_request", "a parameter is given twice")
		}
		if len(all) == 1 && all[0] == "" {
			delete(values, name)
		}
	}
	return values, nil
}
