package vies

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/internal/vatid"
	"github.com/rodata/rodata/upstream"
)

const (
	// atOnce is how many questions a state gets at once. Its limit is shared by all users of VIES and is not published.
	atOnce = 2
	// mostQueued is how many questions to one state wait, those between two tries included.
	mostQueued = 200
	// firstPause is the pause before the second try; each later one doubles it, up to lastPause.
	firstPause = time.Second
	lastPause  = 8 * time.Second
	// patience bounds a question with all its tries.
	patience = 25 * time.Second
)

// Connections is how many connections to VIES all lanes together need, so that one state that hangs delays no other.
const Connections = 64

// lane is the queue of the questions to one member state.
type lane struct {
	state   vatid.State
	slots   chan struct{}
	breaker *upstream.Breaker
	ask     func(context.Context, Question) (attempt, error)
	queued  atomic.Int32

	mu      sync.Mutex
	trouble error // why the last question failed; nil if it was answered
}

// attempt is what one question brought. That the state is busy is an answer to the breaker.
type attempt struct {
	Verdict
	busy error
}

func newLane(state vatid.State, check func(context.Context, Question) (Verdict, error), s upstream.BreakerSettings) *lane {
	l := &lane{state: state, slots: make(chan struct{}, atOnce), breaker: upstream.NewBreaker(Name, s)}
	l.ask = upstream.Guard(l.breaker, func(ctx context.Context, q Question) (attempt, error) {
		v, err := check(ctx, q)
		if isBusy(err) {
			return attempt{busy: err}, nil
		}
		return attempt{Verdict: v}, err
	})
	return l
}

// check asks about a number, again and again while that may help. The error is an *api.Failure, one of the refusals, or
// cache.ErrPutOff when nobody waits any more.
func (l *lane) check(ctx context.Context, q Question, d cache.Demand) (Verdict, error) {
	if l.queued.Add(1) > mostQueued {
		l.queued.Add(-1)
		return Verdict{}, &api.Failure{Registry: Name, Part: l.state.Name(), Kind: api.Closed, RetryAfter: busyPause, Err: errFull}
	}
	defer l.queued.Add(-1)

	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for pause := firstPause; ; pause *= 2 {
		v, err := l.once(ctx, q, d)
		l.note(err)
		if err == nil || !mayHelp(err) || pause > lastPause {
			return v, err
		}
		if !sleep(ctx, pause, d) {
			return v, err
		}
	}
}

// once waits for a slot and asks. Nothing holds a slot between two tries, so that those who have not asked yet come first.
func (l *lane) once(ctx context.Context, q Question, d cache.Demand) (Verdict, error) {
	select {
	case l.slots <- struct{}{}:
	default:
		select {
		case l.slots <- struct{}{}:
		case <-d.Abandoned():
			return Verdict{}, cache.ErrPutOff
		case <-ctx.Done():
			return Verdict{}, &api.Failure{Registry: Name, Part: l.state.Name(), Kind: api.TimedOut, RetryAfter: busyPause,
				Err: fmt.Errorf("it was not the question's turn: %w", ctx.Err())}
		}
	}
	defer func() { <-l.slots }()

	got, err := l.ask(ctx, q)
	if got.busy != nil {
		err = got.busy
	}
	if errors.Is(err, upstream.ErrNotAsked) { // the breaker does not know whose it is
		err = ofState(l.state, err)
	}
	return got.Verdict, err
}

// sleep waits for about a pause. It reports false when there is no time for another try, or nobody waits for it.
func sleep(ctx context.Context, pause time.Duration, d cache.Demand) bool {
	timer := time.NewTimer(pause/2 + rand.N(pause))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-d.Abandoned():
	case <-ctx.Done():
	}
	return false
}

// note remembers how the last question ended. A number that is refused was answered.
func (l *lane) note(err error) {
	if errors.Is(err, cache.ErrPutOff) || errors.Is(err, context.Canceled) {
		return
	}
	if errors.Is(err, upstream.ErrRejected) {
		err = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trouble = err
}

// lastTrouble is why the last question failed; nil if it was answered.
func (l *lane) lastTrouble() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trouble
}

var errFull = fmt.Errorf("%d questions wait already", mostQueued)
