package profile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// office is the tax authority's service of statements. It has the statements of some years, and answers with some
// latency.
type office struct {
	years   []int
	latency time.Duration
	err     error

	mu    sync.Mutex
	asked []int // the requested years
}

func (o *office) statement(ctx context.Context, f anaf.Filing) (*anaf.Statement, error) {
	o.mu.Lock()
	o.asked = append(o.asked, f.Year)
	o.mu.Unlock()
	select {
	case <-time.After(o.latency):
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	switch {
	case o.err != nil:
		return nil, o.err
	case !slices.Contains(o.years, f.Year):
		return nil, op.ErrUnknown
	}

	stored, err := anaf.NewRecord(fmt.Appendf(nil, `{"an":%d,"cui":%d,"caen":6210,"i":[
		{"indicator":"I13","val_indicator":%d,"val_den_indicator":"Cifra de afaceri neta"}]}`,
		f.Year, f.CUI, f.Year)).MarshalJSON()
	if err != nil {
		return nil, err
	}

	s := new(anaf.Statement)
	return s, s.UnmarshalJSON(stored)
}

// filing runs a test of sheets in November 2026, with the bulk statements of some years.
func filing(t *testing.T, o *office, bulk []int, test func(t *testing.T, s *Sheets)) {
	t.Helper()
	store := bulkStore(t, bulk)
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)))
		c := openCache(t)
		test(t, NewSheets(c, func() *statements.Store { return store }, cache.Plain(o.statement), slog.Default()))
	})
}

// bulkStore returns a store of statements of some years. It returns nil for no years.
func bulkStore(t *testing.T, years []int) *statements.Store {
	t.Helper()
	if years == nil {
		return nil
	}

	dir := t.TempDir()
	for _, year := range years {
		b, err := statements.NewBuilder(dir)
		testkit.NoError(t, err)

		file := generalFile()
		file.Key.Year = year
		testkit.NoError(t, errors.Join(b.Add(&statements.Statement{CUI: known, Activity: "0119"}),
			b.Complete(*file), b.Commit(), b.Close()))
	}

	store, err := statements.Open(dir)
	testkit.NoError(t, err)

	t.Cleanup(func() { store.Close() })
	return store
}

func yearsOf(sheets []company.BalanceSheet) []int {
	years := []int{}
	for _, s := range sheets {
		years = append(years, s.Year)
	}
	return years
}

func TestWhichYears(t *testing.T) {
	var all []int
	for year := 2025; year >= 2014; year-- {
		all = append(all, year)
	}

	for name, c := range map[string]struct {
		years       company.Years
		bulk, filed []int
		want, asked []int
		missing     []int
	}{
		"in bulk": {bulk: all, want: all[:5]},
		"the rest from the authority": {bulk: []int{2024, 2023}, filed: all, want: all[:5],
			asked: []int{2025, 2022, 2021}},
		"nothing in bulk": {filed: all, want: all[:5], asked: all[:5]},
		"a year left out": {filed: []int{2025, 2023, 2022, 2021, 2020, 2019},
			want: []int{2025, 2023, 2022, 2021, 2020}, asked: all[:6]},
		"a young company": {filed: []int{2025, 2024}, want: []int{2025, 2024}, asked: all[:4]},
		"a gap over which bulk helps": {bulk: []int{2020}, filed: []int{2025, 2019}, want: []int{2025, 2020, 2019},
			asked: []int{2025, 2024, 2023, 2019, 2018, 2017}},
		"a company of the past": {filed: []int{2015, 2014}, want: []int{2015, 2014}, asked: all},
		"one that never filed":  {want: []int{}, asked: all},
		"years by number": {years: company.Years{Named: []int{2024, 2019, 2016}}, bulk: []int{2024},
			filed: []int{2016}, want: []int{2024, 2016}, asked: []int{2019, 2016}},
		"a year in which nobody filed": {years: company.Years{Named: []int{2020}}, filed: []int{2021}, want: []int{},
			asked: []int{2020}},
		"years before those of the authority": {years: company.Years{Named: []int{2014, 2013, 2009}}, bulk: []int{2009},
			filed: all, want: []int{2014, 2009}, asked: []int{2014}, missing: []int{2013}},
		"all": {years: company.Years{All: true}, bulk: []int{2025}, filed: []int{2020, 2014}, want: []int{2025, 2020,
			2014},
			asked: all[1:], missing: []int{2013, 2012, 2011, 2010, 2009}},
	} {
		t.Run(name, func(t *testing.T) {
			o := &office{years: c.filed}
			filing(t, o, c.bulk, func(t *testing.T, s *Sheets) {
				sheets, missing, hit, err := s.Of(t.Context(), known, c.years)
				if err != nil || !slices.Equal(missing, c.missing) || hit != (len(c.asked) == 0) {
					t.Errorf("missing %v, hit %v, error %v", missing, hit, err)
				}
				if got := yearsOf(sheets); !slices.Equal(got, c.want) || sheets == nil {
					t.Errorf("sheets of %v, want %v", got, c.want)
				}
				if !slices.Equal(o.asked, c.asked) {
					t.Errorf("requested %v, want %v", o.asked, c.asked)
				}

				again, _, hit, err := s.Of(t.Context(), known, c.years)
				if err != nil || !hit || !slices.Equal(yearsOf(again), c.want) || len(o.asked) != len(c.asked) {
					t.Errorf("the second time: sheets of %v, hit %v, %d requests, %v", yearsOf(again), hit,
						len(o.asked), err)
				}
			})
		})
	}
}

