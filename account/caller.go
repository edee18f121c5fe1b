// Package account identifies callers: accounts, API keys, sessions, and the store interface behind them.
package account

import (
	"net/netip"

	"github.com/rodata/rodata/metering"
)

// Caller is the sender of a request.
type Caller struct {
	// Address is the address of the client, as reported by trusted proxies.
	Address netip.Addr
	// Key is the API key that was sent, if one was.
	Key *Key
	// Session is the session of a browser, for operations that accept one.
	Session *Session
	// Plan is the plan of the caller's account. It is nil for an anonymous caller.
	Plan *metering.Plan
	// Accountable reports whether the account is more than a throwaway: its key or session is Verified, or its plan can
	// be granted only by a payment or an operator. Only accountable callers receive names of persons.
	Accountable bool
}

// Account returns the id of the caller's account. It is empty for an anonymous caller.
func (c *Caller) Account() string {
	switch {
	case c.Key != nil:
		return c.Key.Account
	case c.Session != nil:
		return c.Session.Account
	}

	return ""
}

// KeyID returns the id of the caller's key. It is empty without one, as in a browser.
func (c *Caller) KeyID() string {
	if c.Key == nil {
		return ""
	}
	return c.Key.ID
}

// Bucket returns the caller's token bucket: the account's, or else the address's.
func (c *Caller) Bucket() metering.BucketID {
	if id := c.Account(); id != "" {
		return metering.BucketID{Account: id}
	}
	return metering.AddressBucket(c.Address)
}
