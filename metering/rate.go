package metering

import (
	"fmt"
	"time"
)

// Rate is how often something may be done. With a Burst it is a token bucket: Burst
// times at once, and N times per Per in the long run. Without one it is a quiet
// window: N times, and N times again once nothing was done for Per.
type Rate struct {
	N     int
	Per   time.Duration
	Burst int
}

// PerSecond is the token bucket that gains n tokens a second and holds burst.
func PerSecond(n, burst int) Rate { return Rate{N: n, Per: time.Second, Burst: burst} }

// maxRate is the most that a rate may have of anything in a second, far beyond what
// one process can answer.
const maxRate = 1_000_000

// Valid checks a rate that was configured: a token bucket through which calls can
// pass, and which does not overflow.
func (r Rate) Valid() error {
	if r.Per != time.Second {
		return fmt.Errorf("a rate is per second, not per %s", r.Per)
	}
	if r.N < 1 || r.Burst < 1 {
		return fmt.Errorf("a rate needs at least 1 request a second and a burst of at least 1, not %d and %d", r.N,
			r.Burst)
	}
	if r.N > maxRate || r.Burst > maxRate {
		return fmt.Errorf("a rate has at most %d requests a second and a burst of at most that, not %d and %d", maxRate,
			r.N, r.Burst)
	}

	return nil
}

// siteFactor is how many times the rate of a network its whole IPv6 site may have.
const siteFactor = 16

// ofSite is the rate of a whole site.
func (r Rate) ofSite() Rate { return Rate{r.N * siteFactor, r.Per, r.Burst * siteFactor} }

// part returns the rate and the cost with which one of n processes gives a caller its
// share. Tokens are whole numbers, so it takes n of the whole rate's; a window has at
// least one of its own.
func (r Rate) part(n int) (share Rate, cost int) {
	if r.Burst == 0 {
		return Rate{N: max(r.N/n, 1), Per: r.Per}, 1
	}
	return Rate{r.N, r.Per, max(r.Burst/n, 1) * n}, n
}
