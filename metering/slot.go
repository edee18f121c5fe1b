package metering

import (
	"math"
	"time"
)

// slot is the bucket of an address: when it will be full again, and at which rate
// it fills (the generic cell rate algorithm, which needs no timer). That moment
// is whole nanoseconds and part tokens later, where part is less than perSecond.
// As exactly perSecond tokens come in a second, nothing is ever rounded.
type slot struct {
	tag              uint32 // tells the addresses of a set apart
	perSecond, burst uint32
	part             uint32
	whole            int64 // on the table's clock
}

// Tokens are reckoned in billionths, which come perSecond in a nanosecond.
const (
	token  = 1_000_000_000
	second = int64(time.Second)
)

func (s *slot) unused() bool { return s.perSecond == 0 }

// take takes cost tokens at rate r, if there are so many.
func (s *slot) take(now int64, r Rate, cost uint32) Allowance {
	s.setRate(now, r)
	a := Allowance{Rate: r, RetryAfter: s.wait(now, cost)}
	if a.OK = a.RetryAfter == 0; a.OK {
		s.spend(now, cost)
	}
	a.Remaining = int(max(0, s.tokens(now)) / token) // a caller may come late to the lock
	return a
}

// owed is what is missing to a full bucket.
func (s *slot) owed(now int64) int64 {
	if now-s.whole >= second { // full for sure; and the product could overflow
		return 0
	}
	return max(0, (s.whole-now)*int64(s.perSecond)+int64(s.part)*token)
}

func (s *slot) tokens(now int64) int64 { return int64(s.burst)*token - s.owed(now) }

// wait is how long until there are cost tokens, rounded up to a nanosecond.
func (s *slot) wait(now int64, cost uint32) time.Duration {
	missing := int64(cost)*token - s.tokens(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(ceilDiv(missing, int64(s.perSecond)))
}

func (s *slot) spend(now int64, cost uint32) {
	if s.owed(now) == 0 {
		s.whole, s.part = now, 0
	}
	for s.part += cost; s.part >= s.perSecond; s.part -= s.perSecond {
		s.whole += second
	}
}

func (s *slot) giveBack(cost uint32) {
	for ; s.part < cost; s.part += s.perSecond {
		s.whole -= second
	}
	s.part -= cost
}

// setRate changes the rate and keeps the tokens, but for those beyond the burst.
// A full bucket stays full, as if it had been forgotten.
func (s *slot) setRate(now int64, r Rate) {
	perSecond, burst := uint32(r.PerSecond), uint32(r.Burst)
	if s.perSecond == perSecond && s.burst == burst {
		return
	}
	owed := s.owed(now)
	if owed > 0 {
		owed = max(0, int64(burst)*token-s.tokens(now))
	}
	s.perSecond, s.burst = perSecond, burst
	s.whole, s.part = now+ceilDiv(owed, int64(perSecond)), 0
}

// fullAt is when the bucket is full again, rounded down to a nanosecond; before
// all others when it was never used.
func (s *slot) fullAt() int64 {
	if s.unused() {
		return math.MinInt64
	}
	return s.whole + int64(s.part)*token/int64(s.perSecond)
}

// ceilDiv is n/d rounded up, for a positive d.
func ceilDiv(n, d int64) int64 {
	q := n / d
	if n%d > 0 {
		q++
	}
	return q
}
