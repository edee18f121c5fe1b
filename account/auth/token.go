package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"time"

	"github.com/rodata/rodata/account"
)

// What tokens are for. Hashes of one purpose are worth nothing for another.
const (
	forSession  = "session"
	forEmail    = "email"      // to show that an address is one's own
	forChange   = "change"     // to have another address replace one's own
	forReset    = "reset"      // to set a new password
	forMagic    = "magic"      // to sign in
	forDeletion = "deletion"   // to delete oneself
	forState    = "state"      // to come back from a provider
	forVerifier = "pkce"       // what the provider's code is bound to
	forTry      = "try"        // nothing: it keeps a password with which somebody tried to sign up
	forSalt     = "salt"       // what an address's passwords are hashed with
	forCounter  = "counter"    // nothing: it names what is counted by the day
	forNetwork  = "network"    // nothing: it names a network from which a user signs in
	forNonce    = "nonce"      // what the provider's id token is bound to
	forCookie   = "cookie\x00" // with the cookie's name
)

// lifetimes are how long links work.
var lifetimes = map[string]time.Duration{
	forEmail: time.Hour, forChange: time.Hour, forReset: time.Hour, forMagic: 5 * time.Minute, forDeletion: 24 * time.Hour, forState: 10 * time.Minute,
	forTry: 10 * 365 * 24 * time.Hour, // as a user stays who never verifies their address
}

// Nobody's mailbox can be filled with links.
const (
	// maxLetters bounds the unexpired links that a person has for one purpose.
	maxLetters = 5
	// dailyLetters bounds the links mailed to an address per day (UTC), of all purposes
	// together.
	dailyLetters = 20
)

// letterTo bounds the links that are mailed to an address.
func (a *Auth) letterTo(email string) account.Bound {
	return account.Bound{Live: maxLetters, Counter: a.counter("letters to " + email), Daily: dailyLetters}
}

// counter is the name under which the store counts something by the day.
func (a *Auth) counter(what string) string {
	sum := a.hash(forCounter, what)
	return hex.EncodeToString(sum[:])
}

// hash is what is kept of a token: its HMAC-SHA-256 under the secret.
func (a *Auth) hash(purpose, token string) (sum [sha256.Size]byte) {
	mac := hmac.New(sha256.New, a.Secret)
	mac.Write([]byte("auth " + purpose + "\x00" + token))
	mac.Sum(sum[:0])
	return sum
}

// derive is a further secret that belongs to a token, and need not be kept.
func (a *Auth) derive(purpose, token string) string {
	sum := a.hash(purpose, token)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// issue makes a token and keeps what it allows. It is empty when the bound refuses it.
func (a *Auth) issue(ctx context.Context, purpose, subject, value string, bound account.Bound) (token string, err error) {
	token = rand.Text()
	sum := a.hash(purpose, token)
	err = a.Store.CreateVerification(ctx, account.Verification{
		Purpose: purpose, Subject: subject, Value: value, ExpiresAt: time.Now().Add(lifetimes[purpose]),
	}, sum[:], bound)
	if errors.Is(err, account.ErrTooMany) {
		return "", nil
	}
	return token, err
}

// use uses up a token. The error is errInvalidToken when it is unknown, used or
// expired.
func (a *Auth) use(ctx context.Context, purpose, token string) (account.Verification, error) {
	sum := a.hash(purpose, token)
	v, err := a.Store.UseVerification(ctx, purpose, sum[:])
	if errors.Is(err, account.ErrNoVerification) {
		err = errInvalidToken
	}
	return v, err
}

// look finds out about a token without using it. The error is errInvalidToken when
// it is unknown.
func (a *Auth) look(ctx context.Context, purpose, token string) (account.Verification, error) {
	sum := a.hash(purpose, token)
	v, err := a.Store.Verification(ctx, purpose, sum[:])
	if errors.Is(err, account.ErrNoVerification) {
		err = errInvalidToken
	}
	return v, err
}

func expired(v account.Verification) bool { return !time.Now().Before(v.ExpiresAt) }
