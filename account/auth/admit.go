package auth

import (
	"context"
	"net/netip"
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
)

// The rates of one address: overall, and separately for each flow that checks passwords or sends mail. The rates per
// flow are better-auth's.
var (
	overallRate     = metering.PerSecond(10, 100)
	credentialRate  = metering.Rate{N: 3, Per: 10 * time.Second}
	mailRequestRate = metering.Rate{N: 3, Per: time.Minute}
	magicLinkRate   = metering.Rate{N: 5, Per: time.Minute}
)

// admit limits the rate of calls from an address, overall and per flow. A flow with a zero limit has only the overall
// one.
func (a *Auth) admit(x *exchange, name string, limit metering.Rate) error {
	ctx, network := x.r.Context(), x.network()
	wait := a.takeToken(ctx, metering.Named("auth", network), overallRate)
	if wait == 0 && limit.N > 0 {
		wait = a.takeToken(ctx, metering.Named("auth "+name, network), limit)
	}
	if wait > 0 {
		return tooMany(wait)
	}

	return nil
}

func tooMany(wait time.Duration) *problem.Problem {
	return failure(problem.RateLimited, "TOO_MANY_REQUESTS", "Too many requests. Please try again later.", "").
		After(wait)
}

func (x *exchange) network() netip.Prefix {
	return metering.AddressBucket(x.auth.Address(x.r)).Network
}

// takeToken takes a token from a bucket, and returns how long to wait if there is none. A fleet's processes share the
// bucket.
func (a *Auth) takeToken(ctx context.Context, id metering.BucketID, r metering.Rate) (wait time.Duration) {
	if a.Fleet != nil {
		return a.Fleet.Take(ctx, id, r).RetryAfter
	}
	return a.Buckets.Take(id, r).RetryAfter
}

func (a *Auth) forget(ctx context.Context, id metering.BucketID) {
	if a.Fleet != nil {
		a.Fleet.Forget(ctx, id)
		return
	}

	a.Buckets.Forget(id)
}
