package webhook

import (
	"math/rand/v2"
	"time"

	"github.com/rodata/rodata/internal/queue"
)

// schedule are the pauses after failed tries, as the specification recommends: 75 hours and 35 minutes in all.
var schedule = queue.Backoff{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
	20 * time.Hour, 24 * time.Hour,
}

// disableAfter is for how long all tries have failed when a webhook is disabled.
const disableAfter = 72 * time.Hour

// jittered is a pause that is up to a tenth longer, so that what failed together is not tried together.
func jittered(pause time.Duration) time.Duration { return pause + rand.N(pause/10+1) }

const (
	// firstAtOnce is how many requests an endpoint gets at once in the beginning. Each quick success allows one more, up
	// to mostAtOnce; each failure and each slow answer halves it.
	firstAtOnce = 8
	mostAtOnce  = 32
	// slow is how long an answer takes that is slow.
	slow = 2 * time.Second

	// strikes is how many tries in a row fail before an endpoint gets a rest.
	strikes = 5
	// mostRest bounds a rest that the endpoint asked for. The delivery waits as long as it asked for.
	mostRest = time.Hour
)

// rests are the rests of an endpoint whose tries fail in a row.
var rests = queue.Backoff{5 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute}

// pace is how fast an endpoint is sent events.
type pace struct {
	atOnce   int
	failures int // in a row
	rests    int // in a row
	until    time.Time
}

// note learns from an answer.
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
