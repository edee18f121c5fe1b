package metering

import (
	"hash/maphash"
	"math"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Buckets holds a token bucket for each caller. A bucket that has filled up is
// forgotten, since a fresh one is the same; so memory follows the callers of the
// last moments. Beyond a bound, the addresses share what is left of it.
type Buckets struct {
	seed   maphash.Seed
	shards [64]shard
}

type shard struct {
	mu      sync.Mutex
	buckets map[BucketID]*rate.Limiter
	swept   time.Time
}

const (
	shardBound = 4096 // buckets a shard; 64 shards make 262,144, about 30 MB
	sweepEvery = 10 * time.Second
)

// BucketID names a caller: an account, or else the network of an address.
type BucketID struct {
	Account string
	Network netip.Prefix
}

// AddressBucket is the bucket of an anonymous caller: one IPv4 address, or one
// IPv6 /64, which is what one customer is given. Addresses that cannot be read
// share a bucket.
func AddressBucket(addr netip.Addr) BucketID {
	addr = addr.Unmap().WithZone("")
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	network, _ := addr.Prefix(bits) // the zero Prefix for an invalid address
	return BucketID{Network: network}
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
	b := &Buckets{seed: maphash.MakeSeed()}
	for i := range b.shards {
		b.shards[i].buckets = make(map[BucketID]*rate.Limiter)
	}
	return b
}

// Take takes one token from a caller's bucket. A rate that differs from the one
// before changes the bucket and keeps the tokens in it.
func (b *Buckets) Take(id BucketID, r Rate) Allowance {
	now := time.Now()
	limiter := b.shards[maphash.Comparable(b.seed, id)%uint64(len(b.shards))].limiter(id, r, now)
	if limiter.Limit() != rate.Limit(r.PerSecond) || limiter.Burst() != r.Burst {
		limiter.SetLimitAt(now, rate.Limit(r.PerSecond))
		limiter.SetBurstAt(now, r.Burst)
	}
	ok := limiter.AllowN(now, 1)
	tokens := limiter.TokensAt(now)
	a := Allowance{OK: ok, Rate: r, Remaining: int(math.Max(0, tokens))}
	if !ok {
		a.RetryAfter = time.Duration(math.Ceil((1 - tokens) / float64(r.PerSecond) * float64(time.Second)))
	}
	return a
}

func (s *shard) limiter(id BucketID, r Rate, now time.Time) *rate.Limiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if limiter := s.buckets[id]; limiter != nil {
		return limiter
	}
	if len(s.buckets) >= shardBound || now.Sub(s.swept) >= sweepEvery {
		s.sweep(now)
	}
	if len(s.buckets) >= shardBound {
		id = BucketID{} // a flood of addresses: the newcomers share one bucket
		if limiter := s.buckets[id]; limiter != nil {
			return limiter
		}
	}
	limiter := rate.NewLimiter(rate.Limit(r.PerSecond), r.Burst)
	s.buckets[id] = limiter
	return limiter
}

// sweep forgets the buckets that are full again, at most once a second.
func (s *shard) sweep(now time.Time) {
	if now.Sub(s.swept) < time.Second {
		return
	}
	s.swept = now
	for id, limiter := range s.buckets {
		if limiter.TokensAt(now) >= float64(limiter.Burst()) {
			delete(s.buckets, id)
		}
	}
}

// Len is the number of buckets held, for a gauge.
func (b *Buckets) Len() int {
	n := 0
	for i := range b.shards {
		s := &b.shards[i]
		s.mu.Lock()
		n += len(s.buckets)
		s.mu.Unlock()
	}
	return n
}
