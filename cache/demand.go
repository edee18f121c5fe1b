package cache

import (
	"context"
	"errors"
)

// Loader fetches a key that the cache does not have. The demand describes who wants the result, so that a registry's
// client can prioritise its requests.
type Loader[K, V any] func(ctx context.Context, key K, d Demand) (V, error)

// Plain returns a loader that ignores the demand.
func Plain[K, V any](fetch func(context.Context, K) (V, error)) Loader[K, V] {
	return func(ctx context.Context, key K, _ Demand) (V, error) { return fetch(ctx, key) }
}

// Urgency is the priority of a fetch.
type Urgency int

// The levels of urgency.
const (
	// Interactive fetches have a waiting caller.
	Interactive Urgency = iota
	// Background fetches have no waiting caller: a stale entry is served meanwhile, or a missing key will probably be
	// requested.
	Background
	// Ahead fetches refresh a popular entry that is still fresh. They must not delay anything else: a registry's client
	// performs them with spare capacity, or fails them with [ErrPutOff].
	Ahead
)

// ErrPutOff is the error, for errors.Is, of a fetch that was dropped before the registry was queried: a background
// fetch without capacity, or one whose last caller left. A caller who started waiting meanwhile gets another fetch
// instead of this error.
var ErrPutOff = errors.New("dropped: no caller waits for it")

// Demand describes who wants the result of a fetch. The zero value is a caller who waits until the fetch ends.
type Demand struct {
	began     Urgency
	attended  chan struct{} // of fetches that start in the background
	abandoned chan struct{} // of fetches that start for a caller
}

func newDemand(u Urgency) Demand {
	if u == Interactive {
		return Demand{abandoned: make(chan struct{})}
	}
	return Demand{began: u, attended: make(chan struct{})}
}

// Urgency returns the current priority. It becomes Interactive when a caller starts waiting: see [Demand.Attended].
func (d Demand) Urgency() Urgency {
	select {
	case <-d.attended:
		return Interactive
	default:
		return d.began
	}
}

// Attended is closed when the first caller starts waiting for a fetch that started in the background. It is nil for a
// fetch that started for a caller.
func (d Demand) Attended() <-chan struct{} { return d.attended }

// Abandoned is closed when the last caller has stopped waiting. A fetch that is still queued must then fail with
// [ErrPutOff]. A request on the wire is finished and its answer stored, since it has already cost the registry's
// ration. It is nil for a fetch that started in the background, and it stays open for one that continues without
// callers ([ErrUnattended]).
func (d Demand) Abandoned() <-chan struct{} { return d.abandoned }
