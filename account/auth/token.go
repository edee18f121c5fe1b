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

// The purposes of tokens. The purpose is part of the hash (domain separation).
const (
	forSession       = "session"
	forEmail         = "email"      // verifies an address
	forChange        = "change"     // agrees to replace the current address
	forReset         = "reset"      // sets a new password
	forMagic         = "magic"      // signs in
	forDeletion      = "deletion"   // deletes the user
	forState         = "state"      // returns from a provider (OAuth state)
	forVerifier      = "pkce"       // PKCE verifier
	forSignUpAttempt = "try"        // no token: keeps the password of a sign-up attempt
	forSalt          = "salt"       // the salt of an address's passwords
	forCounter       = "counter"    // no token: names a daily counter
	forNetwork       = "network"    // no token: names a network of a user
	forNonce         = "nonce"      // nonce of the provider's id token
	forCookie        = "cookie\x00" // with the cookie's name
)

var lifetimes = map[string]time.Duration{
	forEmail: time.Hour, forChange: time.Hour, forReset: time.Hour, forMagic: 5 * time.Minute,
	forDeletion: 24 * time.Hour, forState: 10 * time.Minute,
	forSignUpAttempt: 10 * 365 * 24 * time.Hour, // the maximum age of an unverified user
}

// Limits that keep a mailbox from being flooded with links.
const (
	// maxLinks bounds a person's unexpired links of one purpose.
	maxLinks = 5
	// dailyMails bounds the links mailed to an address per day (UTC), of all purposes together.
	dailyMails = 20
)

func (a *Auth) mailBound(email string) account.Bound {
	return account.Bound{Live: maxLinks, Counter: a.counter("letters to " + email), Daily: dailyMails}
}

// counter names a daily counter in the store, without revealing what it counts.
func (a *Auth) counter(what string) string {
	return hex.EncodeToString(a.hash(forCounter, what))
}

// hash returns the stored form of a token, its HMAC-SHA-256 under the secret.
func (a *Auth) hash(purpose, token string) []byte {
	mac := hmac.New(sha256.New, a.Secret)
	mac.Write([]byte("auth " + purpose + "\x00" + token))
	return mac.Sum(nil)
}

// derive derives a further secret from a token, so that it need not be stored.
func (a *Auth) derive(purpose, token string) string {
	return base64.RawURLEncoding.EncodeToString(a.hash(purpose, token))
}

// issue creates and stores a token. The token is empty if the bound is reached.
func (a *Auth) issue(ctx context.Context, purpose, subject, value string,
	bound account.Bound) (token string, err error) {
	token = rand.Text()
	err = a.Store.CreateVerification(ctx, account.Verification{
		Purpose: purpose, Subject: subject, Value: value, ExpiresAt: time.Now().Add(lifetimes[purpose]),
	}, a.hash(purpose, token), bound)
	if errors.Is(err, account.ErrTooMany) {
		return "", nil
	}

	return token, err
}

// redeem marks a token as used. It returns errInvalidToken if the token is unknown, used or expired.
func (a *Auth) redeem(ctx context.Context, purpose, token string) (account.Verification, error) {
	v, err := a.Store.UseVerification(ctx, purpose, a.hash(purpose, token))
	return v, invalidIf(err, account.ErrNoVerification)
}

// lookUp reads a token without redeeming it. It returns errInvalidToken if the token is unknown.
func (a *Auth) lookUp(ctx context.Context, purpose, token string) (account.Verification, error) {
	v, err := a.Store.Verification(ctx, purpose, a.hash(purpose, token))
	return v, invalidIf(err, account.ErrNoVerification)
}

// usable reads a token without redeeming it. It returns errInvalidToken if the token is unknown, used or expired.
func (a *Auth) usable(ctx context.Context, purpose, token string) (account.Verification, error) {
	v, err := a.lookUp(ctx, purpose, token)
	if err == nil && checkUsable(v) != nil {
		err = errInvalidToken
	}

	return v, err
}

// subject finds the user that a token belongs to. It returns errInvalidToken if the user has been deleted since.
func (a *Auth) subject(ctx context.Context, v account.Verification) (account.User, error) {
	u, err := a.Store.User(ctx, v.Subject)
	return u, invalidIf(err, account.ErrNoUser)
}

// invalidIf replaces a definite answer of the store with errInvalidToken.
func invalidIf(err, answer error) error {
	if errors.Is(err, answer) {
		return errInvalidToken
	}
	return err
}

func isExpired(v account.Verification) bool { return !time.Now().Before(v.ExpiresAt) }
