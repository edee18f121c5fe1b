package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/account/password"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op/problem"
)

// message is the text that better-auth's client shows beside the code.
type message struct {
	Message string `json:"message"`
}

// failure returns the problem with a code and a message, which are better-auth's where it has one. The detail is the
// message by default.
func failure(kind *problem.Kind, code, text, detail string) *problem.Problem {
	return &problem.Problem{Kind: kind, Code: code, Detail: cmp.Or(detail, text), Extensions: message{text}}
}

// unavailable returns the failure of a request that may be repeated after a pause.
func unavailable(detail string, pause time.Duration) *problem.Problem {
	return failure(problem.Unavailable, "SERVICE_UNAVAILABLE", "Service unavailable", detail).After(pause)
}

// bad returns the failure of a request that the client must correct.
func bad(code, text, detail string) *problem.Problem {
	return failure(problem.InvalidRequest, code, text, detail)
}

// forbidden returns the failure of a request that the client may not make.
func forbidden(code, text, detail string) *problem.Problem {
	return failure(problem.Forbidden, code, text, detail)
}

// refused returns the problem that an error contains, if there is one.
func refused(err error) (*problem.Problem, bool) { return errors.AsType[*problem.Problem](err) }

func wrong(code, text, detail string, input problem.InputError) *problem.Problem {
	p := bad(code, text, detail)
	p.Errors = []*problem.InputError{&input}
	return p
}

func as(kind *problem.Kind, p *problem.Problem) *problem.Problem {
	other := *p
	other.Kind = kind
	return &other
}

// invalid returns the failure of a malformed request. The message is better-auth's.
func invalid(input problem.InputError, format string, args ...any) *problem.Problem {
	return wrong("VALIDATION_ERROR", fmt.Sprintf(format, args...), "", input)
}

// Failures of more than one flow.
var (
	errUnauthorized = failure(problem.Unauthorized, "UNAUTHORIZED", "Unauthorized",
		"there is no session; sign in first")
	errInvalidToken = bad("INVALID_TOKEN", "Invalid token", "the link is unknown or has been used; ask for a new one")
	errExpiredToken = failure(problem.Unauthorized, "TOKEN_EXPIRED", "Token expired",
		"the link has expired; ask for a new one")
	errInvalidEmail  = wrong("INVALID_EMAIL", "Invalid email", "", notEmail("email"))
	errWrongPassword = bad("INVALID_PASSWORD", "Invalid password", "")
	errNoPassword    = bad("CREDENTIAL_ACCOUNT_NOT_FOUND", "Credential account not found",
		"the user has no password; one can be set by asking for a new password")
	errBusy = unavailable("too many people are signing in at this moment; try again shortly", time.Second)
)

// invalidEmail returns the failure of a member that is not an e-mail address.
func invalidEmail(member string) *problem.Problem {
	return invalid(notEmail(member), "[body.%s] Invalid email address", member)
}

func notEmail(member string) problem.InputError {
	return problem.InputError{Parameter: member, Code: problem.InvalidFormat,
		Accepted: "an e-mail address, as ana@example.ro"}
}

// fail answers with an error. Any error other than a problem means that the store could not be reached, and is logged.
func (x *exchange) fail(err error) {
	p, ok := refused(err)
	switch {
	case errors.Is(err, password.ErrBusy):
		p = errBusy
	case ok && p.Code == "": // of a body that cannot be read
		code := strings.ToUpper(strings.ReplaceAll(p.Kind.Slug, "-", "_"))
		p = &problem.Problem{Kind: p.Kind, Code: code, Detail: p.Detail, Errors: p.Errors,
			Extensions: message{p.Kind.Title}}
	case ok:
	case errors.Is(err, context.Canceled):
		return // the client has disconnected
	default:
		x.auth.Logger.ErrorContext(x.r.Context(), "a sign-in request failed", "path", x.r.URL.Path, "error", err)
		p = unavailable("the account store is unavailable; try again shortly", 5*time.Second)
	}

	if seconds := p.RetrySeconds(); seconds > 0 { // for better-auth's client
		x.w.Header().Set("X-Retry-After", strconv.Itoa(seconds))
	}

	web.WriteProblem(x.w, p, x.base)
}
