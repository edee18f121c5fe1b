package vies

import (
	"context"
	"time"

	"github.com/rodata/rodata/api/vat"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/internal/panics"
)

const (
	// linger is the time that a group waits for further results.
	linger = 10 * time.Millisecond
	// heartbeat is the interval of empty groups while nothing becomes known.
	heartbeat = 10 * time.Second
)

// CheckAll implements [vat.Numbers]. The queues of the states bound the number of concurrent questions.
func (r *Register) CheckAll(ctx context.Context, asked []vat.Question, wait time.Duration,
	each func([]vat.Found) bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, cache.ErrUnattended)
	defer cancel()
	known := make(chan vat.Found, len(asked))
	for i, q := range asked {
		go func() {
			found := vat.Found{Index: i}
			defer func() { known <- found }()
			defer panics.Recover(&found.Err, "checking ", q.Number)
			found.Answer, found.Err = r.Check(ctx, q)
		}()
	}

	for missing := len(asked); missing > 0; {
		group := gather(known, missing)
		missing -= len(group)
		if !each(group) {
			return
		}
	}
}

// gather waits for outcomes, and returns the outcomes that become known together, at most as many as are missing. After
// a heartbeat without outcomes it returns none.
func gather(known <-chan vat.Found, missing int) (group []vat.Found) {
	select {
	case found := <-known:
		group = append(group, found)
	case <-time.After(heartbeat):
		return nil
	}

	full := time.After(linger)
	for len(group) < missing {
		select {
		case found := <-known:
			group = append(group, found)
		case <-full:
			return group
		}
	}

	return group
}
