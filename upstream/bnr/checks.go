package bnr

import (
	"errors"
	"time"

	"github.com/rodata/rodata/api"
)

// checks is what is known of the checks for the latest fixing.
type checks struct {
	asked    time.Time // the last that succeeded
	seen     api.Date  // the fixing that it found
	mark     mark      // of the edition that it found
	failures int       // in a row, since
	retryAt  time.Time // the bank is left alone until then
	err      error     // of the last, when it failed
}

func (c *checks) succeeded(now time.Time, ed edition) {
	c.asked, c.mark = now, ed.mark
	c.failures, c.retryAt, c.err = 0, time.Time{}, nil
	if n := len(ed.fixings); n > 0 {
		c.seen = ed.fixings[n-1].Date
	}
}

// resting says whether the bank is left alone after a failure. A rest that is
// longer than any can be is one that the clock was set back over.
func (c *checks) resting(now time.Time) bool {
	return now.Before(c.retryAt) && c.retryAt.Sub(now) <= maxRetry
}

// reason is why there is no fixing at all.
func (c *checks) reason() error {
	if c.err != nil {
		return c.err
	}
	return &api.Failure{Registry: name, Kind: api.Closed, Err: errors.New("no fixing has been fetched yet")}
}

func (r *Registry) dayMark() mark {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.checks.mark
}

func (r *Registry) checkFailed(err error) {
	r.mu.Lock()
	news := r.checks.err == nil || r.checks.err.Error() != err.Error()
	r.checks.err = err
	r.checks.failures++
	r.checks.retryAt = nextRetry(r.now(), r.checks.failures, r.archive.newest(), r.jitter)
	r.mu.Unlock()
	if news { // the same failure every half minute is no news
		r.o.Logger.Warn("checking for the latest fixing failed", "registry", name, "error", err)
	}
}

// due is when the bank is next to be asked, while the lock is held; the zero
// time when it never was. If it was asked later than now, the clock was set back
// since: then it is due at once, and not only when the clock is there again.
func (r *Registry) due(now time.Time) time.Time {
	switch asked := r.checks.asked; {
	case asked.IsZero():
		return time.Time{}
	case asked.After(now):
		return now
	default:
		return nextCheck(asked, r.archive.newest(), r.jitter)
	}
}