func TestColdCallIsBoundedAndGoesOnWithoutItsCaller(t *testing.T) {
	o := &office{years: []int{2025, 2024, 2023, 2022, 2021}, latency: 1900 * time.Millisecond}
	filing(t, o, nil, func(t *testing.T, s *Sheets) {
		began := time.Now()
		sheets, missing, hit, err := s.Of(t.Context(), known, company.Years{})
		if took := time.Since(began); took != sheetsPatience {
			t.Errorf("took %s", took)
		}
		if err != nil || hit || !slices.Equal(yearsOf(sheets), []int{2025, 2024}) ||
			!slices.Equal(missing, []int{2023, 2022, 2021}) {
			t.Errorf("sheets of %v, missing %v, hit %v, %v", yearsOf(sheets), missing, hit, err)
		}

		<-time.After(2 * time.Second)
		sheets, missing, hit, err = s.Of(t.Context(), known, company.Years{})
		if err != nil || !hit || len(sheets) != 5 || len(missing) > 0 || len(o.asked) != 5 {
			t.Errorf("later: sheets of %v, missing %v, hit %v, %d requests, %v", yearsOf(sheets), missing, hit,
				len(o.asked), err)
		}
	})
}

func TestBulkStatementsAreServedWithoutAuthority(t *testing.T) {
	down := &op.Failure{Registry: "anaf", Kind: op.Closed, Err: errors.New("left alone")}
	filing(t, &office{err: down}, []int{2024, 2023}, func(t *testing.T, s *Sheets) {
		sheets, missing, hit, err := s.Of(t.Context(), known, company.Years{})
		if err != nil || hit || !slices.Equal(yearsOf(sheets), []int{2024, 2023}) ||
			!slices.Equal(missing, []int{2025, 2022, 2021}) {
			t.Errorf("sheets of %v, missing %v, hit %v, %v", yearsOf(sheets), missing, hit, err)
		}
	})
}

func TestNothingButMissingYearsIsAFailure(t *testing.T) {
	down := &op.Failure{Registry: "anaf", Kind: op.Closed, Err: errors.New("left alone")}
	for name, c := range map[string]struct {
		o    *office
		kind op.FailureKind
	}{
		"the authority is down": {&office{err: down}, op.Closed},
		"it hangs":              {&office{latency: time.Hour}, op.TimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			filing(t, c.o, nil, func(t *testing.T, s *Sheets) {
				sheets, missing, _, err := s.Of(t.Context(), known, company.Years{})
				var f *op.Failure
				if !errors.As(err, &f) || f.Kind != c.kind || len(sheets) > 0 ||
					!slices.Equal(missing, []int{2025, 2024, 2023, 2022, 2021}) {
					t.Errorf("sheets of %v, missing %v, error %v", yearsOf(sheets), missing, err)
				}
			})
		})
	}
}

func TestCallerWhoLeavesAsksForNoMoreYears(t *testing.T) {
	o := &office{latency: 2 * time.Second}
	filing(t, o, nil, func(t *testing.T, s *Sheets) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, _, err := s.Of(ctx, known, company.Years{All: true}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}

		synctest.Wait()
		if len(o.asked) != 1 {
			t.Errorf("requested %v", o.asked)
		}
	})
}

func TestLifetimesOfStatements(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		year  int
		filed []int
		fresh time.Duration // less a tenth, and after it one more
	}{
		"a past year":    {2020, []int{2020}, 30 * day},
		"last year":      {2025, []int{2025}, day},
		"a year without": {2020, nil, 6 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			o := &office{years: c.filed}
			filing(t, o, nil, func(t *testing.T, s *Sheets) {
				ask := func() int {
					if _, _, _, err := s.Of(t.Context(), known, company.Years{Named: []int{c.year}}); err != nil {
						t.Error(err)
					}

					synctest.Wait() // a refresh may run
					return len(o.asked)
				}
				ask()
				<-time.After(c.fresh * 8 / 10)
				if n := ask(); n != 1 {
					t.Errorf("the registry was asked %d times while it is fresh", n)
				}

				<-time.After(c.fresh * 4 / 10)
				if n := ask(); n != 2 {
					t.Errorf("the registry was asked %d times after that", n)
				}
			})
		})
	}
}

