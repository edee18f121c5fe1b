// Package account knows who calls: the API keys, and the store in which they
// are kept.
package account

import (
	"errors"
	"net/netip"

	"github.com/rodata/rodata/metering"
)

// Caller is who a request comes from.
type Caller struct {
	// Address is where the request comes from, as far as the proxies in between
	// are trusted.
	Address netip.Addr
	// Key is the API key that was sent, if one was.
	Key *Key
	// Session is the session of a browser, where an operation takes one.
	Session *Session
	// Plan is the plan of the caller's account; nil for an anonymous caller.
	Plan *metering.Plan
	// Accountable says that somebody answers for the caller's account: its key is
	// Verified, or its plan is beyond that of new accounts, which only a payment or an
	// operator gives. Names of persons are for accountable callers alone.
	Accountable bool
}

// Account is the id of the caller's account; empty for an anonymous caller.
func (c *Caller) Account() string {
	switch {
	case c.Key != nil:
		return c.Key.Account
	case c.Session != nil:
		return c.Session.Account
	}
	return ""
}

// Bucket is the caller's token bucket: the account's, or else the address's.
func (c *Caller) Bucket() metering.BucketID {
	if id := c.Account(); id != "" {
		return metering.BucketID{Account: id}
	}
	return metering.AddressBucket(c.Address)
}

// The ways in which a key is not accepted.
var (
	// ErrUnknownKey: the key is malformed, unknown, revoked or expired; which of these
	// is not for the caller to know.
	ErrUnknownKey = errors.New("the key is not valid")
	// ErrStoreDown: it could not be looked up.
	ErrStoreDown = errors.New("the account store cannot be asked")
	// ErrTooManyKeys: the account has MaxKeys of them.
	ErrTooManyKeys = errors.New("the account has as many keys as it may have")
	// ErrNoAccount: there is no account of that id, or it is closed.
	ErrNoAccount = errors.New("there is no such account")
)
