package company

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/upstream/anaf"
)

const (
	// maxAsked is how many companies all lists together may ask for at once: what the tax
	// authority answers in four calls. So two calls are always full, and the lookup's queue
	// has room for other callers.
	maxAsked = 4 * anaf.MaxBatch
	// maxAskedEach is how many of these a single list may take.
	maxAskedEach = 3 * anaf.MaxBatch
	// chunk is how many companies are reported at once at most; a chunk waits for linger for
	// more of the same call.
	chunk  = anaf.MaxBatch
	linger = 10 * time.Millisecond
	// quiet is how long nothing becomes known before an empty chunk says so.
	quiet = 10 * time.Second
	// maxDays is how many days of one company a list asks for at once: fewer than the
	// calls that are made before a question gives up.
	maxDays = 8
	// busyPause is how long to wait when the lookup's queue is full.
	busyPause = time.Second
)

// Companies implements [api.Companies]. The stored companies are answered first, without
// asking anybody. The others are asked for a few hundred at a time, and lists take turns,
// with each other and in the lookup's queue. Those that were not asked for in time are
// fetched in the background, with what is stale.
func (r *Register) Companies(ctx context.Context, companies []api.CompanyDay, wait time.Duration, each func([]api.Found) bool) {
	patient, cancel := context.WithTimeoutCause(anaf.InList(ctx), wait, cache.ErrUnattended)
	defer cancel()
	l := &list{register: r, ctx: patient, companies: companies, each: each, known: make(chan api.Found, min(len(companies), maxAskedEach)), askedOf: make(map[api.CUI]int)}
	if !l.stored() || l.ask() {
		return
	}
	if ctx.Err() == nil && patient.Err() != nil && !l.stopped {
		l.giveUp()
	}
}

// list is a list of companies being looked up, by the goroutine of its caller.
type list struct {
	register  *Register
	ctx       context.Context
	companies []api.CompanyDay
	each      func([]api.Found) bool

	days    int   // the most days of one company that have to be asked for
	waiting []int // indexes of the companies not yet asked for
	asked   int   // of which the outcome is not known
	askedOf map[api.CUI]int
	known   chan api.Found // by the goroutines that ask
	chunk   []api.Found    // to be reported
	stopped bool           // by the caller, who has heard enough
}

// stored reports what can be answered at once.
func (l *list) stored() bool {
	var old []api.CompanyDay
	days := make(map[api.CUI]int)
	for i, company := range l.companies {
		l.register.asked(company.CUI)
		answer, stale, ok, err := l.register.stored(l.ctx, company)
		if !ok {
			l.waiting = append(l.waiting, i)
			days[company.CUI]++
			l.days = max(l.days, days[company.CUI])
			continue
		}
		if stale {
			old = append(old, company)
		}

		l.chunk = append(l.chunk, api.Found{Index: i, Answer: answer, Err: err})
		if len(l.chunk) == chunk && !l.report() {
			return false
		}
	}

	l.register.later.add(l.ctx, old)
	return len(l.chunk) == 0 || l.report()
}

// ask asks for the others, and reports them as they become known. It reports false when
// the context ends, or the caller has heard enough, before all are known.
func (l *list) ask() bool {
	l.register.lists.Add(1)
	defer l.register.lists.Add(-1)
	silence := time.NewTimer(quiet)
	defer silence.Stop()
	var full <-chan time.Time // when the chunk is reported at the latest
	for len(l.waiting)+l.asked > 0 {
		var turn chan<- struct{}
		next := l.next()
		if next >= 0 && l.asked < l.share() {
			turn = l.register.asking
		}

		select {
		case turn <- struct{}{}:
			l.start(next)
			continue
		case found := <-l.known:
			l.settle(found, l.estimate())
			if full == nil {
				full = time.After(linger)
			}
			if len(l.chunk) < chunk && len(l.waiting)+l.asked > 0 {
				continue
			}
		case <-full:
		case <-silence.C:
		case <-l.ctx.Done():
			return false
		}

		if !l.report() {
			return false
		}
		full = nil
		silence.Reset(quiet)
	}

	return true
}

