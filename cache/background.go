package cache

import (
	"context"
	"errors"
)

// background is the context key of the *attention that a fetch gets which begins
// behind the callers' backs.
type background struct{}

// attention is why a fetch began although nobody waited for it, and whether
// somebody does by now.
type attention struct {
	why  string
	came chan struct{} // closed when a caller has come who waits
}

const (
	late     = "late"     // an entry is served past its time
	expected = "expected" // somebody will ask for what is not stored
	early    = "early"    // an entry is popular, and about to be late
)

// ErrPutOff is the error, as errors.Is sees it, of a fetch in the background that
// is not made, since others go first. A caller who has come to wait for it
// meanwhile does not get it, but another fetch.
var ErrPutOff = errors.New("put off: nobody waits for it")

// Background reports whether nobody waits for a fetch with this context, so that a
// registry's client may let others go first: it renews an entry that is still
// served, or gets what somebody may ask for. That ends when a caller comes who
// waits for the same: see [Attended].
func Background(ctx context.Context) bool { return reason(ctx) != "" }

// Attended is closed when a caller has come who waits for a fetch that began in the
// background: from then on it is as urgent as any other. It is nil for a fetch that
// began for a caller.
func Attended(ctx context.Context) <-chan struct{} {
	if a, ok := ctx.Value(background{}).(*attention); ok {
		return a.came
	}
	return nil
}

// reason is why a fetch with this context is made although nobody waits for it, ""
// when somebody does.
func reason(ctx context.Context) string {
	a, ok := ctx.Value(background{}).(*attention)
	if !ok {
		return ""
	}
	select {
	case <-a.came:
		return ""
	default:
		return a.why
	}
}
