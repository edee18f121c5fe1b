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
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

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
	// Dir is the directory of the archive, which is created if necessary. Required.
	Dir string
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

// Registry answers from its archive and fetches missing documents from the bank. It implements rate.Fixings. The rates
// it returns are shared and must not be modified. It is safe for concurrent use.
type Registry struct {
	o       Options
	breaker *upstream.Breaker
	fetch   func(context.Context, paper) (edition, error)
	jitter  time.Duration
	factor  ro.Decimal
	files   yearFiles

	flights singleflight.Group // fetches in progress, at most one per document
	life    context.Context
	end     context.CancelFunc
	flying  sync.RWMutex // read-locked by every flight

	saving  sync.Mutex // taken before mu
	failing bool       // the last write failed; guarded by saving

	mu         sync.RWMutex
	archive    archive
	currencies map[ro.Currency]bool
	unsaved    map[int]bool // years
	checks     checks
}

var (
	_ rate.Fixings      = (*Registry)(nil)
	_ rate.Publications = (*Registry)(nil)
)

// Open reads the files of the archive. It does not contact the bank. It fails only if it cannot create the directory.
// Unreadable files are logged, and their years are fetched again when needed.
func Open(o Options) (*Registry, error) {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	o.FillEvery = cmp.Or(max(o.FillEvery, 0), 3*time.Second)
	o.MaxFactor = max(o.MaxFactor, 2)
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("opening the archive of fixings: %w", err)
	}

	r := &Registry{
		o: o, breaker: upstream.NewBreaker(name, breakerSettings), files: yearFiles{o.Dir},
		jitter: rand.N(maxJitter), factor: mustDecimal(strconv.Itoa(o.MaxFactor)),
		currencies: map[ro.Currency]bool{}, unsaved: map[int]bool{},
	}
	r.fetch = upstream.Retry(upstream.Guard(r.breaker, r.read), 200*time.Millisecond, 800*time.Millisecond)
	r.life, r.end = context.WithCancel(context.Background())
	for _, c := range published {
		r.currencies[c] = true
	}

	r.load()
	return r, nil
}

// load reads the files of the archive.
func (r *Registry) load() {
	volumes, failures := r.files.load()
	for _, err := range failures {
		r.o.Logger.Error("reading stored fixings failed; they will be fetched again", "registry", name, "error", err)
	}

	for _, v := range volumes { // their names are in ascending order
		r.archive.entries = append(r.archive.entries, v.entries...)
		for _, s := range v.known {
			r.archive.learn(s)
		}
	}

	for _, e := range r.archive.entries {
		r.learnCurrencies(e.Fixing)
		r.checks.lastSuccess = e.retrieved
	}
}

// Close cancels the fetches in progress and retries failed writes. Run must have returned. The registry still answers
// from memory.
func (r *Registry) Close() error {
	r.end()
	r.flying.Lock()
	defer r.flying.Unlock()
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
	last, f, err := r.answer(ctx, day, func(a *archive) (int, bool) {
		if day == 0 {
			return 0, false
		}
		return a.lacksFixing(day, today)
	}, func(a *archive) []entry {
		i := a.last(cmp.Or(day, a.newest()))
		return a.entries[max(i, 0) : i+1]
	})
	if err == nil && len(last) == 0 {
		err = op.ErrUnknown
	}
	if err != nil {
		return rate.Fixing{}, op.Freshness{}, err
	}

	return last[0].Fixing, f, nil
}

// Between returns the rates of a currency from one day to another inclusive, in ascending order. A range that reaches
// today or beyond ends with the latest fixing. For a past range, the same rule holds as for a past day in On.
func (r *Registry) Between(ctx context.Context, currency ro.Currency, from,
	to ro.Date) ([]rate.Quotation, op.Freshness, error) {
	entries, f, err := r.answerRange(ctx, span{from, to})
	if err != nil {
		return nil, op.Freshness{}, err
	}

	quotations := make([]rate.Quotation, 0, len(entries))
	for _, e := range entries {
		if quoted, ok := rateOf(e.Fixing, currency); ok {
			quotations = append(quotations, rate.Quotation{Date: e.Date, Rate: quoted})
		}
	}

	return quotations, f, nil
}

// Newest returns the last n fixings. They may be old while the bank is unreachable; the freshness of the answer shows
// that.
func (r *Registry) Newest(ctx context.Context, n int) (rate.Publication, op.Freshness, error) {
	entries, f, err := r.answer(ctx, 0, func(a *archive) (int, bool) { return a.lacksNewest(n) },
		func(a *archive) []entry { return a.entries[max(0, len(a.entries)-n):] })
	return publication(entries), f, err
}

// OfYear returns the fixings of a year so far. It returns op.ErrUnknown for years before 2005, in the future, and
// without a fixing yet.
func (r *Registry) OfYear(ctx context.Context, year int) (rate.Publication, op.Freshness, error) {
	if year < firstDay.Year() || year > r.today().Year() {
		return rate.Publication{}, op.Freshness{}, op.ErrUnknown
	}

	begin, end := max(ro.NewDate(year, time.January, 1), firstDay), ro.NewDate(year, time.December, 31)
	entries, f, err := r.answerRange(ctx, span{begin, end})
	if err == nil && len(entries) == 0 {
		return rate.Publication{}, op.Freshness{}, op.ErrUnknown
	}

	return publication(entries), f, err
}

func publication(entries []entry) (p rate.Publication) {
	for _, e := range entries {
		p.Fixings = append(p.Fixings, e.Fixing)
		if e.retrieved.After(p.Modified) {
			p.Modified = e.retrieved
		}
	}

	return p
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

// answerRange returns the fixings of a range of days.
func (r *Registry) answerRange(ctx context.Context, days span) ([]entry, op.Freshness, error) {
	today := r.today()
	return r.answer(ctx, days.to, func(a *archive) (int, bool) { return a.lacks(days, today) },
		func(a *archive) []entry { return a.entriesBetween(days.from, days.to) })
}

// answer fetches the documents that are missing for an answer about the days up to one (0: the latest), and picks the
// answer's entries.
func (r *Registry) answer(ctx context.Context, to ro.Date, lacks func(*archive) (int, bool),
	pick func(*archive) []entry) ([]entry, op.Freshness, error) {
	fetched, err := r.gather(ctx, to, lacks)
	if err != nil {
		return nil, op.Freshness{}, err
	}

	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.archive.entries) == 0 {
		return nil, op.Freshness{}, r.checks.reason()
	}

	entries, oldest := pick(&r.archive), r.now()
	for _, e := range entries {
		if e.retrieved.Before(oldest) {
			oldest = e.retrieved
		}
	}

	return entries, r.freshness(to, fetched, oldest), nil
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
