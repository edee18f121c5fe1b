package company

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/upstream/anaf"
)

// taxRegister is one of the tax authority's registers beside that of taxpayers, behind the
// cache.
type taxRegister struct {
	source string // its name in sources
	today  *cache.Facts[api.CUI, *anaf.Record]
	past   pastRecords
	asking chan struct{} // limits what all lists ask for at once
	later  *later
}

// newTaxRegister puts the cache in front of a loader of records, of which one call asks for so
// many.
func newTaxRegister(c *cache.Cache, life Lifetimes, source, kind string, most int, fetch Records) *taxRegister {
	k := cache.Kind{
		Name: kind, Fresh: life.Fresh, StaleWhileRevalidate: life.Revalidate, StaleIfError: life.Stale,
		Unknown: life.Unknown, ErrUnknown: api.ErrUnknown,
	}
	r := &taxRegister{
		source: source, today: cache.ThroughLoader(c, k, ofToday(fetch)), past: newPastRecords(c, k, fetch),
		asking: make(chan struct{}, listCalls*most),
	}
	r.later = newLater(r.warm)
	return r
}

// listCalls is how many calls' worth of companies all lists together may ask a register for at
// once. The rest of its queue is left to other callers.
const listCalls = 4

func (r *taxRegister) get(ctx context.Context, asked api.CompanyDay) (cache.Found[*anaf.Record], error) {
	if past := r.past.of(asked.Day); past != nil {
		return past.Get(ctx, asked)
	}
	return r.today.Get(ctx, asked.CUI)
}

// patiently looks up a record for a caller who wants no other.
func (r *taxRegister) patiently(ctx context.Context, asked api.CompanyDay) (cache.Found[*anaf.Record], error) {
	if past := r.past.of(asked.Day); past != nil {
		return patiently(ctx, past, asked)
	}
	return patiently(ctx, r.today, asked.CUI)
}

func (r *taxRegister) stored(ctx context.Context, asked api.CompanyDay) (found cache.Found[*anaf.Record], ok bool, err error) {
	if past := r.past.of(asked.Day); past != nil {
		return past.Stored(ctx, asked)
	}
	return r.today.Stored(ctx, asked.CUI)
}

// warm fetches a record in the background.
func (r *taxRegister) warm(ctx context.Context, asked api.CompanyDay, done func(error)) {
	if past := r.past.of(asked.Day); past != nil {
		past.Warm(ctx, asked, done)
		return
	}
	r.today.Warm(ctx, asked.CUI, done)
}

// listed looks up a record of a list, when it is its turn. It waits while the queue is full. What
// has not been asked for when the list's time is over is fetched in the background.
func (r *taxRegister) listed(ctx context.Context, asked api.CompanyDay) (found cache.Found[*anaf.Record], err error) {
	select {
	case r.asking <- struct{}{}:
		defer func() { <-r.asking }()
	case <-ctx.Done():
		return found, r.putOff(ctx, asked)
	}

	for {
		if found, err = r.get(ctx, asked); !errors.Is(err, anaf.ErrBusy) {
			return found, err
		}
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return found, r.putOff(ctx, asked)
		}
	}
}

// putOff leaves a company for later, unless its caller has gone. It returns the context's error.
func (r *taxRegister) putOff(ctx context.Context, asked api.CompanyDay) error {
	if errors.Is(context.Cause(ctx), cache.ErrUnattended) {
		r.later.add(ctx, []api.CompanyDay{asked})
	}
	return ctx.Err()
}

// said is what a register answered about a company on a day, and how old that is.
type said struct {
	entry any // as read: api.RegisterEntry or api.EInvoiceEntry; nil when the company has none
	err   error
	found cache.Found[*anaf.Record]
	asked api.CompanyDay
}

// reader reads a record about a day.
type reader func(*anaf.Record, api.Date) (any, error)

// read reads the record of an answer. It is read once while the cache keeps it.
func (r *taxRegister) read(asked api.CompanyDay, found cache.Found[*anaf.Record], err error, read reader) said {
	s := said{err: err, found: found, asked: asked}
	if err != nil {
		return s
	}

	once := found.Memo(func(record *anaf.Record) any {
		entry, err := read(record, r.day(s))
		return &said{entry: entry, err: err}
	}).(*said)
	s.entry, s.err = once.entry, once.err
	return s
}

// day is the day that an answer is about.
func (r *taxRegister) day(s said) api.Date {
	if r.past.of(s.asked.Day) != nil {
		return s.asked.Day
	}
	return retrievedOn(s.found.RetrievedAt)
}

// answered reports whether the register said something, if only that it does not have the
// company.
func (s *said) answered() bool { return s.err == nil || errors.Is(s.err, api.ErrUnknown) }

// sourceOf is the source entry of an answer.
func (r *taxRegister) sourceOf(s said) api.Source {
	if !s.answered() {
		return api.Source{Name: r.source, Cache: api.Miss}
	}
	source := taxSource(s.found.RetrievedAt)
	source.Name, source.AsOf, source.Stale = r.source, new(r.day(s)), s.found.Stale
	if s.found.Hit {
		source.Cache = api.Hit
	}
	return source
}
