package profile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

const (
	// recentSheets is the number of sheets returned if no years are requested.
	recentSheets = 5
	// unfiledGap ends the search for older sheets. If a company has newer ones, no further years are requested after
	// this many years without a statement.
	unfiledGap = 2
	// sheetsPatience is the maximum time that a caller waits for statements. Fetches in progress continue without the
	// caller.
	sheetsPatience = 5 * time.Second
)

// Sheets provides the yearly balance sheets of companies: from the bulk statements if available, otherwise from the tax
// authority, behind the cache. A statement is fresh for 30 days. Last year's statement is fresh for only a day, because
// companies still correct it. The absence of a statement is remembered for only 6 hours, because the tax authority also
// reports it to clients that it blocks.
type Sheets struct {
	store            func() *statements.Store
	settled, current *cache.Facts[anaf.Filing, *anaf.Statement]
	log              *slog.Logger
}

// NewSheets puts the cache in front of a fetch that returns op.ErrUnknown for a statement that was not filed. It calls
// store for every look-up; store may be nil. The logger receives read errors of the store.
func NewSheets(c *cache.Cache, store func() *statements.Store, fetch cache.Loader[anaf.Filing, *anaf.Statement],
	log *slog.Logger) *Sheets {
	const day = 24 * time.Hour
	kind := cache.Kind{
		Name: "statement", Fresh: 30 * day, StaleWhileRevalidate: 30 * day, StaleIfError: 365 * day,
		Timeout: time.Minute, // mostly waiting for a turn
		Unknown: 6 * time.Hour, ErrUnknown: op.ErrUnknown,
	}

	current := kind
	current.Name, current.Fresh, current.StaleWhileRevalidate = "statement-current", day, day
	return &Sheets{
		store: store, settled: cache.Through(c, kind, fetch), current: cache.Through(c, current, fetch),
		log: log,
	}
}

// Of returns the sheets of a company, the newest first. Hit is true if the tax authority was not queried. Of takes at
// most 5 s. Missing lists the years that were not available in that time; a retry may help for these, unlike for years
// without a statement. It also lists requested years before those of the tax authority whose files are not loaded. Of
// returns the error of ctx if the caller has left, and an *op.Failure if the tax authority failed and there are no
// sheets. For a company that filed nothing there is no error.
func (s *Sheets) Of(ctx context.Context, cui ro.CUI,
	years company.Years) (sheets []company.BalanceSheet, missing []int, hit bool, err error) {
	patient, cancel := context.WithTimeoutCause(ctx, sheetsPatience, cache.ErrUnattended)
	defer cancel()
	w, bulk := &walk{years: years, sheets: []company.BalanceSheet{}, hit: true}, s.bulk(cui)
	for year := company.LastFiledYear(); year >= company.FirstFiledYear && !w.isDone(); year-- {
		if !w.wants(year) {
			continue
		}
		if sheet, ok := bulk[year]; ok {
			w.addSheet(sheet)
			continue
		}
		if w.hasEnded() {
			continue
		}

		if year < anaf.FirstFiledYear { // only the files have it
			if w.gap++; !w.isRecent() && !s.hasFiles(year) {
				w.missing = append(w.missing, year)
			}
			continue
		}

		found, err := s.facts(year).Get(patient, anaf.Filing{CUI: cui, Year: year})
		if ctx.Err() != nil {
			return nil, nil, false, ctx.Err()
		}

		w.hit = w.hit && found.Hit
		switch {
		case err == nil:
			w.addSheet(storedSheet(year, &found))
		case errors.Is(err, op.ErrUnknown):
			w.gap++
		default:
			w.fail(year, err)
		}
	}

	if len(w.sheets) == 0 {
		err = w.err
	}

	return w.sheets, w.missing, w.hit, err
}

// hasFiles reports whether all files of a year have been read, so that they lack only companies that did not file.
func (s *Sheets) hasFiles(year int) bool {
	store := s.store()
	return store != nil && !slices.ContainsFunc(statements.Families, func(f company.SheetForm) bool {
		coverage, _ := store.Coverage(statements.Key{Year: year, Family: f})
		return coverage != company.FileLoaded && coverage != company.FileNotPublished
	})
}

