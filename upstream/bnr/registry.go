// Package bnr is the central bank as a registry: the archive of its reference
// rates since 2005-01-03, in memory and on disk, and the keeper that fetches
// them. What was fetched once is answered without the bank from then on.
//
// # Files
//
// The directory of the archive has one text file a year, fixings-2026.txt:
//
//	rodata fixings 1: RON per unit, as published by the National Bank of Romania
//	year 2026
//	known 2026-01-01 2026-01-06
//	2026-01-05 2026-01-05T11:02:31Z EUR=5.0905 HUF=0.013247 USD=4.3557
//	crc32 c0ffee00
//
// A line "known" names a run of days, both included, of which the file has every
// fixing there is. Each fixing has its day, the instant (UTC) at which the bank
// gave it, and the price in RON of one unit of each currency. The last line is
// the CRC-32 (IEEE) of all bytes before it, in hexadecimal. A file is only ever
// replaced as a whole; one that is damaged is renamed to end in .damaged and its
// year is fetched anew.
package bnr

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

const name = "bnr" // the registry's, in failures

// Options are what the archive needs to know.
type Options struct {
	// Client is the connection to the bank. Required.
	Client Bank
	// Library is where fixings are kept. Required.
	Library *Library
	// Logger receives what an operator should know. Default slog.Default().
	Logger *slog.Logger
	// Now is the wall clock. Default time.Now.
	Now func() time.Time
	// FillEvery is the pause between two documents of past years that the keeper
	// fetches in advance. Default 3 s.
	FillEvery time.Duration
	// Patience bounds how long a question waits for the bank, for all documents
	// together that it needs; LastQuoted, for those of each year. Default 8 s.
	Patience time.Duration
	// MaxFactor is by how much a currency may rise or fall from one fixing to the
	// next. A document with more is refused whole, with a line in the log that
	// names the rate. Default 2; raise it to let a true jump of that size in.
	MaxFactor int
}

// Registry answers from a library, and asks the bank for what it lacks; it
// implements api.Fixings. The rates in its answers are shared and must not be
// changed. It is safe for concurrent use.
type Registry struct {
	*Library
	o       Options
	breaker *upstream.Breaker
	ask     func(context.Context, paper) (edition, error)
	flights *flights
	jitter  time.Duration
	factor  api.Decimal
	checks  checks // guarded by the library's lock
}

var _ api.Fixings = (*Registry)(nil)

// Open makes a registry. It does not ask the bank, and fails only when a required
// option is missing.
func Open(o Options) (*Registry, error) {
	if o.Client == nil {
		return nil, errors.New("opening the archive of fixings: no client for the central bank is given")
	}
	if o.Library == nil {
		return nil, errors.New("opening the archive of fixings: no library is given")
	}
	setDefaults(&o)
	r := &Registry{
		Library: o.Library, o: o,
		breaker: upstream.NewBreaker(name, breakerSettings),
		flights: newFlights(), jitter: rand.N(maxJitter), factor: mustDecimal(strconv.Itoa(o.MaxFactor)),
	}
	r.ask = upstream.Guard(r.breaker, r.read)
	r.checks.asked = r.lastRetrieved()
	return r, nil
}

func setDefaults(o *Options) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.FillEvery <= 0 {
		o.FillEvery = 3 * time.Second
	}
	if o.Patience <= 0 {
		o.Patience = 8 * time.Second
	}
	if o.MaxFactor < 2 {
		o.MaxFactor = 2
	}
}

// Close ends what is being fetched and writes what could not be written before.
// Run must have returned. Questions are still answered, from memory.
func (r *Registry) Close() error {
	r.flights.close()
	_, err := r.save()
	return err
}

