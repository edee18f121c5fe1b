package metering

import (
	"hash/maphash"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// accountBuckets are the buckets of accounts, in shards so that callers seldom
// wait for one another.
type accountBuckets struct {
	seed   maphash.Seed
	shards *[64]accountShard
}

type accountShard struct {
	mu      sync.Mutex
	buckets map[string]accountBucket
	swept   time.Time
}

type accountBucket struct {
	limiter *rate.Limiter
	rate    Rate // the limiter's
}

// sweepEvery is how often a shard is rid of full buckets at most, when accounts
// come to it.
const sweepEvery = 10 * time.Second

func newAccountBuckets() accountBuckets {
	b := accountBuckets{seed: maphash.MakeSeed(), shards: new([64]accountShard)}
	for i := range b.shards {
		b.shards[i].buckets = make(map[string]accountBucket)
	}
	return b
}

// take takes cost tokens from the bucket of an account.
func (b *accountBuckets) take(account string, r Rate, cost int) Allowance {
	s := &b.shards[maphash.String(b.seed, account)%uint64(len(b.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	// Read under the lock: a limiter that is told an earlier time than before
	// counts the time between the two again.
	now := time.Now()
	limiter := s.limiter(account, r, now)
	ok := limiter.AllowN(now, cost)
	tokens := limiter.TokensAt(now)
	a := Allowance{OK: ok, Rate: r, Remaining: int(max(0, tokens))}
	if !ok {
		a.RetryAfter = time.Duration(math.Ceil((float64(cost) - tokens) / float64(r.PerSecond) * float64(time.Second)))
	}
	return a
}

// limiter is the account's, at rate r.
func (s *accountShard) limiter(account string, r Rate, now time.Time) *rate.Limiter {
	bucket, known := s.buckets[account]
	if known && bucket.rate == r {
		return bucket.limiter
	}
	if known {
		bucket.limiter.SetLimitAt(now, rate.Limit(r.PerSecond))
		bucket.limiter.SetBurstAt(now, r.Burst)
	} else {
		s.sweep(now)
		bucket.limiter = rate.NewLimiter(rate.Limit(r.PerSecond), r.Burst)
	}
	bucket.rate = r
	s.buckets[account] = bucket
	return bucket.limiter
}

// sweep forgets the buckets that are full again, unless it did so just now.
func (s *accountShard) sweep(now time.Time) {
	if now.Sub(s.swept) < sweepEvery {
		return
	}
	s.swept = now
	for account, bucket := range s.buckets {
		if bucket.limiter.TokensAt(now) >= float64(bucket.rate.Burst) {
			delete(s.buckets, account)
		}
	}
}

func (b *accountBuckets) len() int {
	n := 0
	for i := range b.shards {
		s := &b.shards[i]
		s.mu.Lock()
		n += len(s.buckets)
		s.mu.Unlock()
	}
	return n
}