// filings returns what is known about the statement for a year: from the files, or else from a stored answer of the tax
// authority.
func (s *Sheets) filings(filing anaf.Filing) *company.Filings {
	f, store := &company.Filings{Year: filing.Year}, s.store()
	filed, areRead := s.filed(store, filing.CUI)
	for _, statement := range filed {
		f.Years = append(f.Years, statement.File.Key.Year)
		if statement.File.Key.Year == filing.Year {
			f.Sheet = new(bulkSheet(statement))
		}
	}
	if found, ok := s.facts(filing.Year).Peek(filing); ok && f.Sheet == nil {
		f.Sheet = new(storedSheet(filing.Year, &found))
	}

	if areRead {
		f.Files, f.CompleteYears = store.FilesOf(filing.Year), store.CompleteYears
	}
	if len(filed) > 0 {
		newest := filed[0].File
		f.Origin = &company.StatementOrigin{Package: newest.Package, License: newest.License, AsOf: newest.Date}
	}

	return f
}

// storedStatement returns the stored statement of a year, if it is fresh or being refreshed.
func (s *Sheets) storedStatement(ctx context.Context, filing anaf.Filing) (cache.Found[*anaf.Statement], bool) {
	found, ok, err := s.facts(filing.Year).Stored(ctx, filing)
	return found, ok && err == nil
}

// bulkStatement returns a company's bulk statement of a year, and reports whether there is one.
func (s *Sheets) bulkStatement(filing anaf.Filing) (company.BalanceSheet, bool) {
	sheet, ok := s.bulk(filing.CUI)[filing.Year]
	return sheet, ok
}

// facts returns the facts of a year. Once a year is no longer the last one, its statements are fetched once more.
func (s *Sheets) facts(year int) *cache.Facts[anaf.Filing, *anaf.Statement] {
	if year == company.LastFiledYear() {
		return s.current
	}
	return s.settled
}

// filed returns the bulk statements of a company, and reports whether they could be read.
func (s *Sheets) filed(store *statements.Store, cui ro.CUI) (filed []*statements.Statement, areRead bool) {
	if store == nil {
		return nil, false
	}

	filed, err := store.Of(cui)
	if err != nil { // the tax authority also has the statements
		s.log.Warn("the statements in bulk cannot be read", "error", err)
	}

	return filed, err == nil
}

// bulk returns the sheets of a company from the bulk statements, by year.
func (s *Sheets) bulk(cui ro.CUI) map[int]company.BalanceSheet {
	filed, _ := s.filed(s.store(), cui)
	sheets := make(map[int]company.BalanceSheet, len(filed))
	for _, f := range filed {
		sheets[f.File.Key.Year] = bulkSheet(f)
	}

	return sheets
}

// walk collects sheets from the newest year to the oldest. The tax authority answers only one request a second, so
// requesting the years in sequence is no slower than in parallel, and can stop early.
type walk struct {
	years   company.Years
	sheets  []company.BalanceSheet
	missing []int
	gap     int // years without a statement since the last sheet
	hit     bool
	err     error // of the first missing year
}

// isRecent reports whether no particular years were requested.
func (w *walk) isRecent() bool { return !w.years.All && len(w.years.Named) == 0 }

// isDone reports whether there are enough sheets. A missing year may have a sheet, so it counts as one.
func (w *walk) isDone() bool {
	return w.isRecent() && len(w.sheets)+len(w.missing) >= recentSheets
}

// hasEnded reports whether older statements are unlikely.
func (w *walk) hasEnded() bool {
	return w.isRecent() && len(w.sheets) > 0 && w.gap >= unfiledGap
}

func (w *walk) wants(year int) bool {
	return len(w.years.Named) == 0 || slices.Contains(w.years.Named, year)
}

func (w *walk) addSheet(sheet company.BalanceSheet) {
	w.sheets, w.gap = append(w.sheets, sheet), 0
}

func (w *walk) fail(year int, err error) {
	w.missing, w.gap = append(w.missing, year), 0
	f, ok := errors.AsType[*op.Failure](err)
	if !ok {
		f = &op.Failure{Registry: taxAuthority, Kind: op.TimedOut,
			Err: fmt.Errorf("waiting for the statement of %d: %w", year, err)}
	}
	if w.err == nil {
		w.err = f
	}
}
