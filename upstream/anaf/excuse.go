package anaf

import (
	"context"
	"errors"
	"fmt"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/upstream"
)

type excusedKey struct{}

// WithExcuse marks the context of a probe that follows a successful call. The registry works, so a failure of the probe
// does not count against it.
func WithExcuse(ctx context.Context) context.Context {
	return context.WithValue(ctx, excusedKey{}, true)
}

// Excuse turns the failure of such a probe into a rejection, which the breaker does not count.
func Excuse(ctx context.Context, err error) error {
	if ctx.Value(excusedKey{}) == nil || !Blames(err) {
		return err
	}
	return broken(fmt.Errorf("%w: %w", upstream.ErrRejected, err))
}

// Blames reports whether the requested numbers may have caused a failure: the response was malformed, or the connection
// broke.
func Blames(err error) bool {
	f, ok := errors.AsType[*op.Failure](err)
	return ok && f.Kind == op.Broken && !errors.Is(err, context.Canceled) && !errors.Is(err, errShape)
}
