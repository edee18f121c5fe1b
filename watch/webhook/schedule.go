package webhook

import (
	"math/rand/v2"
	"time"

	"github.com/rodata/rodata/internal/work"
)

// schedule lists the pauses after failed attempts, as the specification recommends them: 75 hours and 35 minutes in
// total.
var schedule = work.Backoff{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
	20 * time.Hour, 24 * time.Hour,
}

// disableAfter is the time for which all attempts must have failed before a webhook is disabled.
const disableAfter = 72 * time.Hour

// jitter lengthens a pause by up to a tenth, so that deliveries that failed together are not retried together.
func jitter(pause time.Duration) time.Duration { return pause + rand.N(pause/10+1) }

const (
	// initialInFlight is the initial number of concurrent requests to an endpoint (AIMD). Each quick success raises it
	// by one, up to maxInFlight; each failure and each slow response halves it.
	initialInFlight = 8
	maxInFlight     = 32
	// slow is the duration from which a response counts as slow.
	slow = 2 * time.Second

	// strikes is the number of consecutive failures before sending to an endpoint pauses.
	strikes = 5
	// maxPause limits how long an endpoint can pause its deliveries. The failed delivery itself waits as long as
	// requested.
	maxPause = time.Hour
)

// pauses lists the pauses of an endpoint after repeated failures.
var pauses = work.Backoff{5 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute}

// pace controls how fast events are sent to an endpoint.
type pace struct {
	atOnce   int       // the maximum number of concurrent requests
	failures int       // consecutive
	pauses   int       // consecutive
	until    time.Time // the end of the pause
}

// note adjusts the pace after a response.
func (p *pace) note(a *answer, now time.Time) {
	if a.Delivered {
		p.failures, p.pauses = 0, 0
		if a.Duration < slow {
			p.atOnce = min(p.atOnce+1, maxInFlight)
			return
		}
	}

	p.atOnce = max(p.atOnce/2, 1)
	if a.Delivered {
		return
	}

	p.failures++
	if p.failures%strikes != 0 && !a.throttles() {
		return
	}

	p.pauses++
	p.until = now.Add(min(max(pauses.After(p.pauses), a.wait), maxPause))
}