// On is the last fixing published on or before a day. The zero Date, and today,
// mean the latest there is, which with the bank out of reach may be an old one:
// the freshness says so. A past day is answered only when it is certain that no
// later fixing precedes it; else the error is an *api.Failure. A day before
// 2005-01-03 is api.ErrUnknown.
func (r *Registry) On(ctx context.Context, day api.Date) (api.Fixing, api.Freshness, error) {
	if day != 0 && day < firstDay {
		return api.Fixing{}, api.Freshness{}, api.ErrUnknown
	}
	today := r.today()
	fetched, err := r.gather(ctx, day, func(a *archive) (int, bool) {
		if day == 0 {
			return 0, false
		}
		return a.lacksFixing(day, today)
	})
	if err != nil {
		return api.Fixing{}, api.Freshness{}, err
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	i := len(r.archive.entries) - 1
	if day != 0 {
		i = r.archive.last(day)
	}
	if i < 0 {
		return api.Fixing{}, api.Freshness{}, r.checks.reason()
	}
	e := r.archive.entries[i]
	return e.Fixing, r.freshness(day, fetched, e.retrieved), nil
}

// Between are the rates of one currency from one day to another, both included,
// ascending. A range that reaches today or beyond ends with the latest fixing
// there is; about one that lies in the past, On's rule holds.
func (r *Registry) Between(ctx context.Context, currency api.Currency, from, to api.Date) ([]api.Quotation, api.Freshness, error) {
	today := r.today()
	fetched, err := r.gather(ctx, to, func(a *archive) (int, bool) { return a.lacks(span{from, to}, today) })
	if err != nil {
		return nil, api.Freshness{}, err
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.archive.entries) == 0 {
		return nil, api.Freshness{}, r.checks.reason()
	}
	oldest := r.now()
	entries := r.archive.entries[r.archive.last(from-1)+1 : max(r.archive.last(to), r.archive.last(from-1))+1]
	quotations := make([]api.Quotation, 0, len(entries))
	for _, e := range entries {
		if rate, ok := rateOf(e.Fixing, currency); ok {
			quotations = append(quotations, api.Quotation{Date: e.Date, Rate: rate})
		}
		if e.retrieved.Before(oldest) {
			oldest = e.retrieved
		}
	}
	return quotations, r.freshness(to, fetched, oldest), nil
}

// LastQuoted is the last day on or before a day on which the bank published a
// currency. It goes back through the archive, and fetches a year that is not
// there only when the search arrives at it: at most every year since 2005 for a
// currency that had not been published until then.
func (r *Registry) LastQuoted(ctx context.Context, currency api.Currency, day api.Date) (api.Date, bool, error) {
	if today := r.today(); day == 0 || day > today {
		day = today
	}
	for day >= firstDay {
		today := r.today()
		if _, err := r.gather(ctx, day, func(a *archive) (int, bool) { return a.lacksFixing(day, today) }); err != nil {
			return 0, false, err
		}
		r.mu.RLock()
		found, searched := r.archive.lastQuoted(currency, day)
		r.mu.RUnlock()
		if found != 0 {
			return found, true, nil
		}
		day = searched - 1
	}
	return 0, false, nil
}

// Currencies are all that the bank is known to have published: a list that is
// built in, and those of every fixing in the archive.
func (r *Registry) Currencies() []api.Currency {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.currencies)
}

const (
	latestMaxAge  = time.Minute
	settledMaxAge = 24 * time.Hour
)

// freshness is that of an answer about days up to one (0: the latest), given
// while the lock is held. A past day of which all is known is settled; the rest
// is as good as the latest check.
func (r *Registry) freshness(to api.Date, fetched bool, retrieved time.Time) api.Freshness {
	f := api.Freshness{Cache: api.Hit, RetrievedAt: retrieved}
	if fetched {
		f.Cache = api.Miss
	}
	now := r.now()
	if _, known := r.archive.spanOf(to); known && to < api.DateIn(now, api.Bucharest) {
		// It has no age that a client could care about: it will never change.
		return api.Freshness{Cache: f.Cache, FreshUntil: now.Add(settledMaxAge), MaxAge: settledMaxAge}
	}
	if !r.checks.asked.IsZero() {
		f.RetrievedAt = r.checks.asked
	}
	f.MaxAge = latestMaxAge
	f.FreshUntil = r.due(now).Add(checkMayRun)
	return f
}

// now is the wall clock without its monotonic part, so that it may jump.
func (r *Registry) now() time.Time { return r.o.Now().Round(0) }

func (r *Registry) today() api.Date { return api.DateIn(r.now(), api.Bucharest) }
