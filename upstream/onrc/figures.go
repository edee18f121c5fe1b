package onrc

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// errFiguresMissing means that the figures of companies, or which statements are missing, are not known yet.
var errFiguresMissing = errors.New("the figures of companies are not known yet")

// figuresMissing returns errFiguresMissing with its problem.
func figuresMissing(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errFiguresMissing, problem.Unavailable.New(format, args...).After(time.Minute))
}

// addFigures adds the figures to a query that needs or wants them.
func (s *servedIndex) addFigures(q *search.Query) error {
	needed := q.NeedsFigures(q.Sort)
	if !needed && !q.WithFigures {
		return nil
	}

	q.Figures = s.figures.Load()
	switch {
	case !needed:
		return nil
	case q.Figures == nil:
		return figuresMissing("the yearly statements of companies are not loaded yet; try again later, or leave out " +
			"the ranges of turnover, netResult and employees, statement, and sortBy with a figure")
	case q.Statement == company.StatementNotInFiles && !q.Figures.KnowsAbsent():
		return figuresMissing("not all files with the yearly statements of %d and of the years before are loaded yet, "+
			"so which companies have none is not known; try again later, or leave out statement", q.Figures.Year())
	}

	return nil
}

// IsAbsent reports whether a firm's statement is missing, from what is known about its statements.
type IsAbsent func(firm *search.Firm, filings *company.Filings) bool

// FollowStatements builds the figures of companies for the search until the context ends. It builds them again whenever
// a release or yearly statements were loaded. It calls store for the current files.
func (r *Register) FollowStatements(ctx context.Context, store func() *statements.Store, isAbsent IsAbsent) {
	b := figureBuilder{isAbsent: isAbsent}
	r.repeat(ctx, "reading the figures of yearly statements failed; trying again", func(ctx context.Context) error {
		return b.follow(ctx, r, store())
	})
}

// figureBuilder builds the figures of companies.
type figureBuilder struct {
	isAbsent IsAbsent

	// What the newest figures were built from.
	of    *servedIndex
	store *statements.Store
	today ro.Date
	// year and all describe the files of the figures' year, and all that decides which statements are missing.
	year, all string
}

// follow builds the figures if anything has changed.
func (b *figureBuilder) follow(ctx context.Context, r *Register, store *statements.Store) error {
	served, today := r.served.Load(), ro.DateIn(r.o.Now(), ro.Bucharest)
	if served == nil || store == nil || served == b.of && store == b.store && today == b.today {
		return nil
	}
	if served != b.of {
		b.year, b.all = "", ""
	}

	err := r.read(func(current *servedIndex) error {
		if current != served {
			return ErrNotLoaded // it was just replaced
		}
		return b.build(ctx, served, store, today)
	})
	if err == nil {
		b.store, b.today = store, today
	}

	b.of = served
	return err
}

// build builds the figures of the newest year. Which statements are missing is known only if all files of the year and
// of the years before are here.
func (b *figureBuilder) build(ctx context.Context, served *servedIndex, store *statements.Store, today ro.Date) error {
	year := store.NewestYear()
	if year == 0 {
		return nil
	}

	if files := store.Origins(year, year); files != b.year {
		figures, err := served.index.NewFigures(year, paced(ctx, store.Companies(year, year)),
			paced(ctx, figuresIn(store, year)))
		if err != nil {
			return err
		}

		served.figures.Store(figures)
		b.year, b.all = files, ""
	}

	filings := &company.Filings{Year: year, Years: []int{company.FirstFiledYear}, Files: store.FilesOf(year)}
	// Once the last statements of the year are due, a later day makes no difference.
	all := strconv.FormatBool(today > ro.NewDate(year+1, time.May, 31)) + store.Origins(0, math.MaxInt)
	if all == b.all || !store.IsComplete() || filings.MissingFiles() != "" {
		return nil
	}

	p := pacer{ctx: ctx}
	figures, err := served.index.WithAbsent(served.figures.Load(), paced(ctx, store.Companies(0, year-1)),
		func(firm *search.Firm) (bool, error) {
			return b.isAbsent(firm, filings), p.step()
		})
	if err != nil {
		return err
	}

	served.figures.Store(figures)
	b.all = all
	return nil
}

// figuresIn iterates over the figures in the statements of a year.
func figuresIn(store *statements.Store, year int) iter.Seq2[search.StatementFigures, error] {
	return func(yield func(search.StatementFigures, error) bool) {
		for s, err := range store.InYear(year) {
			if err != nil {
				yield(search.StatementFigures{}, err)
				return
			}

			figures := company.Figures{
				company.TurnoverFigure:  s.Value(statements.Turnover),
				company.NetResultFigure: s.NetResult(),
				company.EmployeesFigure: s.Value(statements.Employees),
			}
			if !yield(search.StatementFigures{TaxID: s.CUI, Figures: figures}, nil) {
				return
			}
		}
	}
}

const (
	// restsPerWork is how many times as long as it works the building of figures rests, for the sake of callers. It
	// uses a third of a processor, because searches by figures wait for it after each start.
	restsPerWork = 2
	// itemsPerRest is the number of items processed between two rests.
	itemsPerRest = 1024
)

// pacer rests between items that are processed.
type pacer struct {
	ctx   context.Context
	items int
	began time.Time // end of the last rest; zero before the first one
}

// step counts an item, and rests after each itemsPerRest of them. It returns the context's error.
func (p *pacer) step() error {
	p.items++
	if p.items%itemsPerRest != 0 {
		return nil
	}

	err := rest(p.ctx, restsPerWork, p.began)
	p.began = time.Now()
	return err
}

// paced iterates over a sequence with rests. It ends with the error of the context.
func paced[T any](ctx context.Context, sequence iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		p := pacer{ctx: ctx}
		for item, err := range sequence {
			if err == nil {
				err = p.step()
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}
