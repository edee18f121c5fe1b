package metering

import (
	"net/netip"
	"time"
)

// Buckets holds a token bucket for each caller. It may be used concurrently, and
// reads no clock but the monotonic one.
//
// An account's bucket is forgotten when it has filled up, since a fresh one is
// the same; so there are never more than accounts. Addresses are without number:
// they have a table of constant size, in which the bucket that owes least gives
// way to a newcomer.
type Buckets struct {
	accounts  accountBuckets
	addresses *addressTable
}

// BucketID names a caller: an account, or else the network of an address. One
// with both is a further bucket of the network, under the name in Account.
type BucketID struct {
	Account string
	Network netip.Prefix
}

// The networks that are one caller: an IPv4 address; an IPv6 /64, which is what
// one customer is given; and, with a wider limit, an IPv6 /48, which is what one
// customer can have at most for the asking.
const (
	ipv4Bits = 32
	ipv6Bits = 64
	siteBits = 48
)

// AddressBucket is the bucket of an anonymous caller: one IPv4 address, or one
// IPv6 /64. Addresses that cannot be read share a bucket.
func AddressBucket(addr netip.Addr) BucketID {
	addr = addr.Unmap()
	if addr.Is4() {
		return BucketID{Network: netip.PrefixFrom(addr, ipv4Bits)}
	}
	network, _ := addr.WithZone("").Prefix(ipv6Bits) // the zero Prefix for an invalid address
	return BucketID{Network: network}
}

// isAccount reports whether the caller is one of a bounded number.
func (id *BucketID) isAccount() bool { return id.Account != "" && !id.Network.IsValid() }

// site is the bucket that a caller's whole IPv6 site shares, if it has one.
func (id *BucketID) site() (site BucketID, ok bool) {
	if id.Network.Bits() != ipv6Bits {
		return BucketID{}, false
	}
	site = *id
	site.Network, _ = id.Network.Addr().Prefix(siteBits)
	return site, true
}

// Allowance is what a bucket answers.
type Allowance struct {
	OK bool
	// Rate is the caller's rate.
	Rate Rate
	// Remaining are the tokens left, rounded down.
	Remaining int
	// RetryAfter is how long until the next token, when there was none.
	RetryAfter time.Duration
}

// NewBuckets makes an empty set.
func NewBuckets() *Buckets {
	return &Buckets{accounts: newAccountBuckets(), addresses: newAddressTable(addressSlots)}
}

// Take takes one token from a caller's bucket, at a rate that Valid accepts. A
// rate that differs from the one before changes the bucket and keeps the tokens
// in it. In any minute a caller is given at most Burst + 60 x PerSecond tokens,
// and exactly that many when it asks all the time and began with a full bucket.
func (b *Buckets) Take(id BucketID, r Rate) Allowance { return b.TakeAt(time.Now(), id, r) }

// TakeAt is Take for a caller who has just read the clock, which is a good part of
// what a bucket costs.
func (b *Buckets) TakeAt(now time.Time, id BucketID, r Rate) Allowance {
	if id.isAccount() {
		return b.accounts.take(id.Account, r, 1) // which has to read it for itself
	}
	return b.addresses.take(now, &id, r, 1)
}

// GiveBack returns a token that Take took from the bucket of a network, whose caller
// turned out not to owe it. It does nothing for accounts.
func (b *Buckets) GiveBack(id BucketID) {
	if id.isAccount() {
		return
	}
	b.addresses.giveBack(&id, 1)
	if site, ok := id.site(); ok {
		b.addresses.giveBack(&site, 1)
	}
}

// Len is the number of buckets held, for a gauge. An address's is held until it
// gives way, full or not.
func (b *Buckets) Len() int { return b.accounts.len() + b.addresses.len() }
