package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/rodata/rodata/api/problem"
)

// refusal is an error for the caller to read. Codes and messages are those of
// better-auth, where it has one.
type refusal struct {
	status  int
	code    string
	message string
	detail  string        // empty: the message
	retry   time.Duration // how long to wait before trying again; 0 is no advice
}

func (f *refusal) Error() string { return f.code + ": " + f.message }

// The refusals of more than one flow.
var (
	errUnauthorized  = &refusal{status: http.StatusUnauthorized, code: "UNAUTHORIZED", message: "Unauthorized", detail: "there is no session; sign in first"}
	errInvalidToken  = &refusal{status: http.StatusBadRequest, code: "INVALID_TOKEN", message: "Invalid token", detail: "the link is unknown or has been used; ask for a new one"}
	errExpiredToken  = &refusal{status: http.StatusUnauthorized, code: "TOKEN_EXPIRED", message: "Token expired", detail: "the link has expired; ask for a new one"}
	errInvalidEmail  = &refusal{status: http.StatusBadRequest, code: "INVALID_EMAIL", message: "Invalid email"}
	errWrongPassword = &refusal{status: http.StatusBadRequest, code: "INVALID_PASSWORD", message: "Invalid password"}
	errNoPassword    = &refusal{status: http.StatusBadRequest, code: "CREDENTIAL_ACCOUNT_NOT_FOUND", message: "Credential account not found",
		detail: "the user has no password; one can be set by asking for a new password"}
	errBusy = &refusal{status: http.StatusServiceUnavailable, code: "SERVICE_UNAVAILABLE", message: "Service unavailable",
		detail: "too many people are signing in at this moment; try again shortly", retry: time.Second}
)

// invalid is the refusal of a request that is not of the accepted form.
func invalid(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, code: "VALIDATION_ERROR", message: fmt.Sprintf(format, args...)}
}

// fail answers with an error. One that is no refusal is a store that could not be
// asked, and is logged: what else could go wrong has been made a refusal.
func (x *exchange) fail(err error) {
	f := (*refusal)(nil)
	if !errors.As(err, &f) {
		if errors.Is(err, context.Canceled) {
			return // nobody waits for an answer
		}
		x.auth.Logger.ErrorContext(x.r.Context(), "signing in", "path", x.r.URL.Path, "error", err)
		f = &refusal{status: http.StatusServiceUnavailable, code: "SERVICE_UNAVAILABLE", message: "Service unavailable",
			detail: "the account store cannot be asked just now; try again shortly", retry: 5 * time.Second}
	}
	p := problem.Problem{Kind: problem.ForStatus(f.status), Code: f.code, Detail: cmp.Or(f.detail, f.message), RetryAfter: f.retry}
	p.Extensions = message{f.message}
	if f.retry > 0 {
		seconds := strconv.Itoa(p.RetrySeconds())
		x.w.Header().Set("Retry-After", seconds)
		x.w.Header().Set("X-Retry-After", seconds)
	}
	x.send(f.status, problem.ContentType, json.RawMessage(p.JSON(x.base)))
}

// message is what better-auth's client shows, beside the code.
type message struct {
	Message string `json:"message"`
}
