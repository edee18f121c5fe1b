package profile

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

// smallRegister is one of the tax authority's smaller registers, behind the cache. E is the type of its parsed records.
type smallRegister[E any] struct {
	source string // its name in sources
	read   func(record *anaf.Record, on ro.Date) (E, error)
	records
	requests chan struct{} // limits the concurrent requests of all lists
	later    *backgroundFetcher
}

// listCalls bounds the companies that all lists together request from a register, counted in calls. The rest of its
// queue is reserved for other callers.
const listCalls = 4

// newSmallRegister puts the cache in front of a loader, whose calls take up to batchSize companies.
func newSmallRegister[E any](c *cache.Cache, life Lifetimes, source, kind string, batchSize int, load Records,
	read func(*anaf.Record, ro.Date) (E, error)) *smallRegister[E] {
	k := cache.Kind{
		Name: kind, Fresh: life.Fresh, StaleWhileRevalidate: life.Revalidate, StaleIfError: life.Stale,
		Unknown: life.Unknown, ErrUnknown: op.ErrUnknown,
	}
	r := &smallRegister[E]{
		source: source, read: read, records: newRecords(c, k, load), requests: make(chan struct{}, listCalls*batchSize),
	}
	r.later = newBackgroundFetcher(r.warm)
	return r
}

// awaitRecord returns the record of exactly the requested day, and waits for it as long as a caller may.
func (r *smallRegister[E]) awaitRecord(ctx context.Context, asked ro.CompanyDay) (cache.Found[*anaf.Record], error) {
	if past := r.pastOf(asked.Day); past != nil {
		return awaitRecord(ctx, past, asked)
	}
	return awaitRecord(ctx, r.today, asked.CUI)
}

func (r *smallRegister[E]) storedRecord(ctx context.Context,
	asked ro.CompanyDay) (cache.Found[*anaf.Record], bool, error) {
	if past := r.pastOf(asked.Day); past != nil {
		return past.Stored(ctx, asked)
	}
	return r.today.Stored(ctx, asked.CUI)
}

// requestAll requests companies concurrently, so that they share calls. The result is complete once the group is done.
func (r *smallRegister[E]) requestAll(ctx context.Context, companies []ro.CompanyDay,
	fetches *sync.WaitGroup) []registerAnswer[E] {
	answers := make([]registerAnswer[E], len(companies))
	for i, company := range companies {
		if found, ok, err := r.storedRecord(ctx, company); ok {
			answers[i] = r.answer(company, found, err)
			continue
		}

		fetches.Go(func() { answers[i] = r.lookUp(ctx, company) })
	}

	return answers
}

// lookUp answers about one company of a list, and converts a panic to an error, because a panic would end the process.
func (r *smallRegister[E]) lookUp(ctx context.Context, asked ro.CompanyDay) (a registerAnswer[E]) {
	a.source = company.Source{Name: r.source, Cache: op.Miss}
	defer panics.Recover(&a.err, "looking up the record of ", asked)
	found, err := r.lookUpForList(ctx, asked)
	return r.answer(asked, found, err)
}

// lookUpForList looks up a record of a list in its turn. It waits while the queue is full. If the list's time is over
// before the company was requested, the company is fetched in the background.
func (r *smallRegister[E]) lookUpForList(ctx context.Context,
	asked ro.CompanyDay) (found cache.Found[*anaf.Record], err error) {
	select {
	case r.requests <- struct{}{}:
		defer func() { <-r.requests }()
	case <-ctx.Done():
		return found, r.putOff(ctx, asked)
	}

	for {
		if found, err = r.get(ctx, r.pastOf(asked.Day), asked); !errors.Is(err, ration.ErrBusy) {
			return found, err
		}

		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return found, r.putOff(ctx, asked)
		}
	}
}

// putOff leaves a company for a background fetch, unless its caller has disconnected. It returns the context's error.
func (r *smallRegister[E]) putOff(ctx context.Context, asked ro.CompanyDay) error {
	if errors.Is(context.Cause(ctx), cache.ErrUnattended) {
		r.later.add(ctx, []ro.CompanyDay{asked})
	}
	return ctx.Err()
}

// registerAnswer is a register's answer about a company on a day.
type registerAnswer[E any] struct {
	entry  E // the zero value for op.ErrUnknown and failures
	err    error
	source company.Source
	fresh  op.Freshness
}

// answer converts an answer of the cache. While the cache keeps a record, the record is parsed only once.
func (r *smallRegister[E]) answer(asked ro.CompanyDay, found cache.Found[*anaf.Record],
	err error) registerAnswer[E] {
	a := registerAnswer[E]{err: err, source: company.Source{Name: r.source, Cache: op.Miss}}
	on := retrievedOn(found.RetrievedAt)
	if r.pastOf(asked.Day) != nil {
		on = asked.Day
	}

	if err == nil {
		type parsed struct {
			entry E
			err   error
		}
		memo := found.Memo(func(record *anaf.Record) any {
			entry, err := r.read(record, on)
			return &parsed{entry, err}
		}).(*parsed)
		a.entry, a.err = memo.entry, memo.err
	}

	if !a.hasAnswer() {
		return a
	}

	a.fresh, a.source = answerOf(&found, nil).Freshness, taxSource(found.RetrievedAt)
	a.source.Name, a.source.AsOf, a.source.Cache, a.source.Stale = r.source, &on, a.fresh.Cache, found.Stale
	return a
}

// hasAnswer reports whether the register answered, even if only that it does not have the company.
func (a *registerAnswer[E]) hasAnswer() bool { return a.err == nil || errors.Is(a.err, op.ErrUnknown) }

// isUnlisted reports whether the register answered that it does not have the company.
func (a *registerAnswer[E]) isUnlisted() bool { return errors.Is(a.err, op.ErrUnknown) }

// hasFailed reports whether the register could not be queried, and may answer later. A register that leaves a company
// out of its answer has answered.
func (a *registerAnswer[E]) hasFailed(company ro.CUI) bool {
	return !a.hasAnswer() && !anaf.IsUnusable(company, a.err)
}

// describe adds the register's source and freshness to an answer.
func (a *registerAnswer[E]) describe(answer *op.Answer[*company.Registers]) {
	answer.Value.Sources = append(answer.Value.Sources, a.source)
	if !a.hasAnswer() {
		answer.Cache, answer.MaxAge = op.Miss, 0 // it may soon be requested again
		return
	}

	answer.Freshness = answer.Freshness.With(a.fresh)
}
