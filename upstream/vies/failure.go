package vies

import (
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/api/vat"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

const (
	// busyPause and downPause are suggested to callers as Retry-After. Users of VIES report that half a minute to a
	// minute ends a rejection for too many questions.
	busyPause = 30 * time.Second
	downPause = time.Minute
	// blockedPause is the Retry-After of a block, which only the Commission can lift.
	blockedPause = 5 * time.Minute
)

// cause is the reason why a number could not be checked.
type cause struct {
	reason vat.Reason
	code   string // of VIES
	again  bool   // a retry within seconds may help
	// everywhere is true if the cause concerns all states.
	everywhere bool
}

func (c *cause) Error() string { return "VIES answered " + c.code }

// breakerCause is the failure that opened a state's breaker: the reason why the state is not queried.
type breakerCause struct{ notAsked, because error }

func (l *breakerCause) Error() string { return l.notAsked.Error() + ": " + l.because.Error() }

func (l *breakerCause) Unwrap() []error { return []error{l.notAsked, l.because} }

// failureOf converts an error code of VIES. An unknown code is a failure.
func failureOf(state ro.MemberState, code string) error {
	c := &cause{code: fmt.Sprintf("%.60q", code)}
	f := &op.Failure{Registry: Name, Part: state.Name(), Kind: op.Closed, Err: c}
	switch code {
	case "INVALID_INPUT":
		return fmt.Errorf("%w: %w", upstream.ErrRejected, vat.ErrNumberRefused)
	case "INVALID_REQUESTER_INFO":
		return fmt.Errorf("%w: %w", upstream.ErrRejected, vat.ErrRequesterRefused)
	case "MS_UNAVAILABLE":
		c.reason, c.again, f.RetryAfter = vat.MemberStateUnavailable, true, downPause
	case "TIMEOUT":
		c.reason, c.again, f.RetryAfter, f.Kind = vat.Timeout, true, downPause, op.TimedOut
	case "SERVICE_UNAVAILABLE":
		c.reason, c.again, f.RetryAfter, f.Part = vat.VIESUnavailable, true, downPause, ""
		c.everywhere = true
	case "MS_MAX_CONCURRENT_REQ", "MS_MAX_CONCURRENT_REQ_TIME":
		c.reason, c.again, f.RetryAfter = vat.VIESBusy, true, busyPause
	case "GLOBAL_MAX_CONCURRENT_REQ", "GLOBAL_MAX_CONCURRENT_REQ_TIME":
		c.reason, c.again, f.RetryAfter, f.Part = vat.VIESBusy, true, busyPause, ""
		c.everywhere = true
	case "VAT_BLOCKED", "IP_BLOCKED":
		c.reason, f.RetryAfter, f.Part = vat.VIESBlocked, blockedPause, ""
		c.everywhere = code == "IP_BLOCKED"
	default:
		c.reason, f.Kind, f.RetryAfter = vat.OtherError, op.Broken, downPause
	}

	return f
}

// broken returns the failure of a malformed answer.
func broken(state ro.MemberState, err error) error {
	return &op.Failure{Registry: Name, Part: state.Name(), Kind: op.Broken, RetryAfter: downPause, Err: err}
}

// ofState adds the state to a failure of the connection or of the breaker.
func ofState(state ro.MemberState, err error) error {
	f, ok := errors.AsType[*op.Failure](err)
	if !ok || f.Part != "" {
		return err
	}

	named := *f
	named.Part = state.Name()
	if named.RetryAfter == 0 {
		named.RetryAfter = busyPause
	}

	return &named
}

// reasonOf returns the reason why a number could not be checked.
func reasonOf(err error) vat.Reason {
	if left, ok := errors.AsType[*breakerCause](err); ok {
		return reasonOf(left.because)
	}
	if c, ok := errors.AsType[*cause](err); ok {
		return c.reason
	}

	f, ok := errors.AsType[*op.Failure](err)
	switch {
	case errors.Is(err, errFull):
		return vat.QueueFull
	case errors.Is(err, upstream.ErrNotSent):
		return vat.MemberStateUnavailable
	case ok && f.Kind == op.TimedOut:
		return vat.Timeout
	case ok && f.Kind == op.Closed:
		return vat.VIESBusy
	}

	return vat.OtherError
}

// isBusy reports whether VIES or the state has too many concurrent questions, which does not mean that it is down.
func isBusy(err error) bool {
	c, ok := errors.AsType[*cause](err)
	return ok && c.reason == vat.VIESBusy
}

// mayHelp reports whether a retry within seconds may help. It does not while the breaker is open, whatever opened it.
func mayHelp(err error) bool {
	if errors.Is(err, upstream.ErrNotSent) {
		return false
	}
	if c, ok := errors.AsType[*cause](err); ok {
		return c.again
	}
	return errors.Is(err, upstream.ErrConnection)
}
