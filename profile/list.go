package profile

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

const (
	// maxRequested is the maximum number of companies that all lists together request concurrently. The tax authority
	// answers as many in four calls, so two calls are always full, and the lookup's queue has room for other callers.
	maxRequested = 4 * anaf.MaxBatch
	// maxRequestedEach is the maximum for a single list.
	maxRequestedEach = 3 * anaf.MaxBatch
	// maxGroup is the maximum number of companies reported at once; a group waits for linger for more of the same call.
	maxGroup = anaf.MaxBatch
	linger   = 10 * time.Millisecond
	// heartbeat is the interval of empty groups while nothing becomes known.
	heartbeat = 10 * time.Second
	// maxDays is the maximum number of days of one company that a list requests concurrently. Each takes a separate
	// call, and a request times out after more calls than this.
	maxDays = 8
	// busyPause is the pause when the lookup's queue is full.
	busyPause = time.Second
)

// Companies implements [company.Companies]. It answers stored companies first, without querying a registry. It
// requests the others a few hundred at a time; lists take turns with each other and in the lookup's queue. Stale
// companies, and companies not requested in time, are fetched in the background.
func (r *Register) Companies(ctx context.Context, companies []ro.CompanyDay, wait time.Duration,
	each func([]company.Found) bool) {
	patient, cancel := context.WithTimeoutCause(ration.InList(ctx), wait, cache.ErrUnattended)
	defer cancel()
	l := &list{register: r, ctx: patient, companies: companies, each: each,
		known: make(chan company.Found, min(len(companies), maxRequestedEach)), askedOf: make(map[ro.CUI]int)}
	if !l.reportStored() || l.requestMissing() {
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
	companies []ro.CompanyDay
	each      func([]company.Found) bool

	days    int   // the maximum number of days to request for one company
	waiting []int // indexes of the companies not yet requested
	asked   int   // requested, without an outcome so far
	askedOf map[ro.CUI]int
	known   chan company.Found // sent by the requesting goroutines
	group   []company.Found    // to be reported
	stopped bool               // the caller wants no more
}

// reportStored reports the companies that can be answered at once.
func (l *list) reportStored() bool {
	var old []ro.CompanyDay
	days := make(map[ro.CUI]int)
	for i, c := range l.companies {
		l.register.notifyRequest(c.CUI)
		answer, stale, ok, err := l.register.storedAnswer(l.ctx, l.register.query(c))
		if !ok {
			l.waiting = append(l.waiting, i)
			days[c.CUI]++
			l.days = max(l.days, days[c.CUI])
			continue
		}

		if stale {
			old = append(old, c)
		}

		l.group = append(l.group, company.Found{Index: i, Answer: answer, Err: err})
		if len(l.group) == maxGroup && !l.report() {
			return false
		}
	}

	l.register.background.add(l.ctx, old)
	return len(l.group) == 0 || l.report()
}

// requestMissing requests the companies that are not stored, and reports them as they become known. It returns false
// if, before all are known, the context ends or the caller wants no more.
func (l *list) requestMissing() bool {
	l.register.lists.Add(1)
	defer l.register.lists.Add(-1)
	beat := time.NewTimer(heartbeat)
	defer beat.Stop()
	var full <-chan time.Time // the latest time to report the group
	for len(l.waiting)+l.asked > 0 {
		var turn chan<- struct{}
		next := l.next()
		if next >= 0 && l.asked < l.share() {
			turn = l.register.requests
		}

		select {
		case turn <- struct{}{}:
			l.start(next)
			continue
		case found := <-l.known:
			l.add(found, l.estimate())
			if full == nil {
				full = time.After(linger)
			}
			if len(l.group) < maxGroup && len(l.waiting)+l.asked > 0 {
				continue
			}
		case <-full:
		case <-beat.C:
		case <-l.ctx.Done():
			return false
		}

		if !l.report() {
			return false
		}

		full = nil
		beat.Reset(heartbeat)
	}

	return true
}

// share returns the number of companies that the list may request concurrently. Every list gets an equal part.
func (l *list) share() int {
	return min(cap(l.known), max(maxRequested/int(l.register.lists.Load()), 1))
}

// next returns the position of the next waiting company to request. It returns -1 if there is none at the moment. Each
// day of a company takes a separate call, and too many at once would time out while they wait for each other.
func (l *list) next() int {
	return slices.IndexFunc(l.waiting, func(i int) bool { return l.askedOf[l.companies[i].CUI] < maxDays })
}

// start requests a waiting company.
func (l *list) start(next int) {
	i := l.waiting[next]
	l.waiting = slices.Delete(l.waiting, next, next+1)
	l.asked++
	l.askedOf[l.companies[i].CUI]++
	go func() {
		found := l.lookUp(i)
		<-l.register.requests
		l.known <- found
	}()
}

// lookUp looks up one company of the list, and converts a panic to an error, because a panic would end the process.
func (l *list) lookUp(i int) (found company.Found) {
	found.Index = i
	defer panics.Recover(&found.Err, "looking up company ", l.companies[i])
	found.Answer, found.Err = l.register.lookUpForList(l.ctx, l.companies[i])
	return found
}

// lookUpForList looks up one company of a list. It waits while the queue is full, and waits longer for a slow registry
// than a single look-up does.
func (r *Register) lookUpForList(ctx context.Context, c ro.CompanyDay) (op.Answer[*company.Company], error) {
	q := r.query(c)
	for {
		found, err := whileBusy(ctx, q.get)
		if err != context.DeadlineExceeded || ctx.Err() != nil { // a single look-up would give up
			return r.answer(ctx, q, found, err)
		}
	}
}

// whileBusy repeats a look-up while the queue is full.
func whileBusy[V any](ctx context.Context, lookUp func(context.Context) (V, error)) (V, error) {
	for {
		value, err := lookUp(ctx)
		if !errors.Is(err, ration.ErrBusy) {
			return value, err
		}

		if err := work.Sleep(ctx, busyPause); err != nil {
			return value, err
		}
	}
}

// giveUp reports the missing companies once the list's time is over. Requests in progress continue without the list,
// and the other companies are fetched in the background.
func (l *list) giveUp() {
	retry := l.estimate()
	for l.asked > 0 {
		l.add(<-l.known, retry)
	}

	later := make([]ro.CompanyDay, len(l.waiting))
	for n, i := range l.waiting {
		later[n] = l.companies[i]
		l.group = append(l.group, company.Found{Index: i, Err: timedOut(retry)})
	}

	l.register.background.add(l.ctx, later)
	l.report()
}

// add adds the outcome of a requested company to the group. Every timeout has a Retry-After. Once the list's time is
// over, any failure counts as a timeout.
func (l *list) add(found company.Found, retry time.Duration) {
	l.asked--
	l.askedOf[l.companies[found.Index].CUI]--
	failure, _ := errors.AsType[*op.Failure](found.Err)
	switch {
	case found.Err == nil || errors.Is(found.Err, op.ErrUnknown):
	case l.ctx.Err() != nil:
		found.Answer, found.Err = op.Answer[*company.Company]{}, timedOut(retry)
	case failure != nil && failure.Kind == op.TimedOut && failure.RetryAfter < time.Second:
		again := *failure // shared with other callers
		again.RetryAfter = retry
		found.Err = &again
	}

	l.group = append(l.group, found)
}

// estimate returns the approximate time until the missing companies are known, at least a second. Each day of a company
// takes a separate call.
func (l *list) estimate() time.Duration {
	missing := len(l.waiting) + l.asked
	return ration.Estimate(max(missing, min(missing, l.days)*anaf.MaxBatch))
}

func timedOut(retry time.Duration) *op.Failure {
	return &op.Failure{Registry: taxAuthority, Kind: op.TimedOut, RetryAfter: retry,
		Err: errors.New("waiting for a list of companies")}
}

// report reports a group, which may be empty. It must not be called again after it has returned false.
func (l *list) report() bool {
	known := l.group
	l.group = nil
	l.stopped = !l.each(known)
	return !l.stopped
}
