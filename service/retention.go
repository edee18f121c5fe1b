package service

import (
	"context"
	"time"

	"github.com/rodata/rodata/api"
)

const (
	expireEvery = time.Hour
	// Events are deleted in steps; others can write in between.
	expiredAtOnce = 500
	expirePause   = 100 * time.Millisecond
)

// expire deletes expired events until the context ends. The edges of a fleet may all do so.
func (w *watching) expire(ctx context.Context) {
	for {
		wait := expirePause
		n, err := w.store.DeleteEvents(ctx, time.Now().Add(-api.EventRetention), expiredAtOnce)
		if err != nil && ctx.Err() == nil {
			w.log.Error("deleting old events failed; retrying in an hour", "error", err)
		}
		if n < expiredAtOnce {
			wait = expireEvery
		}

		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}