func TestUnreadableBulkIsReportedAndBypassed(t *testing.T) {
	var log bytes.Buffer
	o := &office{years: []int{2025, 2024, 2023, 2022, 2021}}
	store := bulkStore(t, []int{2025})
	store.Close()
	c := openCache(t)
	s := NewSheets(c, func() *statements.Store { return store }, cache.Plain(o.statement),
		slog.New(slog.NewTextHandler(&log, nil)))
	sheets, missing, _, err := s.Of(t.Context(), known, company.Years{Named: []int{2024}})
	if err != nil || len(sheets) != 1 || len(missing) > 0 || !strings.Contains(log.String(), os.ErrClosed.Error()) {
		t.Errorf("sheets of %v, missing %v, %v; log %q", yearsOf(sheets), missing, err, log.String())
	}
	if f := s.filings(anaf.Filing{CUI: known, Year: 2023}); f.Files != nil {
		t.Errorf("files that were not read tell about absence: %+v", f)
	}
}

// TestYearsWithoutStatement verifies that a year before those of the tax authority is missing only as long as its files
// are.
func TestYearsWithoutStatement(t *testing.T) {
	for name, c := range map[string]struct {
		catalog statements.Catalog
		missing []int
	}{
		"the files are not loaded": {statements.Catalog{}, []int{2012}},
		"they are":                 {catalog: statements.Catalog{Checked: time.Now(), First: 2009}},
		"one is refused": {statements.Catalog{Checked: time.Now(), First: 2009,
			Refused: map[statements.Key]statements.Refusal{{Year: 2012, Family: company.LargeForm}: {Origin: "a"}}},
			[]int{2012}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			testkit.NoError(t, c.catalog.Write(dir))
			store, err := statements.Open(dir)
			testkit.NoError(t, err)
			defer store.Close()

			s := NewSheets(openCache(t), func() *statements.Store { return store }, cache.Plain(new(office).statement),
				slog.Default())
			sheets, missing, _, err := s.Of(t.Context(), known, company.Years{Named: []int{2012}})
			if err != nil || len(sheets) > 0 || !slices.Equal(missing, c.missing) {
				t.Errorf("sheets of %v, missing %v, %v", yearsOf(sheets), missing, err)
			}
		})
	}
}

// What is known about a statement is returned without a request, even from an old answer of the tax authority.
func TestFilings(t *testing.T) {
	o := &office{years: []int{2025}}
	filing(t, o, []int{2024, 2023}, func(t *testing.T, s *Sheets) {
		r := &Register{sheets: s, trade: loaded()}
		get := func(year int) *company.Filings {
			f, err := r.Filings(t.Context(), known, year)
			testkit.NoError(t, err)
			slices.Sort(f.Years)
			if !slices.Equal(f.Years, []int{2023, 2024}) || f.Year != year || len(f.Files) != len(statements.Families) {
				t.Errorf("%d: %+v", year, f)
			}
			return f
		}

		if f := get(2024); f.Sheet == nil || f.Sheet.Form != company.SmallForm ||
			!slices.Contains(f.Files, company.StatementFile{Form: company.SmallForm, Coverage: company.FileLoaded,
				AsOf: f.Sheet.AsOf}) {
			t.Errorf("in the files: %+v", f)
		} else if o := f.Origin; o == nil || o.AsOf != f.Sheet.AsOf {
			t.Errorf("its file: %+v", o)
		}
		if f := get(2025); f.Sheet != nil || f.Files[0].Coverage != company.FileNotLoaded {
			t.Errorf("before the tax authority was asked: %+v", f)
		}

		_, _, _, err := s.Of(t.Context(), known, company.Years{Named: []int{2025}})
		testkit.NoError(t, err)
		<-time.After(30 * 24 * time.Hour)
		if f := get(2025); f.Sheet == nil || f.Sheet.Form != company.BilantForm ||
			f.Sheet.AsOf != ro.NewDate(2026, 11, 20) {
			t.Errorf("afterwards: %+v", f)
		}
		if len(o.asked) != 1 {
			t.Errorf("the tax authority was asked for %v", o.asked)
		}

		r.trade = new(trade)
		if _, err := r.Filings(t.Context(), known, 2025); !errors.Is(err, onrc.ErrNotLoaded) {
			t.Errorf("before the first load: %v", err)
		}
	})
}
