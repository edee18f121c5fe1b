package mirror

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

// filed is the bulk statements, the tax authority's statements, the profiles and the store of the checks.
type filed struct {
	mu       sync.Mutex
	watched  []ro.CUI
	profiles map[ro.CUI]*company.Company
	late     map[ro.CUI]bool // have a statement for 2025 only at the tax authority
	coverage company.Coverage
	loading  bool // the trade register
	down     bool // the tax authority's service
	shut     bool // its breaker is open

	checked  map[ro.CUI]watch.StatementCheck
	requests []ro.CUI
	events   []string // with their times
}

// newFiled returns the statements of companies that have filed for the years until 2024.
func newFiled(watched ...ro.CUI) *filed {
	f := &filed{watched: watched, profiles: map[ro.CUI]*company.Company{}, late: map[ro.CUI]bool{},
		coverage: company.FileLoaded, checked: map[ro.CUI]watch.StatementCheck{}}
	for _, cui := range watched {
		f.profiles[cui] = &company.Company{TaxID: cui, Name: "EXEMPLU SRL", TradeNumber: new("J12/345/2010"),
			MainNACECode: new("6210"), RegistrationDate: new(ro.NewDate(2010, 2, 1)),
			StateRegistration: company.InOperation}
	}
	return f
}

func (f *filed) DueStatements(_ context.Context, _ int, now time.Time, limit int) (due []ro.CUI, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, cui := range f.watched {
		check, known := f.checked[cui]
		if (!known || !check.Next.IsZero() && !check.Next.After(now)) && len(due) < limit {
			due = append(due, cui)
		}
	}
	return due, nil
}

func (f *filed) RecordStatements(_ context.Context, year int, checks []watch.StatementCheck) (added bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range checks {
		if old, known := f.checked[c.Company]; known && old.Next.IsZero() {
			continue
		}
		f.checked[c.Company] = c
		if e := c.Event; e != nil {
			added = true
			f.events = append(f.events, fmt.Sprintf("%d %s %s %d after %d of %s", c.Company, e.Severity, e.Type,
				e.Statement.Year, e.Statement.LastFiled, ro.DateIn(e.At, ro.Bucharest)))
			if year != e.Statement.Year {
				err = fmt.Errorf("an event of %d is stored for %d", e.Statement.Year, year)
			}
		}
	}
	return added, err
}

func (f *filed) Stored(cui ro.CUI) *company.Company {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.profiles[cui]
}

func (f *filed) Filings(_ context.Context, _ ro.CUI, year int) (*company.Filings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.loading {
		return nil, errors.New("the trade register is being loaded")
	}

	filings := &company.Filings{Year: year, Years: []int{2024, 2023}}
	for _, form := range []company.SheetForm{company.SmallForm, company.LargeForm, company.IFRSForm} {
		filings.Files = append(filings.Files, company.StatementFile{Form: form, Coverage: f.coverage,
			AsOf: ro.NewDate(2026, 6, 18)})
	}
	return filings, nil
}

func (f *filed) BalanceSheets(_ context.Context, cui ro.CUI, years company.Years) ([]company.BalanceSheet, []int, bool,
	error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, cui)
	switch {
	case f.down:
		return nil, years.Named, false, errors.New("no answer")
	case f.late[cui]:
		return []company.BalanceSheet{{Year: years.Named[0], Form: company.BilantForm}}, nil, false, nil
	}
	return nil, nil, false, nil
}

func (f *filed) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *filed) isReady() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.shut
}

// checks checks statements with a share of a call every 10 s, until the function that it returns is called.
func (f *filed) checks(t *testing.T) (stop func()) {
	t.Helper()
	c := &StatementChecks{Store: f, Companies: f, Every: 10 * time.Minute,
		Share: work.NewShare(0.1, time.Second, f.isReady), IsWorkingDay: isWorkingDay,
		Wake: func() {}, Log: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { c.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// isWorkingDay knows the public holidays of 2026 and 2027 around the due days.
func isWorkingDay(day ro.Date) bool {
	holidays := []ro.Date{ro.NewDate(2026, 5, 1), ro.NewDate(2026, 5, 31), ro.NewDate(2026, 6, 1),
		ro.NewDate(2027, 4, 30), ro.NewDate(2027, 5, 1), ro.NewDate(2027, 5, 2), ro.NewDate(2027, 5, 3)}
	w := day.Weekday()
	return w != time.Saturday && w != time.Sunday && !slices.Contains(holidays, day)
}

// until waits for a time of day in Bucharest.
func until(year int, month time.Month, day, hour int) {
	<-time.After(time.Until(time.Date(year, month, day, hour, 0, 0, 0, ro.Bucharest)))
	synctest.Wait()
}

func (f *filed) expect(t *testing.T, when string, requests int, events ...string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.events, events) || len(f.requests) != requests {
		t.Errorf("%s: the events are %q after %d requests, want %q after %d", when, f.events, len(f.requests), events,
			requests)
	}
}

const absentOn3November = "9900000010 medium company.statement.absent 2025 after 2024 of 2026-11-03"

func TestAbsentStatements(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(f *filed, c *company.Company)
		requests int // by the evening of 3 November 2026
		events   []string
	}{
		{"filed before", func(*filed, *company.Company) {}, 1, []string{absentOn3November}},
		{"filed late", func(f *filed, c *company.Company) { f.late[c.TaxID] = true }, 1, nil},
		{"never looked at", func(f *filed, c *company.Company) { delete(f.profiles, c.TaxID) }, 0, nil},
		{"struck off", func(_ *filed, c *company.Company) {
			c.StateRegistration = company.StruckOff
			c.Inactive = &company.Inactive{StruckOff: new(ro.NewDate(2026, 5, 31))}
		}, 0, nil},
		{"insolvent", func(_ *filed, c *company.Company) { c.StateRegistration = company.Insolvent }, 0, nil},
		{"bank", func(_ *filed, c *company.Company) { c.MainNACECode = new("6419") }, 0, nil},
		{"person", func(_ *filed, c *company.Company) { c.TradeNumber = new("F12/345/2010") }, 0, nil},
		{"firm of 2026", func(_ *filed, c *company.Company) {
			c.RegistrationDate = new(ro.NewDate(2026, 1, 2))
		}, 0, nil},
		{"files not loaded", func(f *filed, _ *company.Company) { f.coverage = company.FileNotLoaded }, 0, nil},
		{"files refused", func(f *filed, _ *company.Company) { f.coverage = company.FileRefused }, 0, nil},
		{"trade register not loaded", func(f *filed, _ *company.Company) { f.loading = true }, 0, nil},
		{"breaker open", func(f *filed, _ *company.Company) { f.shut = true }, 0, nil},
		{"cooperative", func(_ *filed, c *company.Company) { c.TradeNumber = new("C12/345/2010") }, 1,
			[]string{"9900000010 medium company.statement.absent 2025 after 2024 of 2026-10-01"}}, // due on 30 April
		{"not watched", func(f *filed, _ *company.Company) { f.watched = nil }, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFiled(9900000010)
				c.change(f, f.profiles[9900000010])
				until(2026, time.September, 30, 12)
				stop := f.checks(t)
				until(2026, time.November, 3, 23)
				f.expect(t, "on 3 November", c.requests, c.events...)
				until(2026, time.November, 20, 12)
				stop()
				f.expect(t, "weeks later", c.requests, c.events...)
			})
		})
	}
}

