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

	"github.com/rodata/rodata/account/internal/page"
	"github.com/rodata/rodata/account/password"
	"github.com/rodata/rodata/op/problem"
)

// failure is an error for the caller. Codes and messages are better-auth's where it has one.
type failure struct {
	status  int
	code    string
	message string
	detail  string        // empty: the message
	retry   time.Duration // Retry-After; 0 for none
	kind    *problem.Kind // default: the general kind of the status
	// wrong is the invalid input of the request. It is nil if there is none.
	wrong *problem.InputError
}

func (f *failure) Error() string { return f.code + ": " + f.message }

// Failures of more than one flow.
var (
	errUnauthorized = &failure{status: http.StatusUnauthorized, code: "UNAUTHORIZED", message: "Unauthorized",
		detail: "there is no session; sign in first"}
	errInvalidToken = &failure{status: http.StatusBadRequest, code: "INVALID_TOKEN", message: "Invalid token",
		detail: "the link is unknown or has been used; ask for a new one"}
	errExpiredToken = &failure{status: http.StatusUnauthorized, code: "TOKEN_EXPIRED", message: "Token expired",
		detail: "the link has expired; ask for a new one"}
	errInvalidEmail = &failure{status: http.StatusBadRequest, code: "INVALID_EMAIL", message: "Invalid email",
		wrong: &problem.InputError{Parameter: "email", Code: problem.InvalidFormat, Accepted: notEmail("").Accepted}}
	errWrongPassword = &failure{status: http.StatusBadRequest, code: "INVALID_PASSWORD", message: "Invalid password"}
	errNoPassword    = &failure{status: http.StatusBadRequest, code: "CREDENTIAL_ACCOUNT_NOT_FOUND",
		message: "Credential account not found",
		detail:  "the user has no password; one can be set by asking for a new password"}
	errBusy = &failure{status: http.StatusServiceUnavailable, code: "SERVICE_UNAVAILABLE",
		message: "Service unavailable",
		detail:  "too many people are signing in at this moment; try again shortly", retry: time.Second}
)

// invalid returns the failure of a malformed request. The message is better-auth's.
func invalid(wrong problem.InputError, format string, args ...any) *failure {
	return &failure{status: http.StatusBadRequest, code: "VALIDATION_ERROR", message: fmt.Sprintf(format, args...),
		wrong: &wrong}
}

// invalidEmail returns the failure of a member that is not an e-mail address.
func invalidEmail(member string) *failure {
	return invalid(notEmail(member), "[body.%s] Invalid email address", member)
}

func notEmail(member string) problem.InputError {
	return problem.InputError{Parameter: member, Code: problem.InvalidFormat,
		Accepted: "an e-mail address, as ana@example.ro"}
}

// fail answers with an error. Any error other than a failure means that the store could not be reached, and is logged.
func (x *exchange) fail(err error) {
	f, ok := errors.AsType[*failure](err)
	if errors.Is(err, password.ErrBusy) {
		f, ok = errBusy, true
	}
	if !ok {
		if errors.Is(err, context.Canceled) {
			return // the client has disconnected
		}

		x.auth.Logger.ErrorContext(x.r.Context(), "a sign-in request failed", "path", x.r.URL.Path, "error", err)
		f = &failure{status: http.StatusServiceUnavailable, code: "SERVICE_UNAVAILABLE", message: "Service unavailable",
			detail: "the account store is unavailable; try again shortly", retry: 5 * time.Second}
	}

	p := problem.Problem{Kind: cmp.Or(f.kind, problem.ForStatus(f.status)), Code: f.code,
		Detail: cmp.Or(f.detail, f.message), RetryAfter: f.retry}
	p.Extensions = message{f.message}
	if f.wrong != nil {
		p.Errors = []*problem.InputError{f.wrong}
	}

	if f.retry > 0 {
		seconds := strconv.Itoa(p.RetrySeconds())
		x.w.Header().Set("Retry-After", seconds)
		x.w.Header().Set("X-Retry-After", seconds)
	}

	page.WriteJSON(x.w, f.status, problem.ContentType, json.RawMessage(p.JSON(x.base)))
}

// message is the text that better-auth's client shows beside the code.
type message struct {
	Message string `json:"message"`
}
