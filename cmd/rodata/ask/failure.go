package ask

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/client"
)

// The exit codes.
const (
	exitError    = 1
	exitUsage    = 2
	exitNotFound = 3
	exitTryAgain = 4
)

// failure is an error with the exit code of the program.
type failure struct {
	ExitCode int
	err      error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func fail(code int, format string, args ...any) error {
	return &failure{code, fmt.Errorf(format, args...)}
}

// WrongUsage returns an error in the command line, with its exit code.
func WrongUsage(format string, args ...any) error { return fail(exitUsage, format, args...) }

// explain turns an error into a sentence with a remedy.
func (s *session) explain(ctx context.Context, err error) error {
	var known *failure
	var problem *client.Problem
	var foreign *client.UnexpectedAnswer
	var certificate *tls.CertificateVerificationError
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case ctx.Err() != nil && errors.Is(err, context.Canceled): // Ctrl-C
		return fail(exitError, "interrupted")
	case errors.As(err, &problem):
		return s.explainProblem(problem)
	case errors.As(err, &foreign):
		return s.explainForeign(foreign)
	case errors.As(err, &certificate):
		return fail(exitError, "the certificate of %s is not trusted (%w): check RODATA_URL; for a gateway on this "+
			"machine, run \"rodata trust\"", s.URL, certificate.Err)
	case errors.Is(err, client.ErrCut), errors.Is(err, io.ErrUnexpectedEOF):
		return fail(exitTryAgain, "the answer of %s was cut off, so that rows may be missing: try again", s.URL)
	case errors.Is(err, client.ErrSilent):
		return fail(exitTryAgain, "%s has stopped answering: try again", s.URL)
	case isUnreachable(err):
		return fail(exitTryAgain, "no gateway answers at %s (%s): start one with \"rodata sandbox\", or set "+
			"RODATA_URL to the address of yours", s.URL, cause(err))
	}

	return fail(exitError, "%w", err)
}

// isUnreachable reports whether there was no answer because the gateway could not be reached.
func isUnreachable(err error) bool {
	_, transport := errors.AsType[*url.Error](err)
	_, network := errors.AsType[net.Error](err)
	return transport || network
}

// cause returns the innermost error, in the system's words.
func cause(err error) string {
	var system *os.SyscallError
	var name *net.DNSError
	switch {
	case errors.As(err, &system):
		return system.Err.Error()
	case errors.As(err, &name):
		return "there is no host " + name.Name
	case errors.Is(err, context.DeadlineExceeded):
		return "it takes too long"
	}

	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}

	return err.Error()
}

// explainForeign explains an answer that does not come from a gateway.
func (s *session) explainForeign(f *client.UnexpectedAnswer) error {
	if f.Status >= 502 && f.Status <= 504 {
		return fail(exitTryAgain, "the gateway behind %s does not answer (%d): try again", s.URL, f.Status)
	}
	if f.Location != "" {
		return fail(exitError, "the server at %s redirects to %s: set RODATA_URL to the address of the gateway there if "+
			"you trust it", s.URL, f.Location)
	}
	return fail(exitError, "the server at %s is not a rodata gateway: set RODATA_URL to the address of yours", s.URL)
}

// explainProblem explains a problem of the gateway.
func (s *session) explainProblem(p *client.Problem) error {
	detail := sentence(p.Detail)
	switch p.Code {
	case client.CodeUnauthorized:
		if s.keyed {
			return fail(exitError, "the gateway at %s refuses the key in RODATA_KEY: it is mistyped, revoked or from "+
				"another gateway; set a valid one", s.URL)
		}
		return fail(exitError, "this needs a key: create one at %s/dashboard/keys, and set RODATA_KEY to it", s.URL)
	case client.CodeQuotaExhausted:
		return fail(exitError, "there are not enough credits: %s", detail)
	case client.CodeRateLimited:
		return fail(exitTryAgain, "the limit is reached: %s%s", detail, s.retryHint(p))
	case client.CodeNotFound, client.CodeCAENCodeReplaced:
		if slices.ContainsFunc(p.Errors, func(wrong client.InputError) bool { return wrong.Code == "unknown_path" }) {
			return fail(exitError, "the gateway at %s does not know this operation: it is of another version, or "+
				"RODATA_URL has a wrong path", s.URL)
		}
		return fail(exitNotFound, "%s", detail)
	case client.CodeInvalidRequest:
		return fail(usageOf(p), "%s", detail)
	}

	if p.Status >= http.StatusBadGateway {
		return fail(exitTryAgain, "%s%s", detail, s.retryHint(p))
	}

	return fail(exitError, "%s", detail)
}

// retryHint returns a text about when to retry. Without a key, it also explains the benefits of a key.
func (s *session) retryHint(p *client.Problem) (text string) {
	if p.RetryAfter > 0 && !strings.Contains(p.Detail, "try again in") {
		text = fmt.Sprintf("; wait %s", p.RetryAfter.Round(time.Second))
	}
	if p.Code == client.CodeRateLimited && !s.keyed {
		text += "; a key in RODATA_KEY raises the limit"
	}
	return text
}

// subjects are the parameters that identify a company, code or currency.
var subjects = []string{"cui", "taxId", "id", "vatNumber", "vatNumbers", "code", "q"}

// usageOf returns the exit code of an invalid request, which is either wrong usage or an invalid identifier.
func usageOf(p *client.Problem) int {
	for _, wrong := range p.Errors {
		if !slices.Contains(subjects, wrong.Parameter) {
			return exitUsage
		}
	}

	return exitNotFound
}

// sentence returns a problem's detail in the terms of the command line.
func sentence(detail string) string {
	return strings.NewReplacer(
		"search_companies (GET /v1/companies?q=...)", `"rodata search <name>"`,
		"convert_currency (GET /v1/fx-rates/convert)", `"rodata fx <currency> --convert <amount>"`,
		"search_caen_codes (GET /v1/caen-codes?q=...)", `"rodata caen <activity>"`,
		". get_usage (GET /v1/usage) shows what was used; ", "; ",
		" (GET /v1/plans)", "",
		"; search_cities lists places", "",
	).Replace(detail)
}
