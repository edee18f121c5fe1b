package cache

import (
	"context"
	"errors"
)

// interestKey is the context key of a fetch's *interest.
type interestKey struct{}

// interest says who wants the result of a fetch. A fetch that started for a caller
// has an abandoned channel; one that started in the background has a reason and an
// attended channel.
type interest struct {
	reason    string
	attended  chan struct{} // closed when the first caller starts waiting
	abandoned chan struct{} // closed when the last caller stops waiting
}

// The reasons why a background fetch starts.
const (
	late     = "late"     // an entry is served stale
	expected = "expected" // a missing key will probably be asked for
	early    = "early"    // a popular entry is about to expire
)

// ErrPutOff is the error, for errors.Is, of a fetch that was dropped before the
// registry was asked: a background fetch for which there was no capacity, or one
// whose last caller left. A caller who started waiting meanwhile gets another fetch
// instead of this error.
var ErrPutOff = errors.New("dropped: nobody waits for it")

// Background reports whether nobody waits for a fetch with this context, so that a
// registry's client can give it low priority. It becomes false when a caller starts
// waiting: see [Attended].
func Background(ctx context.Context) bool { return reason(ctx) != "" }

// Attended is closed when the first caller starts waiting for a background fetch,
// which has normal priority from then on. It is nil for a fetch that started for a
// caller.
func Attended(ctx context.Context) <-chan struct{} {
	if i, ok := ctx.Value(interestKey{}).(*interest); ok {
		return i.attended
	}
	return nil
}

// Abandoned is closed when the last caller has stopped waiting. A fetch that is still
// queued must then fail with [ErrPutOff]. A request on the wire is finished and its
// answer stored, since it has already cost the registry's ration. It is nil for a
// background fetch, and for one that continues without callers ([ErrUnattended]).
func Abandoned(ctx context.Context) <-chan struct{} {
	if i, ok := ctx.Value(interestKey{}).(*interest); ok {
		return i.abandoned
	}
	return nil
}

// reason is why a background fetch started; empty when a caller waits for it.
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
