// Package bnr is the central bank as a registry: the archive of its reference rates since 2005-01-03, in memory and on
// disk, and the keeper that fetches them. A rate fetched once is served without the bank from then on.
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
// A line "known" gives a range of days, both inclusive, for which the file is complete. Each fixing has its day, the
// time (UTC) of its retrieval, and the price in RON of one unit of each currency. The last line is the CRC-32 (IEEE) of
// all bytes before it, in hexadecimal. Files are replaced atomically; a damaged one is renamed with the suffix .damaged
// and its year is fetched again.
package bnr

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

const name = "bnr" // the registry's name in failures

// Options configure a Registry.
type Options struct {
	// Client sends requests to the bank. Required.
	Client upstream.Doer
	// Library stores the fixings. Required.
	Library *Library
	// Logger receives messages for operators. Default slog.Default().
	Logger *slog.Logger
	// Now is the wall clock. Default time.Now.
	Now func() time.Time
	// FillEvery is the pause between documents of past years that the keeper fetches in advance. Default 3 s.
	FillEvery time.Duration
	// MaxFactor bounds the change of a currency between consecutive fixings. A document that exceeds it is rejected
	// whole, and the log names the rate. Default 2; raise it to admit a genuine jump.
	MaxFactor int
}

// Registry answers from a library and fetches missing documents from the bank. It implements rate.Fixings. The rates it
// returns are shared and must not be modified. It is safe for concurrent use.
type Registry struct {
	*Library
	o       Options
	breaker *upstream.Breaker
	fetch   func(context.Context, paper) (edition, error)
	flights *flights
	jitter  time.Duration
	factor  ro.Decimal
	checks  checks // guarded by the library's lock
}

var (
	_ rate.Fixings      = (*Registry)(nil)
	_ rate.Publications = (*Registry)(nil)
)

// Open returns a registry. It does not contact the bank.
func Open(o Options) *Registry {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	o.FillEvery = cmp.Or(max(o.FillEvery, 0), 3*time.Second)
	o.MaxFactor = max(o.MaxFactor, 2)
	if o.Now == nil {
		o.Now = time.Now
	}

	r := &Registry{
		Library: o.Library, o: o,
		breaker: upstream.NewBreaker(name, breakerSettings),
		flights: newFlights(), jitter: rand.N(maxJitter), factor: mustDecimal(strconv.Itoa(o.MaxFactor)),
	}

	r.fetch = upstream.Retry(upstream.Guard(r.breaker, r.read), 200*time.Millisecond, 800*time.Millisecond)
	r.checks.lastSuccess = r.lastRetrieved()
	return r
}

// Close cancels the fetches in progress and retries failed writes. Run must have returned. The registry still answers
// from memory.
func (r *Registry) Close() error {
	r.flights.close()
	_, err := r.save()
	return err
}

// On returns the last fixing published on or before a day. The zero Date, and today, mean the latest fixing. It may be
// old while the bank is unreachable; the freshness of the answer shows that. On answers for a past day only if it is
// certain which fixing is the last one on or before it; otherwise the error is an *op.Failure. For days before
// 2005-01-03 it returns op.ErrUnknown.
func (r *Registry) On(ctx context.Context, day ro.Date) (rate.Fixing, op.Freshness, error) {
	if day != 0 && day < firstDay {
		return rate.Fixing{}, op.Freshness{}, op.ErrUnknown
	}

	today := r.today()
	fetched, err := r.gather(ctx, day, func(a *archive) (int, bool) {
		if day == 0 {
			return 0, false
		}
		return a.lacksFixing(day, today)
	})
	if err != nil {
		return rate.Fixing{}, op.Freshness{}, err
	}

	r.mu.RLock()
	defer r.mu.RUnlock()
	i := len(r.archive.entries) - 1
	if day != 0 {
		i = r.archive.last(day)
	}
	if i < 0 {
		return rate.Fixing{}, op.Freshness{}, r.checks.reason()
	}

	e := r.archive.entries[i]
	return e.Fixing, r.freshness(day, fetched, e.retrieved), nil
}

// Between returns the rates of a currency from one day to another inclusive, in ascending order. A range that reaches
// today or beyond ends with the latest fixing. For a past range, the same rule holds as for a past day in On.
func (r *Registry) Between(ctx context.Context, currency ro.Currency, from,
	to ro.Date) ([]rate.Quotation, op.Freshness, error) {
	today := r.today()
	fetched, err := r.gather(ctx, to, func(a *archive) (int, bool) { return a.lacks(span{from, to}, today) })
	if err != nil {
		return nil, op.Freshness{}, err
	}

	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.archive.entries) == 0 {
		return nil, op.Freshness{}, r.checks.reason()
	}

	oldest := r.now()
	entries := r.archive.entriesBetween(from, to)
	quotations := make([]rate.Quotation, 0, len(entries))
	for _, e := range entries {
		if quoted, ok := rateOf(e.Fixing, currency); ok {
			quotations = append(quotations, rate.Quotation{Date: e.Date, Rate: quoted})
		}
		if e.retrieved.Before(oldest) {
			oldest = e.retrieved
		}
	}

	return quotations, r.freshness(to, fetched, oldest), nil
}

// LastQuoted returns the last day on or before a day on which the bank published a currency. It searches the archive
// backwards, and fetches missing years as it reaches them. For a currency that was never published before, these are
// all years since 2005.
func (r *Registry) LastQuoted(ctx context.Context, currency ro.Currency, day ro.Date) (ro.Date, bool, error) {
	if today := r.today(); day == 0 || day > today {
		day = today
	}

	for day >= firstDay {
		today := r.today()
		_, err := r.gather(ctx, day, func(a *archive) (int, bool) { return a.lacksFixing(day, today) })
		if err != nil {
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

// Currencies returns all currencies that the bank is known to have published: a built-in list and the currencies of
// every fixing in the archive.
func (r *Registry) Currencies() []ro.Currency {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.currencies))
}

const (
	latestMaxAge  = time.Minute
	settledMaxAge = 24 * time.Hour
)

// freshness returns the freshness of an answer about the days up to one (0: the latest). An answer about a known past
// day is final. Any other answer is as fresh as the last check. The caller holds the lock.
func (r *Registry) freshness(to ro.Date, fetched bool, retrieved time.Time) op.Freshness {
	f := op.Freshness{Cache: op.Hit, RetrievedAt: retrieved}
	if fetched {
		f.Cache = op.Miss
	}

	now := r.now()
	if r.archive.knows(to) && to < ro.DateIn(now, ro.Bucharest) {
		// The age of a past fixing does not matter, because it never changes.
		return op.Freshness{Cache: f.Cache, FreshUntil: now.Add(settledMaxAge), MaxAge: settledMaxAge}
	}
	if !r.checks.lastSuccess.IsZero() {
		f.RetrievedAt = r.checks.lastSuccess
	}

	f.MaxAge = latestMaxAge
	f.FreshUntil = r.due(now).Add(checkMayRun)
	return f
}

// now returns the wall clock without its monotonic reading, so that jumps are noticed.
func (r *Registry) now() time.Time { return r.o.Now().Round(0) }

func (r *Registry) today() ro.Date { return ro.DateIn(r.now(), ro.Bucharest) }
