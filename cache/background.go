package cache

import (
	"context"
	"errors"
)

// interestKey is the context key of a fetch's *interest.
type interestKey struct{}

// interest is who wants the result of a fetch. A fetch that began for a caller has
// an abandoned channel, one that began in the background has a reason and an
// attended channel.
type interest struct {
	reason    string
	attended  chan struct{} // closed when the first caller starts waiting
	abandoned chan struct{} // closed when the last caller stops waiting
}

const (
	late     = "late"     // an entry is served past its time
	expected = "expected" // somebody will ask for what is not stored
	early    = "early"    // an entry is popular, and about to be late
)

// ErrPutOff is the error, as errors.Is sees it, of a fetch that is dropped before
// the registry is asked: in the background because others go first, or because its
// last caller left the queue. A caller who started waiting meanwhile gets another
// fetch instead of this error.
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
	if i, ok := ctx.Value(interestKey{}).(*interest); ok {
		return i.attended
	}
	return nil
}

// Abandoned is closed when the last caller of a fetch has stopped waiting. A fetch
// that still waits for its turn fails with [ErrPutOff] then; a request on the wire
// is finished, and its answer stored for the next caller: it has cost the registry
// what it costs. It is nil for a fetch that began in the background, or that is to
// go on without callers ([ErrUnattended]).
func Abandoned(ctx context.Context) <-chan struct{} {
	if i, ok := ctx.Value(interestKey{}).(*interest); ok {
		return i.abandoned
	}
	return nil
}

// reason is why a fetch with this context is made although nobody waits for it, ""
// when somebody does.
func reason(ctx context.Context) string {
	i, ok := ctx.Value(interestKey{}).(*interest)
	if !ok || i.attended == nil {
		return ""
	}
	select {
	case <-i.attended:
		return ""
	default:
		return i.reason
	}
}
