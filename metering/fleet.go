package metering

import (
	"context"
	"time"
)

// Remote holds the buckets that several edges share. Its methods fail soon when the
// buckets are out of reach, and without asking when they were a moment ago.
type Remote interface {
	// Take takes so many tokens from each of several buckets, or from none: remaining is
	// how many are left in the scarcest of them, and retryAfter, unless it is 0, how long
	// until there are so many in each.
	Take(ctx context.Context, buckets []RemoteBucket, tokens int) (remaining int, retryAfter time.Duration, err error)
	// Forget makes buckets full again that Take was asked for together.
	Forget(ctx context.Context, buckets []RemoteBucket) error
}

// RemoteBucket is the name of a bucket and its rate.
type RemoteBucket struct {
	Name string
	Rate Rate
}

// FleetBuckets enforces rates for callers whom several edges serve. While the shared
// buckets are out of reach, each edge grants a caller its part of the rate: all edges
// together no more than the rate, except for the bursts with which they begin, of
// burst/edges each and of 1 at least.
type FleetBuckets struct {
	remote Remote
	own    *Buckets
	edges  int
}

// NewFleetBuckets returns buckets in remote, with those of this process for when they
// are out of reach. Edges is how many share them, at least 1.
func NewFleetBuckets(remote Remote, own *Buckets, edges int) *FleetBuckets {
	return &FleetBuckets{remote: remote, own: own, edges: max(edges, 1)}
}

// Take takes one token from a bucket, as [Buckets.Take] does.
func (b *FleetBuckets) Take(ctx context.Context, id BucketID, r Rate) Allowance {
	return b.take(ctx, id, r, 1)
}

// TakeMore takes further tokens, as [Buckets.TakeMore] does.
func (b *FleetBuckets) TakeMore(ctx context.Context, id BucketID, r Rate, tokens int) Allowance {
	return b.take(ctx, id, r, tokens)
}

func (b *FleetBuckets) take(ctx context.Context, id BucketID, r Rate, tokens int) Allowance {
	remaining, wait, err := b.remote.Take(ctx, remoteBuckets(&id, r), tokens)
	if err != nil {
		return b.own.takePart(&id, r, b.edges, tokens)
	}
	return Allowance{OK: wait == 0, Rate: r, Remaining: remaining, RetryAfter: wait}
}

// Forget makes a bucket full again, and that of its site. While the shared buckets are
// out of reach, only those of this process.
func (b *FleetBuckets) Forget(ctx context.Context, id BucketID) {
	b.own.Forget(id)
	_ = b.remote.Forget(ctx, remoteBuckets(&id, Rate{}))
}

// remoteBuckets are those that a caller draws on: its own, and that of its site.
func remoteBuckets(id *BucketID, r Rate) []RemoteBucket {
	buckets := make([]RemoteBucket, 1, 2)
	buckets[0] = RemoteBucket{id.name(), r}
	if site, ok := id.Site(); ok {
		buckets = append(buckets, RemoteBucket{site.name(), r.ofSite()})
	}
	return buckets
}

// name tells a bucket from all others.
func (id *BucketID) name() string {
	if id.isAccount() {
		return "account/" + id.Account
	}
	return "network/" + id.Network.String() + "/" + id.Account
}
