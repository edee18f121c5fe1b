package auth

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"time"
)

// How many passwords can be tried for one account: some at once, and then one at a
// time, which is no guess for anybody who has only guesses. Each is for all networks
// together from which the user has not signed in, and for each one from which they
// have: so whoever tries from elsewhere delays strangers, and never the user at home.
var (
	freeGuesses = rule{10, time.Hour}
	slowGuesses = rule{1, 15 * time.Second}
)

// guess is somebody's try at the password of an account, which is counted before it is
// checked.
type guess struct {
	auth    *Auth
	what    string
	network netip.Prefix // invalid for all that the user is not known from
}

// admitGuess counts a try at the password of who has an address. The id is that of the
// user, empty for nobody, who is answered alike.
func (a *Auth) admitGuess(x *exchange, email, user string) (*guess, error) {
	ctx, network := x.r.Context(), x.network()
	sum := a.networkOf(user, network)
	known, err := a.Store.KnowsNetwork(ctx, user, sum[:])
	if err != nil {
		return nil, err
	}
	if !known {
		network = netip.Prefix{}
	}
	g := &guess{a, a.counter("guesses of " + email), network}
	if a.take(ctx, freeGuesses, "free "+g.what, g.network) == 0 {
		return g, nil
	}
	if wait := a.take(ctx, slowGuesses, "slow "+g.what, g.network); wait > 0 {
		return nil, tooMany(wait)
	}
	return g, nil
}

// right says that the guess was the user's, whose mistakes are forgotten.
func (g *guess) right(ctx context.Context) {
	for _, what := range []string{"free " + g.what, "slow " + g.what} {
		for _, s := range (rule{}).scopes(g.network) {
			g.auth.Limits.forget(what, s.network)
			if g.auth.Fleet != nil {
				g.auth.Fleet.Forget(ctx, fleetName(what, s.network)) // while it is away, nobody counts there
			}
		}
	}
}

// networkOf is the hash by which the store knows a network of a user's.
func (a *Auth) networkOf(user string, network netip.Prefix) [sha256.Size]byte {
	return a.hash(forNetwork, user+" "+network.String())
}
