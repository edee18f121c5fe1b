package op

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/op/problem"
)

// Failure is a failed request to a registry. Callers see its kind and the registry's name; the cause is logged.
type Failure struct {
	// Registry is the short name of the registry: anaf, onrc, bnr, vies.
	Registry string
	// Part is the name of the failed part of the registry, such as a member state; empty for the whole registry.
	Part string
	Kind FailureKind
	// RetryAfter is the time until the registry may be queried again; 0 if unknown.
	RetryAfter time.Duration
	// Err is the cause.
	Err error
}

// FailureKind is the way in which a registry failed.
type FailureKind int

// The kinds of failures.
const (
	// Broken: the connection failed, or the response was malformed.
	Broken FailureKind = iota
	// TimedOut: no response within the deadline.
	TimedOut
	// Closed: no request was sent, because the breaker is open or the queue is full.
	Closed
)

func (f *Failure) Error() string { return f.Registry + ": " + f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// symptom describes a Broken failure to a caller.
func (f *Failure) symptom() string {
	network, isNetwork := errors.AsType[*net.OpError](f.Err)
	switch {
	case errors.Is(f.Err, syscall.ECONNREFUSED):
		return "could not be reached: it refused the connection"
	case isNetwork && network.Op == "dial":
		return "could not be reached: the connection failed"
	case errors.Is(f.Err, syscall.ECONNRESET), errors.Is(f.Err, io.EOF), errors.Is(f.Err, io.ErrUnexpectedEOF):
		return "closed the connection before it had answered"
	}

	return "answered with an error"
}

// ErrUnknown means that the registry answered that it does not know the key. This is an answer, not a failure.
var ErrUnknown = errors.New("not known to the registry")

// registryTitles are the display names of the registries.
var registryTitles = map[string]string{
	"anaf": "the tax authority (ANAF)",
	"onrc": "the trade register (ONRC)",
	"bnr":  "the central bank (BNR)",
	"vies": "VIES",

	"anaf-efactura":   "the RO e-Factura register (ANAF)",
	"anaf-farmers":    "the register of farmers (ANAF)",
	"anaf-nonprofits": "the register of non-profits (ANAF)",
}

// Title returns the registry's display name, with the failed part.
func (f *Failure) Title() string {
	title := cmp.Or(registryTitles[f.Registry], f.Registry)
	if f.Part != "" {
		return "the register of " + f.Part + ", asked through " + title + ","
	}
	return title
}

// ProblemOf maps errors to problems. It reports false for an unknown error, which is an internal one.
func ProblemOf(err error) (*problem.Problem, bool) {
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p, true
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.problem(), true
	}

	switch {
	case errors.Is(err, account.ErrStoreDown):
		return StoreDown("accounts cannot be read or changed right now; try again shortly"), true
	case errors.Is(err, account.ErrNoAccount), errors.Is(err, account.ErrUnknownKey):
		return problem.Unauthorized.New("the account was closed or the key revoked during the call"), true
	case errors.Is(err, context.DeadlineExceeded):
		return problem.UpstreamTimeout.New("the answer was not ready in time; try again in a minute"), true
	case errors.Is(err, context.Canceled), errors.Is(err, ErrCallerGone):
		return callerGone.New("the caller did not wait for the answer"), true
	}

	return nil, false
}

// StoreProblem turns an error of a store into a problem: unknown if the caller has no such thing, and otherwise that
// the store is down, which down explains.
func StoreProblem(ctx context.Context, err error, unknown func() *problem.Problem, down string) error {
	if _, isProblem := errors.AsType[*problem.Problem](err); err == nil || ctx.Err() != nil || isProblem {
		return err
	}
	if errors.Is(err, ErrUnknown) {
		return unknown()
	}

	return errors.Join(StoreDown(down), err)
}

func (f *Failure) problem() *problem.Problem {
	switch f.Kind {
	case TimedOut:
		return problem.UpstreamTimeout.New("%s did not answer in time; try again in a minute", f.Title()).
			After(f.RetryAfter)
	case Closed:
		return problem.Unavailable.New("%s cannot be queried right now; try again later", f.Title()).
			After(max(f.RetryAfter, time.Second))
	}

	return problem.UpstreamError.New("%s %s; try again in a minute", f.Title(), f.symptom()).After(f.RetryAfter)
}

// ErrCallerGone is the error of a RowWriter if its client has disconnected.
var ErrCallerGone = errors.New("the caller has gone")

// callerGone appears only in logs and metrics, for calls that the client abandoned by disconnecting. Web servers log
// them with the status 499.
var callerGone = &problem.Kind{Slug: "unavailable", Status: 499, Title: "Caller gone"}

// Panicked logs a panic that a channel has recovered, and returns the problem that answers the request; nil without a
// panic. Once an answer has begun, it aborts the connection instead, so that the client notices.
func Panicked(cause any, began bool, r *http.Request, log *slog.Logger, path string) *problem.Problem {
	switch cause {
	case nil:
		return nil
	case http.ErrAbortHandler:
		panic(cause)
	}

	p := InternalError(r, log, panics.Error(cause), slog.String("path", path))
	if began {
		panic(http.ErrAbortHandler)
	}

	return p
}

// InternalError logs an internal error of a channel, and returns the problem that answers the request.
func InternalError(r *http.Request, log *slog.Logger, err error, about ...slog.Attr) *problem.Problem {
	return InternalProblem(r.Context(), log, err, append(about, slog.String("request_id", RequestID(r.Header)))...)
}

// InternalProblem logs an internal error of the service. The problem refers to the log entry; only the log has the
// cause.
func InternalProblem(ctx context.Context, log *slog.Logger, err error, about ...slog.Attr) *problem.Problem {
	id := rand.Text()
	log.LogAttrs(ctx, slog.LevelError, "internal error",
		append(about, slog.String("id", id), slog.Any("error", err))...)

	p := problem.Internal.New("an internal error occurred; it is logged under the id %s", id)
	p.ID = id
	return p
}
