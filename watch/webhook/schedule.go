package webhook

import (
	"math/rand/v2"
	"time"

	"github.com/rodata/rodata/internal/queue"
)

// schedule has the pauses after failed attempts that the specification recommends: 75 hours and 35 minutes in total.
var schedule = queue.Backoff{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
	20 * time.Hour, 24 * time.Hour,
}

// disableAfter is the time for which all attempts must have failed before a webhook is disabled.
const disableAfter = 72 * time.Hour

// jittered lengthens a pause by up to a tenth, so that deliveries that failed together are not retried together.
func jittered(pause time.Duration) time.Duration { return pause + rand.N(pause/10+1) }

const (
	// firstAtOnce is the initial number of concurrent requests to an endpoint. Each quick success raises it by one, up
	// to mostAtOnce; each failure and each slow response halves it.
	firstAtOnce = 8
	mostAtOnce  = 32
	// slow is the duration from which a response counts as slow.
	slow = 2 * time.Second

	// strikes is the number of consecutive failures before sending to an endpoint pauses.
	strikes = 5
	// mostRest limits how long an endpoint can make its deliveries pause. The failed delivery itself waits as long as
	// requested.
	mostRest = time.Hour
)

// rests are the pauses of an endpoint after repeated failures.
var rests = queue.Backoff{5 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute}

// pace controls how fast events are sent to an endpoint.
type pace struct {
	atOnce   int
	failures int // consecutive
	rests    int // consecutive
	until    time.Time
}

// note adjusts the pace after a response.
func (p *pace) note(a *answer, now time.Time) {
	if a.failure == "" {
		p.failures, p.rests = 0, 0
		if a.duration < slow {
			p.atOnce = min(p.atOnce+1, mostAtOnce)
			return
		}
	}

	p.atOnce = max(p.atOnce/2, 1)
	if a.failure == "" {
		return
	}

	p.failures++
	if p.failures%strikes != 0 && !a.throttles() {
		return
	}

	p.rests++
	p.until = now.Add(min(max(rests.After(p.rests), a.wait), mostRest))
}
