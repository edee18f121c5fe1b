package auth

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/rodata/rodata/metering"
)

// general is how often one address may call, whatever for.
var general = metering.Rate{PerSecond: 10, Burst: 100}

// Fleet counts what addresses do for several processes at once. It may be used
// concurrently.
type Fleet interface {
	metering.Remote
	// Count counts that something is done once more, unless it was done max times
	// since it last rested for a window: then it says how long it must rest. It fails
	// soon when it cannot count, and without trying when it could not a moment ago.
	Count(ctx context.Context, name string, max int, window time.Duration) (wait time.Duration, err error)
	// Forget ends a count.
	Forget(ctx context.Context, name string) error
	// Edges is how many processes there are, at least 1.
	Edges() int
}

// admit bounds how often an address calls, all in all and for one flow.
func (a *Auth) admit(x *exchange, name string, limit rule) error {
	ctx, network := x.r.Context(), x.network()
	wait := a.takeGeneral(ctx, metering.BucketID{Account: "auth", Network: network})
	if wait == 0 && limit.max > 0 {
		wait = a.take(ctx, limit, name, network)
	}
	if wait == 0 {
		return nil
	}
	return tooMany(wait)
}

func tooMany(wait time.Duration) *refusal {
	return &refusal{status: http.StatusTooManyRequests, code: "TOO_MANY_REQUESTS",
		message: "Too many requests. Please try again later.", retry: wait}
}

// network is the one that the request comes from.
func (x *exchange) network() netip.Prefix {
	return metering.AddressBucket(x.auth.Address(x.r)).Network
}

func (a *Auth) takeGeneral(ctx context.Context, id metering.BucketID) (wait time.Duration) {
	if a.shared != nil {
		return a.shared.Take(ctx, id, general).RetryAfter
	}
	return a.Buckets.Take(id, general).RetryAfter
}

// take counts as Limits.take does, for all processes of the fleet, if there is one.
func (a *Auth) take(ctx context.Context, r rule, what string, network netip.Prefix) (wait time.Duration) {
	if a.Fleet == nil {
		return a.Limits.take(r, what, network)
	}
	for _, s := range r.scopes(network) {
		wait, err := a.Fleet.Count(ctx, fleetName(what, s.network), s.max, r.window)
		if err != nil {
			part := rule{max(r.max/a.Fleet.Edges(), 1), r.window}
			return a.Limits.take(part, what, network)
		}
		if wait > 0 {
			return wait
		}
	}
	return 0
}

// fleetName is the name of a count that a fleet keeps.
func fleetName(what string, network netip.Prefix) string {
	return "auth/" + what + "/" + network.String()
}
