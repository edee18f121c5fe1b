package auth

import (
	"context"
	"net/netip"
	"time"

	"github.com/rodata/rodata/metering"
)

// The number of password attempts for one account: a burst, and then a slow rate that is useless for guessing. Each
// network from which the user has signed in has its own pair of buckets, and all other networks share one pair. So a
// stranger's guesses never delay the user at home.
var (
	freeAttempts = metering.Rate{N: 10, Per: time.Hour}
	slowAttempts = metering.Rate{N: 1, Per: 15 * time.Second}
)

// attempt is a password attempt for an account. It is counted before the password is checked.
type attempt struct {
	auth       *Auth
	free, slow metering.BucketID
}

// admitAttempt counts an attempt at the password of an address. User is the owner's id, or empty for an address without
// an account; both get the same response.
func (a *Auth) admitAttempt(x *exchange, email, user string) (*attempt, error) {
	ctx, network := x.r.Context(), x.network()
	known, err := a.Store.KnowsNetwork(ctx, user, a.networkHash(user, network))
	if err != nil {
		return nil, err
	}
	if !known {
		network = netip.Prefix{}
	}

	what := a.counter("guesses of " + email)
	g := &attempt{a, metering.Named("auth free "+what, network), metering.Named("auth slow "+what, network)}
	if a.take(ctx, g.free, freeAttempts) == 0 {
		return g, nil
	}
	if wait := a.take(ctx, g.slow, slowAttempts); wait > 0 {
		return nil, tooMany(wait)
	}

	return g, nil
}

// succeeded records that the password was correct: earlier failures no longer count.
func (g *attempt) succeeded(ctx context.Context) {
	g.auth.forget(ctx, g.free)
	g.auth.forget(ctx, g.slow)
}

// networkHash returns the hash under which the store keeps a known network of a user.
func (a *Auth) networkHash(user string, network netip.Prefix) []byte {
	return a.hash(forNetwork, user+" "+network.String())
}