// share is how many companies the list may ask for at once: an equal part for each list.
func (l *list) share() int {
	return min(cap(l.known), max(maxAsked/int(l.register.lists.Load()), 1))
}

// next is the place among the waiting companies of the one to ask for next; -1 if there is
// none for now. Each day of a company takes a call of its own, and too many at once would
// give up while they wait for each other.
func (l *list) next() int {
	return slices.IndexFunc(l.waiting, func(i int) bool { return l.askedOf[l.companies[i].CUI] < maxDays })
}

// start asks for a waiting company, whose turn it is.
func (l *list) start(next int) {
	i := l.waiting[next]
	l.waiting = slices.Delete(l.waiting, next, next+1)
	l.asked++
	l.askedOf[l.companies[i].CUI]++
	go func() {
		answer, err := l.register.listed(l.ctx, l.companies[i])
		<-l.register.asking
		l.known <- api.Found{Index: i, Answer: answer, Err: err}
	}()
}

// listed looks up one company of a list. It waits while the queue is full, and longer than
// a single look-up for a registry that is slow.
func (r *Register) listed(ctx context.Context, company api.CompanyDay) (api.Answer[*api.Company], error) {
	past := r.past.of(company.Day)
	for {
		found, err := r.get(ctx, past, company)
		switch {
		case errors.Is(err, anaf.ErrBusy):
		case err == context.DeadlineExceeded && ctx.Err() == nil: // a single look-up would give up
			continue
		default:
			return r.answer(ctx, past, company, found, err)
		}

		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return api.Answer[*api.Company]{}, ctx.Err()
		}
	}
}

// giveUp reports the missing companies once the list's time is over. Those that were asked
// for continue without it; the others are fetched in the background.
func (l *list) giveUp() {
	retry := l.estimate()
	for l.asked > 0 {
		l.settle(<-l.known, retry)
	}

	later := make([]api.CompanyDay, len(l.waiting))
	for n, i := range l.waiting {
		later[n] = l.companies[i]
		l.chunk = append(l.chunk, api.Found{Index: i, Err: timedOut(retry)})
	}
	l.register.later.add(l.ctx, later)
	l.report()
}

// settle adds the outcome of a company that was asked for to the chunk. Every timeout says
// when to ask again, and any failure after the list's time is over is a timeout.
func (l *list) settle(found api.Found, retry time.Duration) {
	l.asked--
	l.askedOf[l.companies[found.Index].CUI]--
	var failure *api.Failure
	switch {
	case found.Err == nil || errors.Is(found.Err, api.ErrUnknown):
	case l.ctx.Err() != nil:
		found.Answer, found.Err = api.Answer[*api.Company]{}, timedOut(retry)
	case errors.As(found.Err, &failure) && failure.Kind == api.TimedOut && failure.RetryAfter < time.Second:
		again := *failure // which other callers share
		again.RetryAfter = retry
		found.Err = &again
	}

	l.chunk = append(l.chunk, found)
}

// estimate is about how long the missing companies take; at least a second.
//
// Each day of a company takes a call of its own.
func (l *list) estimate() time.Duration {
	missing := len(l.waiting) + l.asked
	return anaf.Estimate(max(missing, min(missing, l.days)*anaf.MaxBatch))
}

func timedOut(retry time.Duration) *api.Failure {
	return &api.Failure{Registry: taxAuthority, Kind: api.TimedOut, RetryAfter: retry,
		Err: errors.New("waiting for a list of companies")}
}

// report reports a chunk, which may be empty. It must not be called again after it has
// reported false.
func (l *list) report() bool {
	known := l.chunk
	l.chunk = nil
	l.stopped = !l.each(known)
	return !l.stopped
}
