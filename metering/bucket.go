package metering

import (
	"net/netip"
	"time"
)

// Buckets enforces rates for all callers. It is safe for concurrent use, and reads
// only the monotonic clock.
//
// The bucket of an account is forgotten when it is full, since a new one is the same;
// so there are never more than accounts. Accounts have token buckets only. Networks are unlimited in number: they
// have a table of constant size, in which the slot that owes least is evicted.
type Buckets struct {
	start    time.Time // of the clock that slots are kept by
	now      func() time.Time
	accounts accountTable
	networks *networkTable
}

// BucketID names a bucket: of an account, or of the network of an address. One with
// both is a further bucket of the network, under the name in Account: see [Named].
type BucketID struct {
	Account string
	Network netip.Prefix
}

// The networks that are one caller: an IPv4 address; an IPv6 /64, which is what one
// customer is given; and, with a wider limit, an IPv6 /48, which is the most that one
// customer gets for the asking.
const (
	ipv4Bits = 32
	ipv6Bits = 64
	siteBits = 48
)

// AddressBucket is the bucket of an anonymous caller: one IPv4 address, or one IPv6
// /64. Invalid addresses share a bucket.
func AddressBucket(addr netip.Addr) BucketID {
	addr = addr.Unmap()
	if addr.Is4() {
		return BucketID{Network: netip.PrefixFrom(addr, ipv4Bits)}
	}
	network, _ := addr.WithZone("").Prefix(ipv6Bits) // the zero Prefix for an invalid address
	return BucketID{Network: network}
}

// anywhere is the network of callers without one.
var anywhere = netip.PrefixFrom(netip.IPv6Unspecified(), 0)

// Named is a further bucket of a network, for the purpose that the name tells. All
// callers without a valid network share one.
func Named(name string, network netip.Prefix) BucketID {
	if !network.IsValid() {
		network = anywhere
	}
	return BucketID{Account: name, Network: network}
}

// isAccount reports whether the bucket is one of a bounded number.
func (id *BucketID) isAccount() bool { return id.Account != "" && !id.Network.IsValid() }

// Site is the bucket that the whole IPv6 site of a network shares, if it has one.
func (id *BucketID) Site() (site BucketID, ok bool) {
	if id.Network.Bits() != ipv6Bits {
		return BucketID{}, false
	}
	site = *id
	site.Network, _ = id.Network.Addr().Prefix(siteBits)
	return site, true
}

// Allowance is the answer of a bucket.
type Allowance struct {
	OK bool
	// Rate is the caller's rate.
	Rate Rate
	// Remaining is how many tokens are left, rounded down.
	Remaining int
	// RetryAfter is how long until the next token, when there was none.
	RetryAfter time.Duration
}

// NewBuckets returns an empty set.
func NewBuckets() *Buckets { return NewBucketsOn(time.Now) }

// NewBucketsOn is NewBuckets on another clock.
func NewBucketsOn(clock func() time.Time) *Buckets {
	return &Buckets{start: clock(), now: clock, accounts: newAccountTable(), networks: newNetworkTable(networkSlots)}
}

// Take takes one token from a bucket. A rate that differs from the one before changes
// the bucket and keeps its tokens. In any time t a token bucket gives at most
// Burst + N*t/Per, and exactly that many to a caller who asks all the time and began
// with a full bucket.
func (b *Buckets) Take(id BucketID, r Rate) Allowance { return b.take(b.now(), &id, r, 1) }

// TakeMore takes further tokens for a caller who turned out to want more than one: all of
// them or none. They must be fewer than the burst.
func (b *Buckets) TakeMore(id BucketID, r Rate, tokens int) Allowance {
	return b.take(b.now(), &id, r, tokens)
}

// TakeAt is Take for a caller who has just read the clock, which is a good part of
// the cost of a bucket.
func (b *Buckets) TakeAt(now time.Time, id BucketID, r Rate) Allowance { return b.take(now, &id, r, 1) }

func (b *Buckets) take(now time.Time, id *BucketID, r Rate, cost int) Allowance {
	if id.isAccount() {
		return b.accounts.take(b.now, id.Account, r, cost)
	}
	return b.networks.take(int64(now.Sub(b.start)), id, r, uint32(cost))
}

// takePart takes tokens at the n-th part of a rate, whose burst bounds them.
func (b *Buckets) takePart(id *BucketID, r Rate, n, tokens int) Allowance {
	share, cost := r.part(n)
	a := b.take(b.now(), id, share, cost*max(1, min(tokens, share.Burst/cost)))
	a.Rate, a.Remaining = r, a.Remaining/cost
	return a
}

// GiveBack returns a token that Take took from the bucket of a network, whose caller
// turned out not to owe it. It does nothing for accounts.
func (b *Buckets) GiveBack(id BucketID) {
	if id.isAccount() {
		return
	}
	b.networks.giveBack(&id, 1)
	if site, ok := id.Site(); ok {
		b.networks.giveBack(&site, 1)
	}
}

// Forget makes a bucket full again, and that of its site.
func (b *Buckets) Forget(id BucketID) {
	if id.isAccount() {
		b.accounts.forget(id.Account)
		return
	}

	b.networks.forget(&id)
	if site, ok := id.Site(); ok {
		b.networks.forget(&site)
	}
}

// Len is the number of slots in use, for a gauge. A network's is in use until it is
// evicted, full or not.
func (b *Buckets) Len() int { return b.accounts.len() + b.networks.len() }
