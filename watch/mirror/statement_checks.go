package mirror

import (
	"context"
	"log/slog"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

const (
	// statementsAtOnce is the number of companies read at once.
	statementsAtOnce = 100
	// unlookedPause is the number of intervals after which a company that the mirror has not looked at yet is checked
	// again.
	unlookedPause = 6
	// undecidedPause is the time after which a company whose state may still change is checked again.
	undecidedPause = 24 * time.Hour
)

// StatementStore keeps the checks of statements. It is a *store.DB.
type StatementStore interface {
	// DueStatements returns up to limit companies whose check for the year is due. Each is watched and paid for, in a
	// list that names the event.
	DueStatements(ctx context.Context, year int, now time.Time, limit int) ([]ro.CUI, error)
	// RecordStatements stores the outcomes of checks for a year, with their events, and reports whether there were any
	// events. It skips companies whose check is settled, and events that no watch-list would get.
	RecordStatements(ctx context.Context, year int, checks []watch.StatementCheck) (added bool, err error)
}

// StatementRegister knows companies and their statements. It is a *profile.Register.
type StatementRegister interface {
	company.SheetSource
	// Stored returns the stored profile of a company, without a request to a registry; nil if there is none.
	Stored(ro.CUI) *company.Company
	// Filings returns what is known about a statement without a request. Its error is that the trade register is not
	// loaded.
	Filings(ctx context.Context, cui ro.CUI, year int) (*company.Filings, error)
}

// StatementChecks looks for companies in watch-lists whose yearly statement is in no published file and unknown to the
// tax authority when the five months that the law names are over. It writes an event for such a company, once for each
// year. It requests a statement only if the published files of the year are here and lack it.
//
// The only state is stored with the events, so any process can continue where another one stopped.
type StatementChecks struct {
	Store     StatementStore
	Companies StatementRegister
	// Every is the interval at which companies with a due check are searched for. It is also the time after which a
	// check is repeated that the tax authority did not answer.
	Every time.Duration
	// Share is the part of the tax authority's ration that may be used.
	Share *work.Share
	// IsWorkingDay reports whether a day is neither at a weekend nor a public holiday.
	IsWorkingDay func(ro.Date) bool
	// Wake is called after events have been written.
	Wake func()
	Log  *slog.Logger
}

// Run checks statements until the context ends.
func (c *StatementChecks) Run(ctx context.Context) {
	work.RepeatLogged(ctx, nil, c.Log, "checking the yearly statements of watched companies failed; trying again",
		func(ctx context.Context) (time.Duration, error) {
			more, err := c.step(ctx)
			if more && err == nil {
				return 0, nil
			}
			return c.Every, err
		})
}

// step checks some companies, and reports whether others may be due. It stops early while the tax authority must not be
// queried.
func (c *StatementChecks) step(ctx context.Context) (more bool, err error) {
	now := time.Now()
	today := ro.DateIn(now, ro.Bucharest)
	year := lastAbsenceYear(today)
	if year < company.FirstAbsenceYear {
		return false, nil
	}

	due, err := c.Store.DueStatements(ctx, year, now, statementsAtOnce)
	if err != nil {
		return false, err
	}

	var decided []watch.StatementCheck
	var absent []ro.CUI // from the files
	for _, cui := range due {
		check := watch.StatementCheck{Company: cui, Next: now.Add(unlookedPause * c.Every)}
		if known := c.Companies.Stored(cui); known != nil {
			f, err := c.Companies.Filings(ctx, cui, year)
			if err != nil { // the trade register is being loaded
				return false, nil
			}

			s := known.StatementState(f, today)
			if c.isAbsent(s, today) {
				absent = append(absent, cui)
				continue
			}

			check.Next = now.Add(undecidedPause)
			if isSettled(s) {
				check.Next = time.Time{}
			}
		}

		decided = append(decided, check)
	}

	if err := c.record(ctx, year, decided...); err != nil {
		return false, err
	}

	for _, cui := range absent {
		if ready, err := c.Share.Turn(ctx, 1); !ready || err != nil {
			return false, err
		}
		if err := c.request(ctx, cui, year); err != nil {
			return false, err
		}
	}

	return len(due) == statementsAtOnce, nil
}

// request requests a statement that the files lack from the tax authority, and records the outcome.
func (c *StatementChecks) request(ctx context.Context, cui ro.CUI, year int) error {
	known := c.Companies.Stored(cui)
	f, err := c.Companies.Filings(ctx, cui, year)
	if err != nil || known == nil {
		return nil
	}
	if err := f.Request(ctx, c.Companies, cui); err != nil {
		return err
	}
	if !f.Requested {
		c.Share.Return(1)
	}

	now := time.Now()
	today := ro.DateIn(now, ro.Bucharest)
	s := known.StatementState(f, today)
	check := watch.StatementCheck{Company: cui}
	switch {
	case c.isAbsent(s, today):
		check.Event = watch.AbsenceEvent(known, s, now)
	case !isSettled(s):
		check.Next = now.Add(c.Every)
	}

	return c.record(ctx, year, check)
}

func (c *StatementChecks) record(ctx context.Context, year int, checks ...watch.StatementCheck) error {
	if len(checks) == 0 {
		return nil
	}

	added, err := c.Store.RecordStatements(ctx, year, checks)
	if added {
		c.Wake()
	}

	return err
}

// lastAbsenceYear returns the newest financial year whose five months may be over before a day: those of legal persons
// that are not companies end first, on 30 September.
func lastAbsenceYear(day ro.Date) int {
	year := day.Year() - 1
	if day <= ro.NewDate(day.Year(), time.September, 30) {
		year--
	}
	return year
}

// isSettled reports whether the state cannot become an absence.
func isSettled(s *company.StatementState) bool {
	return s.State == company.StatementFiled ||
		s.State == company.StatementNotRequired && s.Reason != company.NotDue
}

// isAbsent reports whether the statement is in no published file, and the five months are over.
func (c *StatementChecks) isAbsent(s *company.StatementState, day ro.Date) bool {
	return s.State == company.StatementNotInFiles && s.FiveMonthsEndOn != nil && c.fiveMonthsEnd(s) < day
}

// fiveMonthsEnd returns the last day on which the five months may end. The law does not say whether a due day that is a
// day off moves them, so the later of both days counts.
func (c *StatementChecks) fiveMonthsEnd(s *company.StatementState) ro.Date {
	end := c.workingDay(*s.FiveMonthsEndOn)
	if due := c.workingDay(*s.DueOn); due != *s.DueOn {
		moved := due.UTC()
		end = max(end, c.workingDay(ro.NewDate(moved.Year(), moved.Month()+5, moved.Day())))
	}

	return end
}

// workingDay returns a day, or the next working day after it.
func (c *StatementChecks) workingDay(day ro.Date) ro.Date {
	for !c.IsWorkingDay(day) {
		day++
	}
	return day
}
