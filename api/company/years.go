package company

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// FirstFiledYear is the earliest year with statements in the Ministry of Finance's files.
const FirstFiledYear = 2009

// LastFiledYear returns the newest year for which a company can have filed a statement: the year before the current one
// in Bucharest.
func LastFiledYear() int { return ro.Today().Year() - 1 }

// Years selects yearly statements. The zero value, an absent parameter, is the last five years that the company filed.
type Years struct {
	// All selects every year since FirstFiledYear.
	All bool
	// Named are the years selected by number, the newest first.
	Named []int
}

// UnmarshalText parses "all", or comma-separated years from FirstFiledYear to LastFiledYear.
func (y *Years) UnmarshalText(text []byte) error {
	if string(text) == "all" {
		*y = Years{All: true}
		return nil
	}

	var list op.List[filedYear]
	if err := list.UnmarshalText(text); err != nil {
		return err
	}

	var named []int
	for _, year := range list {
		named = append(named, int(year))
	}

	slices.Sort(named)
	slices.Reverse(named)
	*y = Years{Named: named}
	return nil
}

// Schema describes the text.
func (Years) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^(all|\d{4}( *, *\d{4})*)$`}
}

// filedYear is a year that may have statements.
type filedYear int

// UnmarshalText parses four digits.
func (y *filedYear) UnmarshalText(text []byte) error {
	last := LastFiledYear()
	year, err := parseYear(text, last, "years of 4 digits separated by commas, such as 2020,2021, or the word all",
		fmt.Sprintf("years from %d to %d, or the word all", FirstFiledYear, last))
	*y = filedYear(year)
	return err
}

// FinancialYear is a year that has begun; the zero value is an absent parameter.
type FinancialYear int

// UnmarshalText parses four digits, from FirstFiledYear to the current year.
func (y *FinancialYear) UnmarshalText(text []byte) error {
	last := ro.Today().Year()
	accepted := fmt.Sprintf("a year from %d to %d", FirstFiledYear, last)
	year, err := parseYear(text, last, accepted, accepted)
	*y = FinancialYear(year)
	return err
}

// Schema describes the format. The last year changes with time, so it is not in the description.
func (FinancialYear) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^20\d{2}$`,
		Precise: &jsonschema.Schema{Type: "integer", Minimum: new(FirstFiledYear)}}
}

// parseYear parses four digits, from FirstFiledYear to a last year. Format and span say what is accepted.
func parseYear(text []byte, last int, format, span string) (int, error) {
	if len(text) != 4 || !spelling.OnlyDigits(text) {
		return 0, &problem.InputError{Code: problem.InvalidFormat, Accepted: format}
	}

	year, _ := strconv.Atoi(string(text)) // four digits always parse
	if year < FirstFiledYear || year > last {
		return 0, &problem.InputError{Code: problem.OutOfRange, Accepted: span}
	}

	return year, nil
}
