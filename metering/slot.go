package metering

import (
	"math"
	"time"
)

// slot is the state of one limit.
//
// For a token bucket it is the time at which the bucket will be full again (the generic cell rate algorithm, GCRA,
// which needs no timer): whole nanoseconds and part tokens, where part is less than n. Exactly n tokens arrive per
// period, so there is no rounding.
//
// For a window it is the number of calls (part), and the time of the last one (whole).
type slot struct {
	tag      uint32 // distinguishes the slots of a set
	n, burst uint32 // of the most recently used rate
	part     uint32
	per      int64
	whole    int64 // on the clock of the buckets
}

func (s *slot) isUnused() bool { return s.n == 0 }

func (s *slot) take(now int64, r Rate, cost uint32) Allowance {
	s.setRate(now, r)
	if s.burst == 0 {
		return s.takeOfWindow(now, r, cost)
	}

	a := Allowance{Rate: r, RetryAfter: s.wait(now, cost)}
	if a.OK = a.RetryAfter == 0; a.OK {
		s.spend(now, cost)
	}

	a.Remaining = int(max(0, s.tokens(now)) / s.per) // a caller may be late to acquire the lock
	return a
}

func (s *slot) takeOfWindow(now int64, r Rate, cost uint32) Allowance {
	if now-s.whole >= s.per {
		s.part = 0
	}
	if s.part+cost > s.n {
		return Allowance{Rate: r, RetryAfter: time.Duration(s.whole + s.per - now)}
	}

	s.part += cost
	s.whole = now
	return Allowance{OK: true, Rate: r, Remaining: int(s.n - s.part)}
}

// owed returns the amount missing from a full bucket. The unit is 1/per of a token:
// n units are refilled in a nanosecond.
func (s *slot) owed(now int64) int64 {
	if now-s.whole >= s.per { // certainly full; and the product could overflow
		return 0
	}
	return max(0, (s.whole-now)*int64(s.n)+int64(s.part)*s.per)
}

func (s *slot) tokens(now int64) int64 { return int64(s.burst)*s.per - s.owed(now) }

// wait returns the time until there are cost tokens, rounded up to a nanosecond.
func (s *slot) wait(now int64, cost uint32) time.Duration {
	missing := int64(cost)*s.per - s.tokens(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(ceilDiv(missing, int64(s.n)))
}

func (s *slot) spend(now int64, cost uint32) {
	if s.owed(now) == 0 {
		s.whole, s.part = now, 0
	}

	for s.part += cost; s.part >= s.n; s.part -= s.n {
		s.whole += s.per
	}
}

func (s *slot) giveBack(cost uint32) {
	if s.burst == 0 {
		s.part -= min(s.part, cost)
		return
	}

	for ; s.part < cost; s.part += s.n {
		s.whole -= s.per
	}

	s.part -= cost
}

// setRate changes the rate and keeps the tokens, except those beyond the burst, and fractions if the period changes. A
// full bucket stays full, like a new one. The count of a window is kept.
func (s *slot) setRate(now int64, r Rate) {
	n, burst, per := uint32(r.N), uint32(r.Burst), int64(r.Per)
	if s.n == n && s.burst == burst && s.per == per {
		return
	}

	isBucket, wasBucket := burst > 0, s.burst > 0
	owed := int64(0)
	switch {
	case isBucket && wasBucket && s.per == per:
		if owed = s.owed(now); owed > 0 {
			owed = max(0, int64(burst)*per-s.tokens(now))
		}
	case isBucket && wasBucket && s.owed(now) > 0:
		owed = max(0, int64(burst)-s.tokens(now)/s.per) * per
	}

	s.n, s.burst, s.per = n, burst, per
	switch {
	case isBucket:
		s.whole, s.part = now+ceilDiv(owed, int64(n)), 0
	case wasBucket:
		s.part = 0
	}
}

// fullAt returns the time at which the bucket is full again, rounded down to a nanosecond; for an unused slot it is
// before all others.
func (s *slot) fullAt() int64 {
	switch {
	case s.isUnused():
		return math.MinInt64
	case s.burst == 0:
		return s.whole + s.per
	}

	return s.whole + int64(s.part)*s.per/int64(s.n)
}

// ceilDiv returns n/d rounded up, for a positive d.
func ceilDiv(n, d int64) int64 {
	q := n / d
	if n%d > 0 {
		q++
	}
	return q
}
