package auth

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"time"

	"github.com/rodata/rodata/metering"
)

// How many passwords may be tried for one account: some at once, and then one at a
// time, which is useless to somebody who has only guesses. One pair of buckets is for
// all networks together from which the user has not signed in, and one for each from
// which they have: so a stranger's guesses never delay the user at home.
var (
	freeAttempts = metering.Rate{N: 10, Per: time.Hour}
	slowAttempts = metering.Rate{N: 1, Per: 15 * time.Second}
)

// attempt is an attempt at the password of an account, which is counted before it is
// checked.
type attempt struct {
	auth       *Auth
	free, slow metering.BucketID
}

// admitAttempt counts an attempt at the password of an address. User is the id of its
// owner, empty for an address without an account, which is answered alike.
func (a *Auth) admitAttempt(x *exchange, email, user string) (*attempt, error) {
	ctx, network := x.r.Context(), x.network()
	sum := a.networkOf(user, network)
	known, err := a.Store.KnowsNetwork(ctx, user, sum[:])
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

// right records that the password was correct: earlier mistakes are forgotten.
func (g *attempt) right(ctx context.Context) {
	g.auth.forget(ctx, g.free)
	g.auth.forget(ctx, g.slow)
}

// networkOf is the hash under which the store keeps a network of a user's.
func (a *Auth) networkOf(user string, network netip.Prefix) [sha256.Size]byte {
	return a.hash(forNetwork, user+" "+network.String())
}
