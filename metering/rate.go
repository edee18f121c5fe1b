package metering

import (
	"fmt"
	"time"
)

// Rate is a rate limit. With a Burst it is a token bucket: Burst calls at once, and N per Per in the long run. Without
// a Burst it is a quiet window: N calls, and N more after a quiet period of Per.
type Rate struct {
	N     int
	Per   time.Duration
	Burst int
}

// PerSecond returns a token bucket that gains n tokens a second and holds burst.
func PerSecond(n, burst int) Rate { return Rate{N: n, Per: time.Second, Burst: burst} }

// maxRate is the maximum of any part of a rate per second, far beyond the capacity of one process.
const maxRate = 1_000_000

// Validate checks a configured rate: a token bucket that admits calls and does not overflow.
func (r Rate) Validate() error {
	if r.Per != time.Second {
		return fmt.Errorf("a rate must be per second, not per %s", r.Per)
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

// siteFactor is the ratio between the rates of a whole IPv6 site and of a network.
const siteFactor = 16

func (r Rate) ofSite() Rate { return Rate{r.N * siteFactor, r.Per, r.Burst * siteFactor} }

// part returns the rate and the cost that one of n processes uses to grant a caller its share. Tokens are whole
// numbers, so a call costs n tokens of the whole rate. A window allows at least one call per process.
func (r Rate) part(n int) (share Rate, cost int) {
	if r.Burst == 0 {
		return Rate{N: max(r.N/n, 1), Per: r.Per}, 1
	}
	return Rate{r.N, r.Per, max(r.Burst/n, 1) * n}, n
}
