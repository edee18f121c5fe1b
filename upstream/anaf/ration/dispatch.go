package ration

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
)

// dispatch starts calls until the context ends. It starts the next one as soon as there are requests, the pace allows
// it, and fewer calls run than allowed.
func (l *Lookup) dispatch(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		wait := l.due()
		if wait <= 0 {
			wait = l.turn(ctx)
		}
		if wait <= 0 && l.start(ctx) {
			continue
		}

		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-l.wake:
		case <-ctx.Done():
			return
		}
	}
}

// due returns the wait before the next call, at most 0 if one may start.
func (l *Lookup) due() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wait(time.Now())
}

// wait is like due, for callers that hold the lock.
func (l *Lookup) wait(now time.Time) time.Duration {
	if l.waitingCount() > 0 || l.paced.isReady() {
		return max(l.pacer.wait(now), l.gatherWait(now))
	}
	return l.waitAhead(now)
}

// gatherTime is the time that a call with free slots waits for more requests, in the background and in a [BatchLookup].
// The companies of a list are queued one by one, so without this wait the first one would get a separate call.
const gatherTime = 20 * time.Millisecond

// gatherWait returns the remaining time to wait for more background requests. It is 0 for more urgent requests and for
// a full call.
func (l *Lookup) gatherWait(now time.Time) time.Duration {
	background := &l.queue[refresh]
	if n := background.length; n == 0 || n >= anaf.MaxBatch || n < l.waitingCount() || l.paced.isReady() {
		return 0
	}
	return background.oldest().since.Add(gatherTime).Sub(now)
}

// start starts the next call. It reports false if there is none, because all waiting requests have been abandoned.
func (l *Lookup) start(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.wait(now) > 0 {
		return false
	}

	l.pacer.start(now)

	background := l.queue[refresh].length + l.queue[alone].length
	if c := l.paced.next(l.waitingCount()-background, background); c != nil {
		l.running.Go(func() { l.callPaced(ctx, c) })
		return true
	}

	b := l.nextBatch()
	for _, r := range b.requests() {
		r.onWire = true
	}

	l.running.Go(func() { l.call(ctx, b) })
	return true
}

// nextBatch chooses the next batch. A probe goes first, since its suspects have already waited. But if it is unknown
// whether the registry is healthy, an ordinary batch goes first to find out.
func (l *Lookup) nextBatch() batch {
	s := &l.bisector
	if len(s.groups) > 0 && (s.healthy || l.queue[again].length == 0) {
		b := s.next()
		if !b.apart {
			b.others = l.queue.batch(b.probe, anaf.MaxBatch)[len(b.probe):]
		}
		return b
	}

	b := l.queue.ordinary()
	b.excused = s.healthy && !b.ordinary()
	return b
}

// call makes one call, and settles its requests or queues them once more. It does not hold the lock or the pace
// meanwhile, so only these requests wait for it.
func (l *Lookup) call(ctx context.Context, b batch) {
	ctx, cancel := context.WithTimeout(ctx, l.options.Deadline)
	defer cancel()
	if b.excused {
		ctx = anaf.WithExcuse(ctx)
	}

	asked := ro.Today()
	results, err := l.ask(ctx, b.companies())
	l.rest(ctx, err)
	l.end(b, err)

	if err == nil && l.options.Observe != nil {
		l.observe(ctx, asked, results)
	}

	l.resolve(b, results, err)
}

// observe calls the observer and recovers its panics, so that callers are still answered.
func (l *Lookup) observe(ctx context.Context, asked ro.Date, results map[ro.CompanyDay]anaf.Result) {
	defer func() { _ = recover() }()
	l.options.Observe(ctx, asked, results)
}

// end lets the next call start.
func (l *Lookup) end(b batch, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.wakeDispatcher()
	l.pacer.end(time.Now(), err)
	if !errors.Is(err, upstream.ErrNotSent) {
		l.stats.Calls++
		l.stats.Companies += uint64(b.len())
	}
}

// resolve resolves the requests of a call or queues them once more.
func (l *Lookup) resolve(b batch, results map[ro.CompanyDay]anaf.Result, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.wakeDispatcher()
	now := time.Now()
	if err != nil {
		l.carryOut(b, l.bisector.afterFailure(b, err, now), err)
		return
	}

	for _, r := range b.requests() {
		result := anaf.ResultOf(results, r.company)
		if result.Incomplete {
			l.stats.Incomplete++
		}
		if result.Misdated {
			l.stats.Misdated++
		}
		if result.Disagrees {
			l.stats.Disagreements++
		}

		r.resolve(result)
	}

	l.carryOut(b, l.bisector.afterSuccess(b, now), nil)
}

// carryOut settles or queues the requests of a finished batch. It drops requests that were abandoned in the meantime.
func (l *Lookup) carryOut(b batch, d decision, err error) {
	for _, r := range d.final {
		if r.hung != nil && errors.Is(err, upstream.ErrNotSent) { // the breaker blocked its second call
			r.resolve(anaf.Result{Err: r.hung})
		}
		r.resolve(anaf.Result{Err: err})
	}

	for _, r := range d.again {
		l.queue.pushAs(again, r)
	}

	for _, r := range d.alone {
		l.queue.pushAs(alone, r)
	}
	if d.split {
		l.stats.Split++
	}

	for _, r := range slices.Concat(b.requests(), b.rest) {
		r.onWire = false
		if r.abandoned {
			l.drop(r)
		}
	}
}

// ask calls fetch, and converts a panic to an error, because a panic would end the process.
func (l *Lookup) ask(ctx context.Context, companies []ro.CompanyDay) (results map[ro.CompanyDay]anaf.Result,
	err error) {
	defer panics.Recover(&err, "querying about ", len(companies), " companies")
	return l.fetch(ctx, companies)
}
