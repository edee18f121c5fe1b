package client

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// retryHint is the value of a Retry-After header.
type retryHint struct {
	wait  time.Duration
	given bool
}

// retryAfter parses Retry-After: seconds, or a date (RFC 9110, section 10.2.3).
func retryAfter(h http.Header) retryHint {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return retryHint{time.Duration(seconds) * time.Second, true}
	}
	if at, err := http.ParseTime(text); err == nil {
		return retryHint{max(time.Until(at), 0), true}
	}

	return retryHint{}
}

// withRetries repeats an attempt while the gateway requests retries, within the client's limits and the context's
// deadline. It returns the error of the last attempt.
func (c *Client) withRetries(ctx context.Context, attempt func() error) error {
	for tries := 0; ; tries++ {
		err := attempt()
		wait, again := advice(err)
		if !again || tries >= c.Retries || wait > c.MaxWait {
			return err
		}
		if deadline, bounded := ctx.Deadline(); bounded && time.Until(deadline) < wait {
			return err
		}
		if !pause(ctx, wait) {
			return err
		}
	}
}

// advice returns the pause before a retry, and whether the gateway requests one.
func advice(err error) (wait time.Duration, again bool) {
	var status int
	var hint retryHint
	if p, ok := errors.AsType[*Problem](err); ok {
		status, hint = p.Status, p.retryAfter
	} else if u, ok := errors.AsType[*UnexpectedAnswer](err); ok {
		status, hint = u.Status, u.retryAfter
	}

	return hint.wait, hint.given && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable)
}

// pause waits for a duration. It returns false if the context ends first.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
