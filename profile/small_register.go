package profile

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
)

// smallRegister is one of the tax authority's smaller registers, behind the cache.
type smallRegister struct {
	*anaf.SmallRegister
	records
	requests chan struct{} // limits the concurrent requests of all lists
	later    *backgroundFetcher
}

// listCalls bounds the companies that all lists together request from a register, counted in calls. The rest of its
// queue is reserved for other callers.
const listCalls = 4

// newSmallRegister puts the cache in front of a loader.
func newSmallRegister(c *cache.Cache, life Lifetimes, of *anaf.SmallRegister, load Records) *smallRegister {
	kind := cache.Kind{
		Name: strings.TrimPrefix(of.Source, "anaf-"), Fresh: life.Fresh, StaleWhileRevalidate: life.Revalidate,
		StaleIfError: life.Stale, Unknown: life.Unknown, ErrUnknown: op.ErrUnknown,
	}
	r := &smallRegister{
		SmallRegister: of, records: newRecords(c, kind, load), requests: make(chan struct{}, listCalls*of.MaxBatch),
	}
	r.later = newBackgroundFetcher(r.warm)
	return r
}

// requestAll requests companies concurrently, so that they share calls. The result is complete once the group is done.
func (r *smallRegister) requestAll(ctx context.Context, companies []ro.CompanyDay,
	fetches *sync.WaitGroup) []registerAnswer {
	answers := make([]registerAnswer, len(companies))
	for i, company := range companies {
		q := r.query(company)
		if found, ok, err := q.stored(ctx); ok {
			answers[i] = r.answer(q, found, err)
			continue
		}

		fetches.Go(func() { answers[i] = r.lookUp(ctx, q) })
	}

	return answers
}

// lookUp answers about one company of a list, and converts a panic to an error, because a panic would end the process.
func (r *smallRegister) lookUp(ctx context.Context, q query) (a registerAnswer) {
	a.source = company.Source{Name: r.Source, Cache: op.Miss}
	defer panics.Recover(&a.err, "looking up the record of ", q.company)
	found, err := r.lookUpForList(ctx, q)
	return r.answer(q, found, err)
}

// lookUpForList waits for its turn, and looks up the record of one company of a list. If the list runs out of time
// first, the record is fetched in the background, unless the caller has disconnected or the fetch is in progress.
func (r *smallRegister) lookUpForList(ctx context.Context, q query) (found cache.Found[*anaf.Record], err error) {
	select {
	case r.requests <- struct{}{}:
		defer func() { <-r.requests }()
		found, err = whileBusy(ctx, q.get)
	case <-ctx.Done():
		err = ctx.Err()
	}

	if err != nil && err == ctx.Err() && errors.Is(context.Cause(ctx), cache.ErrUnattended) {
		r.later.add(ctx, []ro.CompanyDay{q.company})
	}

	return found, err
}

// registerAnswer is a register's answer about a company on a day.
type registerAnswer struct {
	entry  company.EInvoiceEntry // the zero value for failures
	err    error
	source company.Source
	fresh  op.Freshness
}

// answer converts an answer of the cache. While the cache keeps a record, the record is parsed only once.
func (r *smallRegister) answer(q query, found cache.Found[*anaf.Record], err error) registerAnswer {
	a := registerAnswer{err: err, source: company.Source{Name: r.Source, Cache: op.Miss}}
	on := retrievedOn(found.RetrievedAt)
	if q.isPast() {
		on = q.key.Day
	}

	if err == nil {
		memo := found.Memo(func(record *anaf.Record) any {
			entry, err := r.Entry(record, on)
			return &registerAnswer{entry: entry, err: err}
		}).(*registerAnswer)
		a.entry, a.err = memo.entry, memo.err
	}

	if errors.Is(a.err, op.ErrUnknown) { // an answer: the register does not have the company
		a.entry, a.err = company.EInvoiceEntry{Registered: new(false), Entries: []company.EInvoiceRegistration{}}, nil
	}
	if a.err != nil {
		return a
	}

	a.fresh, a.source = answerOf(&found, nil).Freshness, taxSource(found.RetrievedAt)
	a.source.Name, a.source.AsOf, a.source.Cache, a.source.Stale = r.Source, &on, a.fresh.Cache, found.Stale
	return a
}

// addTo adds the register's entry, source and freshness to an answer.
func (a *registerAnswer) addTo(answer *op.Answer[*company.Registers], cui ro.CUI) {
	answer.Value.Add(a.source, a.entry)
	if a.err == nil {
		answer.Freshness = answer.Freshness.With(a.fresh)
		return
	}

	answer.Cache, answer.MaxAge = op.Miss, 0 // it may soon be requested again
	// A register that leaves a company out of its answer has answered.
	answer.Value.Incomplete = answer.Value.Incomplete || !anaf.IsUnusable(cui, a.err)
}
