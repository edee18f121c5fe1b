package vies

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
)

const (
	// linger is the time that a group waits for further results.
	linger = 10 * time.Millisecond
	// heartbeat is the interval of empty groups while nothing becomes known.
	heartbeat = 10 * time.Second
)

// CheckAll implements [api.VATNumbers]. The queues of the states bound the number of concurrent questions.
func (r *Register) CheckAll(ctx context.Context, asked []api.VATQuestion, wait time.Duration,
	each func([]api.FoundVAT) bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, cache.ErrUnattended)
	defer cancel()
	known := make(chan api.FoundVAT, len(asked))
	for i, q := range asked {
		go func() {
			found := api.FoundVAT{Index: i}
			defer func() {
				if p := recover(); p != nil {
					found.Err = fmt.Errorf("checking %s: panic: %v", q.Number, p)
				}
				known <- found
			}()
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
func gather(known <-chan api.FoundVAT, missing int) (group []api.FoundVAT) {
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
