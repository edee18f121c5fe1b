package company

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

const (
	// recentSheets is how many sheets are given when no years are asked for.
	recentSheets = 5
	// unfiledGap ends the search for them: after so many years without a statement
	// a company that has newer ones is not asked about again.
	unfiledGap = 2
	// sheetsPatience is how long a caller waits for statements. What is still
	// missing then is fetched without him.
	sheetsPatience = 5 * time.Second
)

// Sheets are the yearly balance sheets of companies: from the statements in bulk
// where these have them, else from the tax authority, behind the cache. A
// statement that was filed is as good as new for 30 days, that of last year,
// which companies still correct, for a day. That there is none is remembered for
// 6 hours only: the tax authority says so as well to clients that it does not
// like.
type Sheets struct {
	store            func() *statements.Store
	settled, current *cache.Facts[anaf.Filing, *anaf.Statement]
	log              *slog.Logger
}

// NewSheets puts the cache in front of a fetch that answers api.ErrUnknown for a
// statement that was not filed. The store is asked for at every call, and may be
// nil while there is none. The logger is told when the store cannot be read.
func NewSheets(c *cache.Cache, store func() *statements.Store, fetch cache.Loader[anaf.Filing, *anaf.Statement], log *slog.Logger) *Sheets {
	const day = 24 * time.Hour
	kind := cache.Kind{
		Name: "statement", Fresh: 30 * day, StaleWhileRevalidate: 30 * day, StaleIfError: 365 * day,
		Timeout: time.Minute, // most of it for the turn in the line
		Unknown: 6 * time.Hour, ErrUnknown: api.ErrUnknown,
	}
	current := kind
	current.Name, current.Fresh, current.StaleWhileRevalidate = "statement-current", day, day
	return &Sheets{
		store: store, settled: cache.ThroughLoader(c, kind, fetch), current: cache.ThroughLoader(c, current, fetch), log: log,
	}
}

// Of are the sheets of a company, the newest first, and hit reports whether the
// tax authority was left alone meanwhile. It takes 5 s at most. Missing are the
// years that could not be had until then, so that nobody takes them for years
// without a statement: it is worth while to ask again soon. The error is ctx's
// when the caller has left, and an *api.Failure when there is nothing but missing
// years; that a company filed nothing is no error.
func (s *Sheets) Of(ctx context.Context, cui api.CUI, years api.Years) (sheets []api.BalanceSheet, missing []int, hit bool, err error) {
	patient, cancel := context.WithTimeoutCause(ctx, sheetsPatience, cache.ErrUnattended)
	defer cancel()
	w, bulk := &walk{years: years, sheets: []api.BalanceSheet{}, hit: true}, s.bulk(cui)
	for year := api.LastFiledYear(); year >= api.FirstFiledYear && !w.done(); year-- {
		if !w.wants(year) {
			continue
		}
		if sheet, ok := bulk[year]; ok {
			w.found(sheet)
			continue
		}
		if w.ended() {
			continue
		}
		found, err := s.facts(year).Get(patient, anaf.Filing{CUI: cui, Year: year})
		if ctx.Err() != nil {
			return nil, nil, false, ctx.Err()
		}
		w.hit = w.hit && found.Hit
		switch {
		case err == nil:
			w.found(balanceSheet(year, found.Value.Activity, found.Value.Indicators))
		case errors.Is(err, api.ErrUnknown):
			w.unfiled()
		default:
			w.fail(year, err)
		}
	}
	if len(w.sheets) == 0 {
		err = w.err
	}
	return w.sheets, w.missing, w.hit, err
}

// facts are those of a year. A statement is fetched once more when its year is no
// longer the last.
func (s *Sheets) facts(year int) *cache.Facts[anaf.Filing, *anaf.Statement] {
	if year == api.LastFiledYear() {
		return s.current
	}
	return s.settled
}

// bulk are the sheets of a company from the statements in bulk, by year.
func (s *Sheets) bulk(cui api.CUI) map[int]api.BalanceSheet {
	store := s.store()
	if store == nil {
		return nil
	}
	filed, err := store.Of(cui)
	if err != nil { // the tax authority has them all
		s.log.Warn("the statements in bulk cannot be read", "error", err)
	}
	sheets := make(map[int]api.BalanceSheet, len(filed))
	for _, f := range filed {
		sheets[f.Year] = bulkSheet(f)
	}
	return sheets
}

// walk is the way through the years, from the newest to the oldest. One after the
// other they take no longer than all at once, since the tax authority answers
// once a second, and the walk ends where nothing older is to be expected.
type walk struct {
	years   api.Years
	sheets  []api.BalanceSheet
	missing []int
	gap     int // years without a statement since the last one with
	hit     bool
	err     error // of the first year that is missing
}

// recent reports whether no particular years were asked for.
func (w *walk) recent() bool { return !w.years.All && len(w.years.Named) == 0 }

// done reports whether no more years are wanted. A year that is missing may have
// a sheet, so it counts as one.
func (w *walk) done() bool {
	return w.recent() && len(w.sheets)+len(w.missing) >= recentSheets
}

// ended reports whether the company is not worth asking about any more.
func (w *walk) ended() bool {
	return w.recent() && len(w.sheets) > 0 && w.gap >= unfiledGap
}

func (w *walk) wants(year int) bool {
	return len(w.years.Named) == 0 || slices.Contains(w.years.Named, year)
}

func (w *walk) found(sheet api.BalanceSheet) {
	w.sheets = append(w.sheets, sheet)
	w.gap = 0
}

func (w *walk) unfiled() { w.gap++ }

func (w *walk) fail(year int, err error) {
	w.missing = append(w.missing, year)
	w.gap = 0
	var f *api.Failure
	if !errors.As(err, &f) {
		f = &api.Failure{Registry: taxAuthority, Kind: api.TimedOut, Err: fmt.Errorf("waiting for the statement of %d: %w", year, err)}
	}
	if w.err == nil {
		w.err = f
	}
}
