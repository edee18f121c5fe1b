package company

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Figure is a figure of the yearly statements by which companies are searched.
type Figure int

// The figures.
const (
	TurnoverFigure Figure = iota
	NetResultFigure
	EmployeesFigure
	FigureCount
)

// Figures are the figures in a statement, by Figure; nil for those that are not stated.
type Figures [FigureCount]*int64

// SetFigures sets the figures of a company in a search's result.
func (s *Summary) SetFigures(f *Figures) {
	s.Turnover, s.NetResult, s.Employees = f[TurnoverFigure], f[NetResultFigure], f[EmployeesFigure]
}

// FigureRange is a range of a figure, with its bounds; nil for none.
type FigureRange struct{ Min, Max *int64 }

// FigureFilter selects companies by their yearly statements of one year: the newest whose files are loaded.
type FigureFilter struct {
	// Ranges are the ranges of the figures. A company that does not state a figure is in no range of it.
	Ranges [FigureCount]FigureRange
	// Statement selects the companies with a statement (StatementFiled), or those that filed before but have none for
	// the year (StatementNotInFiles). It is empty for any.
	Statement StatementStateName
}

// NeedsFigures reports whether a search with the filter and an order needs the figures of companies.
func (f *FigureFilter) NeedsFigures(order SortBy) bool {
	_, sorts := order.Figure()
	return sorts || *f != FigureFilter{}
}

// FigureBound is a bound of a range. Its zero value is no bound.
type FigureBound struct{ value *int64 }

// maxBound is the largest bound, and its negative the smallest. No figure is larger, see the statements that are read,
// and programs that read numbers as floating point have it exactly.
const maxBound = 1_000_000_000_000_000

// UnmarshalText parses a whole number.
func (b *FigureBound) UnmarshalText(text []byte) error { return b.parse(text, -maxBound) }

// parse parses a whole number that is not below the least.
func (b *FigureBound) parse(text []byte, least int64) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	code := problem.OutOfRange
	switch {
	case errors.Is(err, strconv.ErrSyntax), text[0] == '+':
		code = problem.InvalidFormat
	case err == nil && least <= n && n <= maxBound:
		b.value = &n
		return nil
	}

	return &problem.InputError{Code: code, Accepted: fmt.Sprintf(
		"a whole number from %d to %d, without separators: 1500000", least, int64(maxBound))}
}

// Schema describes the number.
func (FigureBound) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^-?\d+$`}
}

// CountBound is a bound of a range of counts, which are not negative.
type CountBound struct{ FigureBound }

// UnmarshalText parses a whole number.
func (b *CountBound) UnmarshalText(text []byte) error { return b.parse(text, 0) }

// Schema describes the number.
func (CountBound) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^\d+$`}
}

// figureRange returns the range with two bounds, whose parameters are called minimum and maximum.
func figureRange(minimum, maximum string, least, most FigureBound) (FigureRange, error) {
	if least.value != nil && most.value != nil && *least.value > *most.value {
		return FigureRange{}, problem.Invalid(&problem.InputError{
			Parameter: minimum, Code: problem.Conflict, Received: new(strconv.FormatInt(*least.value, 10)),
			Accepted: fmt.Sprintf("a number that is not above %s", maximum),
			Reason: fmt.Sprintf("it is %d and %s is %d, so no company can match; exchange them, or leave one out",
				*least.value, maximum, *most.value),
		})
	}

	return FigureRange{least.value, most.value}, nil
}

// StatementFilter is a state of a company's statement to search for.
type StatementFilter StatementStateName

// UnmarshalText parses one of the states.
func (s *StatementFilter) UnmarshalText(text []byte) error {
	name, err := op.OneOf(text, s.Schema().Enum...)
	*s = StatementFilter(name)
	return err
}

// Schema lists the states.
func (StatementFilter) Schema() jsonschema.Schema {
	return jsonschema.Enum(StatementFiled, StatementNotInFiles)
}
