package metering

import (
	"hash/maphash"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// accountTable holds the token buckets of accounts. Sweeps remove only full buckets, which equal new ones. The table is
// sharded to reduce lock contention.
type accountTable struct {
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

// sweepEvery is the minimum time between two sweeps of a shard. Adding an account starts a sweep.
const sweepEvery = 10 * time.Second

func newAccountTable() accountTable {
	t := accountTable{seed: maphash.MakeSeed(), shards: new([64]accountShard)}
	for i := range t.shards {
		t.shards[i].buckets = make(map[string]accountBucket)
	}
	return t
}

func (t *accountTable) take(clock func() time.Time, account string, r Rate, cost int) Allowance {
	shard := t.lock(account)
	defer shard.mu.Unlock()

	// The clock is read under the lock: a limiter that gets an earlier time than before counts the interval twice.
	now := clock()
	limiter := shard.limiter(account, r, now)
	ok := limiter.AllowN(now, cost)
	tokens := limiter.TokensAt(now)
	a := Allowance{OK: ok, Rate: r, Remaining: int(max(0, tokens))}
	if !ok {
		a.RetryAfter = time.Duration(math.Ceil((float64(cost) - tokens) / float64(r.limit()) * float64(time.Second)))
	}

	return a
}

func (t *accountTable) forget(account string) {
	shard := t.lock(account)
	defer shard.mu.Unlock()
	delete(shard.buckets, account)
}

func (t *accountTable) lock(account string) *accountShard {
	shard := &t.shards[maphash.String(t.seed, account)%uint64(len(t.shards))]
	shard.mu.Lock()
	return shard
}

// limiter returns the limiter of an account, set to rate r.
func (s *accountShard) limiter(account string, r Rate, now time.Time) *rate.Limiter {
	bucket, known := s.buckets[account]
	if known && bucket.rate == r {
		return bucket.limiter
	}

	if known {
		bucket.limiter.SetLimitAt(now, r.limit())
		bucket.limiter.SetBurstAt(now, r.Burst)
	} else {
		s.sweep(now)
		bucket.limiter = rate.NewLimiter(r.limit(), r.Burst)
	}

	bucket.rate = r
	s.buckets[account] = bucket
	return bucket.limiter
}

func (r Rate) limit() rate.Limit { return rate.Limit(float64(r.N) / r.Per.Seconds()) }

// sweep drops the full buckets, unless it did so recently.
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

func (t *accountTable) len() int {
	n := 0
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		n += len(s.buckets)
		s.mu.Unlock()
	}

	return n
}
