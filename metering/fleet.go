package metering

import (
	"context"
	"time"
)

// Remote keeps the buckets that several edges share.
type Remote interface {
	// Take takes a token from each of some buckets, or from none: remaining is how
	// many are left in the scarcest of them, and retryAfter, unless it is 0, how long
	// until there is a token in each. It fails soon when the buckets are out of reach,
	// and without asking when they were a moment ago.
	Take(ctx context.Context, buckets []RemoteBucket) (remaining int, retryAfter time.Duration, err error)
}

// RemoteBucket is the name of a bucket and its rate.
type RemoteBucket struct {
	Name string
	Rate Rate
}

// FleetBuckets are the buckets of callers whom several edges serve. While the
// shared ones are out of reach, each edge gives a caller its part of his rate:
// all edges together no more than the rate, but for the bursts with which they
// begin, of burst/edges each and of 1 at least.
type FleetBuckets struct {
	remote Remote
	own    *Buckets
	edges  int
}

// NewFleetBuckets makes a set of buckets in remote, with those of this process for
// when they are out of reach. Edges is how many share them, at least 1.
func NewFleetBuckets(remote Remote, own *Buckets, edges int) *FleetBuckets {
	return &FleetBuckets{remote: remote, own: own, edges: max(edges, 1)}
}

// Take takes one token from a caller's bucket, as [Buckets.Take] does.
func (b *FleetBuckets) Take(ctx context.Context, id BucketID, r Rate) Allowance {
	buckets := make([]RemoteBucket, 1, 2)
	buckets[0] = RemoteBucket{id.name(), r}
	if site, ok := id.site(); ok {
		buckets = append(buckets, RemoteBucket{site.name(), r.ofSite()})
	}
	remaining, wait, err := b.remote.Take(ctx, buckets)
	if err != nil {
		return b.own.takePart(id, r, b.edges)
	}
	return Allowance{OK: wait == 0, Rate: r, Remaining: remaining, RetryAfter: wait}
}

// name tells a bucket from all others.
func (id BucketID) name() string {
	if id.isAccount() {
		return "account/" + id.Account
	}
	return "network/" + id.Network.String() + "/" + id.Account
}

// takePart takes a token at the n-th part of a rate. Rates are whole numbers, so
// it takes n of the whole rate's.
func (b *Buckets) takePart(id BucketID, r Rate, n int) Allowance {
	whole := Rate{PerSecond: r.PerSecond, Burst: max(r.Burst/n, 1) * n}
	var a Allowance
	if id.isAccount() {
		a = b.accounts.take(id.Account, whole, n)
	} else {
		a = b.addresses.take(time.Now(), &id, whole, uint32(n))
	}
	a.Rate, a.Remaining = r, a.Remaining/n
	return a
}