// The five months of a due day that is a day off may end later, so nothing is said before the later of both days.
func TestFiveMonthsMustBeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		until(2026, time.October, 31, 12)
		f := newFiled(9900000010)
		for _, day := range []int{31, 32, 33} { // 31 October to 2 November
			until(2026, time.October, day, 12)
			stop := f.checks(t)
			until(2026, time.October, day, 23)
			stop()
			f.expect(t, fmt.Sprintf("on day %d of October", day), 0)
			clear(f.checked) // so that the next day does not wait for its turn
		}

		until(2026, time.November, 3, 1)
		defer f.checks(t)()
		synctest.Wait()
		f.expect(t, "on 3 November", 1, absentOn3November)
	})
}

func TestFiveMonthsEnd(t *testing.T) {
	c := &StatementChecks{IsWorkingDay: isWorkingDay}
	for _, days := range [][3]ro.Date{
		{ro.NewDate(2026, 5, 31), ro.NewDate(2026, 10, 31), ro.NewDate(2026, 11, 2)},
		{ro.NewDate(2027, 5, 31), ro.NewDate(2027, 10, 31), ro.NewDate(2027, 11, 1)}, // a Monday, to a Sunday
		{ro.NewDate(2027, 4, 30), ro.NewDate(2027, 9, 30), ro.NewDate(2027, 10, 4)},  // due on 4 May after Easter
		{ro.NewDate(2028, 5, 31), ro.NewDate(2028, 10, 31), ro.NewDate(2028, 10, 31)},
	} {
		if got := c.fiveMonthsEnd(&company.StatementState{DueOn: &days[0], FiveMonthsEndOn: &days[1]}); got != days[2] {
			t.Errorf("due on %s: %s, want %s", days[0], got, days[2])
		}
	}
}

// A service that does not answer causes no event. Once it answers, the statement is requested again.
func TestAbsenceWhileTheTaxAuthorityIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFiled(9900000010)
		f.down = true
		until(2026, time.November, 3, 8)
		stop := f.checks(t)
		until(2026, time.November, 3, 9)
		f.expect(t, "while the service is down", 7)
		f.set(func() { f.shut = true }) // its breaker has opened
		until(2026, time.November, 3, 12)
		f.expect(t, "while the breaker is open", 7)
		f.set(func() { f.down, f.shut = false, false })
		until(2026, time.November, 3, 13)
		stop()
		f.expect(t, "once it is back", 8, absentOn3November)
	})
}

// A company whose state is unknown is checked again the next day, without requests.
func TestFilesAreLoadedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFiled(9900000010)
		f.coverage = company.FileNotLoaded
		until(2026, time.November, 2, 13)
		stop := f.checks(t)
		until(2026, time.November, 3, 12)
		f.expect(t, "without the files", 0)
		f.set(func() { f.coverage = company.FileLoaded })
		until(2026, time.November, 3, 14)
		stop()
		f.expect(t, "with the files", 1, absentOn3November)
	})
}

// The requests take their turns, over as many days as it takes. A restart and a second process repeat no event.
func TestAbsencesAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFiled(numbers(9_900_000_001, 9_900_001_000)...)
		until(2026, time.November, 3, 8)
		stop := f.checks(t)
		until(2026, time.November, 3, 9)
		if n := len(f.events); n < 350 || n > 361 {
			t.Errorf("%d companies were checked in an hour of a call every 10 s", n)
		}

		stop()
		first, second := f.checks(t), f.checks(t)
		until(2026, time.November, 4, 8)
		first()
		second()
		slices.Sort(f.events)
		if n := len(slices.Compact(f.events)); n != 1000 || len(f.events) != 1000 {
			t.Errorf("%d events about %d companies, want one about each of 1000", len(f.events), n)
		}
	})
}
