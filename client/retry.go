package client

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// waiting is the value of a Retry-After header.
type waiting struct {
	time  time.Duration
	given bool
}

// retryAfter parses Retry-After: seconds, or a date (RFC 9110, section 10.2.3).
func retryAfter(h http.Header) waiting {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return waiting{time.Duration(seconds) * time.Second, true}
	}
	if at, err := http.ParseTime(text); err == nil {
		return waiting{max(time.Until(at), 0), true}
	}

	return waiting{}
}

// retrying repeats an attempt while the gateway asks for retries, within the client's limits and the context's
// deadline. It returns the last error.
func (c *Client) retrying(ctx context.Context, attempt func() error) error {
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

// advice returns the pause before a retry, and whether the gateway asks for one.
func advice(err error) (wait time.Duration, again bool) {
	status, hint := 0, waiting{}
	if p := (*Problem)(nil); errors.As(err, &p) {
		status, hint = p.Status, waiting{p.RetryAfter, p.RetryAfter > 0}
	}
	if u := (*UnexpectedAnswer)(nil); errors.As(err, &u) {
		status, hint = u.Status, u.retryAfter
	}

	return hint.time, hint.given && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable)
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
