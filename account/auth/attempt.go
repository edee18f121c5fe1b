package auth

import (
	"context"
	"net/netip"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
)

// The rates of password attempts for one account: a burst, and then a slow rate that is useless for guessing. Each
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
	t := &attempt{a, metering.Named("auth free "+what, network), metering.Named("auth slow "+what, network)}
	if a.takeToken(ctx, t.free, freeAttempts) == 0 {
		return t, nil
	}
	if wait := a.takeToken(ctx, t.slow, slowAttempts); wait > 0 {
		return nil, tooMany(wait)
	}

	return t, nil
}

// recordSuccess records that the password was correct: earlier failures no longer count.
func (t *attempt) recordSuccess(ctx context.Context) {
	t.auth.forget(ctx, t.free)
	t.auth.forget(ctx, t.slow)
}

func (a *Auth) checkCurrentPassword(x *exchange, u account.User, password string) error {
	_, hash, err := a.Store.UserByEmail(x.r.Context(), u.Email)
	if err != nil {
		return err
	}
	if hash == "" {
		return errNoPassword
	}

	attempt, err := a.admitAttempt(x, u.Email, u.ID)
	if err != nil {
		return err
	}

	checked, err := a.passwords.Check(x.r.Context(), hash, password, a.salt(u.Email, hash), nil)
	if err != nil {
		return err
	}
	if !checked.Correct {
		return errWrongPassword
	}

	attempt.recordSuccess(x.r.Context())
	return nil
}

// networkHash returns the hash under which the store keeps a known network of a user.
func (a *Auth) networkHash(user string, network netip.Prefix) []byte {
	return a.hash(forNetwork, user+" "+network.String())
}
