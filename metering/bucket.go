package metering

import (
	"net/netip"
	"time"
)

// Buckets enforces rates for all callers. It is safe for concurrent use, and reads only the monotonic clock.
//
// The bucket of an account is dropped when full, since a new bucket is equivalent; so there are never more buckets than
// accounts. Accounts have token buckets only. The number of networks is unlimited, so they share a table of constant
// size, which evicts the slots closest to a full bucket.
type Buckets struct {
	start    time.Time // of the clock used by slots
	now      func() time.Time
	accounts accountTable
	networks *networkTable
}

// BucketID identifies a bucket: an account's, or a network's. If both fields are set, it is an additional bucket of the
// network, named by Account: see [Named].
type BucketID struct {
	Account string
	Network netip.Prefix
}

// The networks that count as one caller: an IPv4 address; an IPv6 /64, the usual assignment to a customer; and, with a
// wider limit, an IPv6 /48, the largest assignment made on request.
const (
	ipv4Bits = 32
	ipv6Bits = 64
	siteBits = 48
)

// AddressBucket returns the bucket of an anonymous caller: one IPv4 address, or one IPv6 /64. Invalid addresses share a
// bucket.
func AddressBucket(addr netip.Addr) BucketID {
	addr = addr.Unmap()
	if addr.Is4() {
		return BucketID{Network: netip.PrefixFrom(addr, ipv4Bits)}
	}

	network, _ := addr.WithZone("").Prefix(ipv6Bits) // the zero Prefix for an invalid address
	return BucketID{Network: network}
}

// anywhere is the network of callers without a valid address.
var anywhere = netip.PrefixFrom(netip.IPv6Unspecified(), 0)

// Named returns an additional bucket of a network for a named purpose. All callers without a valid network share one.
func Named(name string, network netip.Prefix) BucketID {
	if !network.IsValid() {
		network = anywhere
	}
	return BucketID{Account: name, Network: network}
}

func (id *BucketID) isAccount() bool { return id.Account != "" && !id.Network.IsValid() }

// Site returns the bucket shared by the whole IPv6 site of a network, if it has one.
func (id *BucketID) Site() (site BucketID, ok bool) {
	if id.Network.Bits() != ipv6Bits {
		return BucketID{}, false
	}

	site = *id
	site.Network, _ = id.Network.Addr().Prefix(siteBits)
	return site, true
}

// Allowance is the result of taking tokens from a bucket.
type Allowance struct {
	OK bool
	// Rate is the caller's rate.
	Rate Rate
	// Remaining is the number of tokens left, rounded down.
	Remaining int
	// RetryAfter is the time until there are enough tokens. It is 0 if OK.
	RetryAfter time.Duration

	parts int // the whole rate is that many times the one at which this bucket fills; 0 for once
}

// RetryWith returns the time until there are enough tokens, and further ones.
func (a *Allowance) RetryWith(further int) time.Duration {
	tokens := int64(further) * int64(max(a.parts, 1))
	return a.RetryAfter + time.Duration(ceilDiv(tokens*int64(a.Rate.Per), int64(a.Rate.N)))
}

// NewBuckets returns an empty set.
func NewBuckets() *Buckets { return NewBucketsOn(time.Now) }

// NewBucketsOn is NewBuckets with another clock.
func NewBucketsOn(clock func() time.Time) *Buckets {
	start := clock()
	sinceStart := func() int64 { return int64(clock().Sub(start)) }
	return &Buckets{start: start, now: clock, accounts: newAccountTable(),
		networks: newNetworkTable(networkSlots, sinceStart)}
}

// Take takes one token from a bucket. If the rate differs from the previous one, the bucket is adjusted and keeps its
// tokens. In any time t a token bucket grants at most Burst + N*t/Per, and exactly that many to a caller who calls
// continuously and starts with a full bucket.
func (b *Buckets) Take(id BucketID, r Rate) Allowance { return b.take(b.now(), &id, r, 1) }

// TakeMore takes further tokens for a call that needs more than one. It takes all of them or none. They must be fewer
// than the burst.
func (b *Buckets) TakeMore(id BucketID, r Rate, tokens int) Allowance {
	return b.take(b.now(), &id, r, tokens)
}

// TakeAt is Take for a caller that has just read the clock, which is a large part of the cost.
func (b *Buckets) TakeAt(now time.Time, id BucketID, r Rate) Allowance { return b.take(now, &id, r, 1) }

func (b *Buckets) take(now time.Time, id *BucketID, r Rate, cost int) Allowance {
	if id.isAccount() {
		return b.accounts.take(b.now, id.Account, r, cost)
	}
	return b.networks.take(int64(now.Sub(b.start)), id, r, uint32(cost))
}

// takePart takes tokens at the n-th part of a rate. They are fewer than its burst, because a call takes its first token
// separately.
func (b *Buckets) takePart(id *BucketID, r Rate, n, tokens int) Allowance {
	share, cost := r.part(n)
	a := b.take(b.now(), id, share, cost*max(1, min(tokens, share.Burst/cost-1)))
	a.Rate, a.Remaining, a.parts = r, a.Remaining/cost, cost
	return a
}

// GiveBack returns a token that Take took from the bucket of a network but that was not needed. It does nothing for
// accounts.
func (b *Buckets) GiveBack(id BucketID) {
	if id.isAccount() {
		return
	}

	b.networks.giveBack(&id, 1)
	if site, ok := id.Site(); ok {
		b.networks.giveBack(&site, 1)
	}
}

// Forget refills a bucket and the bucket of its site.
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

// Len returns the number of slots in use, for a gauge. The slot of a network is in use until it is evicted, even if it
// is full.
func (b *Buckets) Len() int { return b.accounts.len() + b.networks.len() }
