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
	// recentSheets is the number of sheets returned if no years are requested.
	recentSheets = 5
	// unfiledGap ends the search for them: after this many years without a statement, no older ones are requested for a
	// company that has newer ones.
	unfiledGap = 2
	// sheetsPatience is the maximum time that a caller waits for statements. Fetches in progress continue without the
	// caller.
	sheetsPatience = 5 * time.Second
)

// Sheets has the yearly balance sheets of companies: from the bulk statements if available, otherwise from the tax
// authority, behind the cache. A statement is fresh for 30 days; last year's, which companies still correct, for a day.
// Its absence is remembered for only 6 hours, because the tax authority also reports it to clients that it blocks.
type Sheets struct {
	store            func() *statements.Store
	settled, current *cache.Facts[anaf.Filing, *anaf.Statement]
	log              *slog.Logger
}

// NewSheets puts the cache in front of a fetch that returns api.ErrUnknown for a statement that was not filed. The
// store is looked up on every call, and may be nil. The logger receives its read errors.
func NewSheets(c *cache.Cache, store func() *statements.Store, fetch cache.Loader[anaf.Filing, *anaf.Statement], log *slog.Logger) *Sheets {
	const day = 24 * time.Hour
	kind := cache.Kind{
		Name: "statement", Fresh: 30 * day, StaleWhileRevalidate: 30 * day, StaleIfError: 365 * day,
		Timeout: time.Minute, // most of it waiting for a turn
		Unknown: 6 * time.Hour, ErrUnknown: api.ErrUnknown,
	}

	current := kind
	current.Name, current.Fresh, current.StaleWhileRevalidate = "statement-current", day, day
	return &Sheets{
		store: store, settled: cache.ThroughLoader(c, kind, fetch), current: cache.ThroughLoader(c, current, fetch), log: log,
	}
}

// Of returns the sheets of a company, the newest first; hit is true if the tax authority was not asked. It takes 5 s at
// most. Missing lists the years that were not available in that time, as opposed to years without a statement; a retry
// may help. The error is ctx's if the caller has left, and an *api.Failure if all years are missing. For a company that
// filed nothing there is no error.
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
			w.found(storedSheet(year, &found))
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

// stored returns the stored statement of a year, if it is fresh or being refreshed.
func (s *Sheets) stored(ctx context.Context, filing anaf.Filing) (cache.Found[*anaf.Statement], bool) {
	found, ok, err := s.facts(filing.Year).Stored(ctx, filing)
	return found, ok && err == nil
}

// inBulk returns a company's bulk statement of a year, and reports whether there is one.
func (s *Sheets) inBulk(filing anaf.Filing) (api.BalanceSheet, bool) {
	sheet, ok := s.bulk(filing.CUI)[filing.Year]
	return sheet, ok
}

// facts returns the facts of a year. A statement is fetched once more when its year is no longer the last one.
func (s *Sheets) facts(year int) *cache.Facts[anaf.Filing, *anaf.Statement] {
	if year == api.LastFiledYear() {
		return s.current
	}
	return s.settled
}

// bulk returns the sheets of a company from the bulk statements, by year.
func (s *Sheets) bulk(cui api.CUI) map[int]api.BalanceSheet {
	store := s.store()
	if store == nil {
		return nil
	}

	filed, err := store.Of(cui)
	if err != nil { // the tax authority also has them
		s.log.Warn("the statements in bulk cannot be read", "error", err)
	}

	sheets := make(map[int]api.BalanceSheet, len(filed))
	for _, f := range filed {
		sheets[f.Year] = bulkSheet(f)
	}
	return sheets
}

// walk collects sheets from the newest year to the oldest. Requesting them in sequence is no slower than in parallel,
// because the tax authority answers one a second, and can stop early.
type walk struct {
	years   api.Years
	sheets  []api.BalanceSheet
	missing []int
	gap     int // years without a statement since the last sheet
	hit     bool
	err     error // of the first missing year
}

// recent reports whether no particular years were requested.
func (w *walk) recent() bool { return !w.years.All && len(w.years.Named) == 0 }

// done reports whether there are enough sheets. A missing year may have a sheet, so it counts as one.
func (w *walk) done() bool {
	return w.recent() && len(w.sheets)+len(w.missing) >= recentSheets
}

// ended reports whether older statements are unlikely.
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
