package anaf

import (
	"context"
	"fmt"

	"github.com/rodata/rodata/upstream"
)

type excusedKey struct{}

// withExcuse marks the context of a probe that follows a successful call. The registry works, so a failure of the probe
// does not count against it.
func withExcuse(ctx context.Context) context.Context {
	return context.WithValue(ctx, excusedKey{}, true)
}

// excuse turns the failure of such a probe into a rejection, which the breaker does not count.
func excuse(ctx context.Context, err error) error {
	if ctx.Value(excusedKey{}) == nil || !blames(err) {
		return err
	}
	return broken(fmt.Errorf("%w: %w", upstream.ErrRejected, err))
}
