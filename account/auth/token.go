package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
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
	forNonce    = "nonce"      // what the provider's id token is bound to
	forCookie   = "cookie\x00" // with the cookie's name
)

// lifetimes are how long links work.
var lifetimes = map[string]time.Duration{
	forEmail: time.Hour, forChange: time.Hour, forReset: time.Hour, forMagic: 5 * time.Minute, forDeletion: 24 * time.Hour, forState: 10 * time.Minute,
	forTry: 10 * 365 * 24 * time.Hour, // as a user stays who never verifies their address
}

// maxLetters is how many links for one purpose, that still work, one person is
// sent: nobody's mailbox can be filled with them.
const maxLetters = 5

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

// issue makes a token and keeps what it allows. It is empty when the subject has
// been sent enough of them.
func (a *Auth) issue(ctx context.Context, purpose, subject, value string) (token string, err error) {
	if purpose != forState {
		n, err := a.Store.CountVerifications(ctx, purpose, subject)
		if err != nil || n >= maxLetters {
			return "", err
		}
	}
	token = rand.Text()
	sum := a.hash(purpose, token)
	return token, a.Store.CreateVerification(ctx, account.Verification{
		Purpose: purpose, Subject: subject, Value: value, ExpiresAt: time.Now().Add(lifetimes[purpose]),
	}, sum[:])
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
