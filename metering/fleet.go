package metering

import (
	"context"
	"time"
)

// Remote is the set of buckets that several edges share. Its methods fail fast if the buckets are unreachable, and
// immediately after a recent failure.
type Remote interface {
	// Take takes tokens from all of several buckets, or from none: remaining is the number of tokens left in the
	// scarcest one, and retryAfter, unless it is 0, the time until all have enough.
	Take(ctx context.Context, buckets []RemoteBucket, tokens int) (remaining int, retryAfter time.Duration, err error)
	// Forget refills buckets that were passed to Take together.
	Forget(ctx context.Context, buckets []RemoteBucket) error
}

// RemoteBucket is a bucket's name and rate.
type RemoteBucket struct {
	Name string
	Rate Rate
}

// FleetBuckets enforces rates for callers served by several edges. While the shared buckets are unreachable, each edge
// grants a caller its share of the rate. All edges together then grant no more than the rate, except for the initial
// burst of each edge, which is burst/edges and at least 1.
type FleetBuckets struct {
	remote Remote
	own    *Buckets
	edges  int
}

// NewFleetBuckets returns buckets in remote, with this process's buckets as the fallback. The number of edges that
// share them must be at least 1.
func NewFleetBuckets(remote Remote, own *Buckets, edges int) *FleetBuckets {
	return &FleetBuckets{remote: remote, own: own, edges: max(edges, 1)}
}

// Take takes one token from a bucket, like [Buckets.Take].
func (b *FleetBuckets) Take(ctx context.Context, id BucketID, r Rate) Allowance {
	return b.TakeMore(ctx, id, r, 1)
}

// TakeMore takes further tokens, like [Buckets.TakeMore].
func (b *FleetBuckets) TakeMore(ctx context.Context, id BucketID, r Rate, tokens int) Allowance {
	remaining, wait, err := b.remote.Take(ctx, remoteBuckets(&id, r), tokens)
	if err != nil {
		return b.own.takePart(&id, r, b.edges, tokens)
	}
	return Allowance{OK: wait == 0, Rate: r, Remaining: remaining, RetryAfter: wait}
}

// Forget refills a bucket and the bucket of its site. While the shared buckets are unreachable, it affects only this
// process.
func (b *FleetBuckets) Forget(ctx context.Context, id BucketID) {
	b.own.Forget(id)
	_ = b.remote.Forget(ctx, remoteBuckets(&id, Rate{}))
}

// remoteBuckets returns the buckets that a caller draws on: its own, and its site's.
func remoteBuckets(id *BucketID, r Rate) []RemoteBucket {
	buckets := make([]RemoteBucket, 1, 2)
	buckets[0] = RemoteBucket{id.name(), r}
	if site, ok := id.Site(); ok {
		buckets = append(buckets, RemoteBucket{site.name(), r.ofSite()})
	}

	return buckets
}

func (id *BucketID) name() string {
	if id.isAccount() {
		return "account/" + id.Account
	}
	return "network/" + id.Network.String() + "/" + id.Account
}
