package mcp

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// The context behaves like one from context.WithTimeout, both for callers that wait for it and for callers that only
// check it.
func TestDeadline(t *testing.T) {
	ways := map[string]func(context.Context, time.Duration) (context.Context, func()){
		"ours": func(parent context.Context, d time.Duration) (context.Context, func()) {
			ctx := withTimeout(parent, d)
			return ctx, ctx.stop
		},
		"the standard library's": func(parent context.Context, d time.Duration) (context.Context, func()) {
			ctx, stop := context.WithTimeout(parent, d)
			return ctx, stop
		},
	}
	type key struct{}
	for name, with := range ways {
		for _, waits := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				open := func(parent context.Context) (ctx, derived context.Context, stop func()) {
					ctx, stop = with(context.WithValue(parent, key{}, "value"), time.Second)
					if waits {
						var end context.CancelFunc
						derived, end = context.WithCancel(ctx)
						t.Cleanup(end)
					} else {
						derived = ctx
					}

					return ctx, derived, stop
				}
				check := func(when string, ctx context.Context, want error) {
					t.Helper()
					synctest.Wait()
					if err := ctx.Err(); !errors.Is(err, want) || (want == nil) != (err == nil) {
						t.Errorf("%s, waits %v, %s: Err is %v, want %v", name, waits, when, err, want)
					}

					select {
					case <-ctx.Done():
						if want == nil {
							t.Errorf("%s, waits %v, %s: it is done", name, waits, when)
						}
					default:
						if want != nil {
							t.Errorf("%s, waits %v, %s: it is not done", name, waits, when)
						}
					}

					if cause := context.Cause(ctx); !errors.Is(cause, want) {
						t.Errorf("%s, waits %v, %s: the cause is %v", name, waits, when, cause)
					}
				}

				began := time.Now()
				ctx, derived, stop := open(t.Context())
				if at, ok := ctx.Deadline(); !ok || !at.Equal(began.Add(time.Second)) || ctx.Value(key{}) != "value" {
					t.Errorf("%s: deadline %v, value %v", name, at, ctx.Value(key{}))
				}

				time.Sleep(time.Second - 1)
				if waits {
					check("before the deadline", derived, nil)
				}

				time.Sleep(time.Nanosecond)
				check("after the deadline", derived, context.DeadlineExceeded)
				stop()

				_, derived, stop = open(t.Context())
				stop()
				check("once stopped", derived, context.Canceled)

				parent, cancel := context.WithCancelCause(t.Context())
				_, derived, stop = open(parent)
				cause := errors.New("the client has disconnected")
				cancel(cause)
				synctest.Wait()
				if derived.Err() != context.Canceled || context.Cause(derived) != cause {
					t.Errorf("%s: after its parent: %v because of %v", name, derived.Err(), context.Cause(derived))
				}

				stop()

				sooner, end := context.WithTimeout(t.Context(), time.Millisecond)
				defer end()
				ctx, _, stop = open(sooner)
				if at, _ := ctx.Deadline(); !at.Equal(time.Now().Add(time.Millisecond)) {
					t.Errorf("%s: the deadline is not the parent's earlier one: %v", name, at)
				}

				stop()
			})
		}
	}
}
