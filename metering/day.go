package metering

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

// Quota is a network's daily allowance, and its remainder.
type Quota struct {
	// OK is true if the request was granted.
	OK bool
	// Limit is the daily allowance. It is 0 if none is set.
	Limit int
	// Remaining is the number of calls left today.
	Remaining int
	// Reset is the time until the next day begins, at midnight UTC.
	Reset time.Duration
}

// Days counts each network's use of the current day (UTC) in constant memory: in sets of eight counters, selected by a
// keyed hash of the network. When a set is full, the counter with the least use is evicted, so a flood of addresses
// does not reset networks that have used up their allowance. It is safe for concurrent use.
type Days struct {
	seed   maphash.Seed
	sets   uint64 // in a shard
	shards [networkShards]dayShard
}

// dayShard is a part of the counters with a separate lock. They are allocated on first use.
type dayShard struct {
	mu       sync.Mutex
	day      int64 // that the counters are of, as dayOf returns it
	counters []dayCounter
}

type dayCounter struct {
	tag  uint32 // distinguishes the networks of a set
	used uint32
}

// dayCounters is the maximum number of counted networks, in 8 MiB.
const dayCounters = 1 << 20

// NewDays returns an empty set.
func NewDays() *Days { return newDays(dayCounters) }

// newDays returns a set with a number of counters, a power of two from 2048 on.
func newDays(counters int) *Days {
	return &Days{seed: maphash.MakeSeed(), sets: uint64(counters / networkShards / ways)}
}

// Take grants n calls of a network's daily limit, or none of them. A whole IPv6 site (/48) has 16 times the limit of
// each of its networks. The returned function is never nil; it returns calls that were not needed.
func (d *Days) Take(_ context.Context, id BucketID, n, limit int) (Quota, func(unused int)) {
	return d.take(time.Now(), id, n, limit)
}

func (d *Days) take(now time.Time, id BucketID, n, limit int) (Quota, func(int)) {
	q := Quota{Limit: limit, Reset: untilTomorrow(now)}
	day := dayOf(now)
	if q.Remaining, q.OK = d.takeOne(day, &id, n, limit); !q.OK {
		return q, giveBackNone
	}

	site, ok := id.Site()
	if !ok {
		return q, func(unused int) { d.giveBack(day, &id, unused) }
	}

	var left int
	if left, q.OK = d.takeOne(day, &site, n, limit*siteFactor); !q.OK {
		d.giveBack(day, &id, n)
		q.Remaining += n
	}

	q.Remaining = min(q.Remaining, left)
	if !q.OK {
		return q, giveBackNone
	}

	return q, func(unused int) {
		d.giveBack(day, &id, unused)
		d.giveBack(day, &site, unused)
	}
}

// giveBackNone is for a request that was not granted.
func giveBackNone(int) {}

// dayOf returns the number of a time's day in UTC, counted from 1970-01-01.
func dayOf(at time.Time) int64 { return at.Unix() / secondsOfDay }

// untilTomorrow returns the time until the next midnight in UTC.
func untilTomorrow(at time.Time) time.Duration {
	return time.Unix((dayOf(at)+1)*secondsOfDay, 0).Sub(at)
}

func (d *Days) takeOne(day int64, id *BucketID, n, limit int) (left int, ok bool) {
	hash := id.hash(d.seed)
	shard := d.lock(hash)
	defer shard.mu.Unlock()
	if shard.counters == nil {
		shard.counters = make([]dayCounter, d.sets*ways)
	}
	if shard.day != day && shard.day != day+1 { // a call may acquire the lock after midnight
		clear(shard.counters)
		shard.day = day
	}

	set := d.set(shard, hash)
	c := counterOf(set, tag(hash))
	if c == nil {
		c = leastUsed(set)
		*c = dayCounter{tag: tag(hash)}
	}

	left = max(0, limit-int(c.used))
	if left < n {
		return left, false
	}

	c.used += uint32(n)
	return left - n, true
}

func (d *Days) giveBack(day int64, id *BucketID, n int) {
	hash := id.hash(d.seed)
	shard := d.lock(hash)
	defer shard.mu.Unlock()
	if shard.day != day || shard.counters == nil {
		return
	}
	if c := counterOf(d.set(shard, hash), tag(hash)); c != nil {
		c.used -= min(c.used, uint32(n))
	}
}

func (d *Days) lock(hash uint64) *dayShard {
	shard := &d.shards[hash%networkShards]
	shard.mu.Lock()
	return shard
}

func (d *Days) set(shard *dayShard, hash uint64) []dayCounter {
	first := hash / networkShards % d.sets * ways
	return shard.counters[first : first+ways]
}

func counterOf(set []dayCounter, tag uint32) *dayCounter {
	for i := range set {
		if set[i].tag == tag && set[i].used > 0 {
			return &set[i]
		}
	}

	return nil
}

func leastUsed(set []dayCounter) *dayCounter {
	least := &set[0]
	for i := range set {
		if set[i].used < least.used {
			least = &set[i]
		}
	}

	return least
}
