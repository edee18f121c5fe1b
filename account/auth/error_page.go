package auth

import (
	_ "embed"
	"html/template"
	"net/http"
)

//go:embed error_page.html
var errorPageHTML string

var errorPage = template.Must(template.New("error").Parse(errorPageHTML))

// pagePolicy lets the page do nothing but show itself.
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// explanations are what the page tells a person about a code.
var explanations = map[string]string{
	"INVALID_TOKEN":      "The link is unknown or has been used. Ask for a new one.",
	"TOKEN_EXPIRED":      "The link has expired. Ask for a new one.",
	"access_denied":      "You did not allow the other service to tell who you are.",
	"email_not_found":    "The other service knows no e-mail address of yours.",
	"email_not_verified": "The other service has not verified your e-mail address. Verify it there, and try again.",
	"invalid_code":       "The other service did not confirm who you are. Try again.",
	"state_mismatch":     "You came back too late, or in another browser than you left with. Try again.",
}

// errorPage tells a person why they were not signed in.
func (a *Auth) errorPage(x *exchange) error {
	code := x.r.URL.Query().Get("error")
	if !errorCode.MatchString(code) {
		code = "unknown"
	}
	explanation, known := explanations[code]
	if !known {
		explanation = "Something went wrong. Try again."
	}
	h := x.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer")
	x.w.WriteHeader(http.StatusOK)
	errorPage.Execute(x.w, struct{ Code, Explanation string }{code, explanation}) // a client that has gone is nobody's error
	return nil
}
