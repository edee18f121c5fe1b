package metering

import (
	"math/rand/v2"
	"testing"
	"time"
)

// token is the number of parts of a token, for a rate per second.
const token = int64(time.Second)

// A slot behaves like a bucket that is filled in steps, at random times and rates.
func TestSlotIsATokenBucket(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		r := PerSecond(1+random.IntN(1_000), 1+random.IntN(100))
		switch random.IntN(3) {
		case 0:
			r.N = 1 + random.IntN(7)
		case 1:
			r.N = maxRate - random.IntN(7)
		}

		var s slot
		now, full := random.Int64N(int64(1000*time.Hour)), int64(r.Burst)*token
		tokens := full
		for range 1000 {
			a := s.take(now, r, 1)
			if want := tokens >= token; a.OK != want {
				t.Fatalf("%+v: OK is %v with %d billionths of a token", r, a.OK, tokens)
			}

			if a.OK {
				tokens -= token
			} else if after := time.Duration(ceilDiv(token-tokens, int64(r.N))); a.RetryAfter != after {
				t.Fatalf("%+v: RetryAfter is %v, want %v", r, a.RetryAfter, after)
			}

			if a.Remaining != int(tokens/token) {
				t.Fatalf("%+v: %d remaining of %d billionths", r, a.Remaining, tokens)
			}

			step := random.Int64N(3 * int64(time.Second) / int64(r.N))
			if random.IntN(50) == 0 {
				step *= int64(r.Burst)
			}

			now += step
			tokens = min(full, tokens+step*int64(r.N))
		}
	}
}

func TestSlotThatWasIdleForYears(t *testing.T) {
	r := PerSecond(maxRate, maxRate)
	for years := range int64(50) {
		var s slot
		s.take(0, r, 1)
		if a := s.take(int64(time.Minute)+years*int64(365*24*time.Hour), r, 1); !a.OK || a.Remaining != r.Burst-1 {
			t.Errorf("after %d years: %+v", years, a)
		}
	}
}

func TestSlotGivesBack(t *testing.T) {
	r := PerSecond(3, 10)
	var s slot
	s.take(0, r, 8)
	for range 5 {
		if a := s.take(0, r, 2); !a.OK || a.Remaining != 0 {
			t.Fatalf("got %+v", a)
		}
		s.giveBack(2)
	}
}

func TestSlotThatIsAskedLate(t *testing.T) {
	s, r := slot{}, PerSecond(3, 3)
	const late = int64(2 * time.Second)
	for range r.Burst {
		s.take(late, r, 1)
	}
	if a := s.take(0, r, 1); a.OK || a.Remaining != 0 || a.RetryAfter <= 0 {
		t.Errorf("a caller that got the lock late: %+v", a)
	}
	if a := s.take(late, r, 1); a.OK {
		t.Errorf("a late caller refilled the bucket: %+v", a)
	}
}
