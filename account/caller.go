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
	// Key is the API key that was sent; nil for an anonymous caller.
	Key *Key
	// Plan is the plan of the key's account; nil for an anonymous caller.
	Plan *metering.Plan
}

// Bucket is the caller's token bucket: the account's, or else the address's.
func (c *Caller) Bucket() metering.BucketID {
	if c.Key != nil {
		return metering.BucketID{Account: c.Key.Account}
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
)
