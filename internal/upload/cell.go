package upload

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/table"
)

// uncomputed is the kind of a formula without a value.
const uncomputed table.Kind = math.MaxUint8

// kinds holds, for each column, a bit for each kind of its cells.
type kinds []uint8

func (k *kinds) add(row []table.Kind, cells []string) {
	for len(*k) < len(cells) {
		*k = append(*k, 0)
	}
	for i, cell := range cells {
		if cell != "" && i < len(row) {
			(*k)[i] |= 1 << row[i]
		}
	}
}

// list returns the kind of each column whose cells all have the same; other columns are texts.
func (k kinds) list() []table.Kind {
	list := make([]table.Kind, len(k))
	for i, seen := range k {
		switch seen {
		case 1 << table.Integer:
			list[i] = table.Integer
		case 1 << table.Number, 1<<table.Number | 1<<table.Integer:
			list[i] = table.Number
		case 1 << table.Date:
			list[i] = table.Date
		case 1 << table.Flag:
			list[i] = table.Flag
		}
	}

	return list
}

// numberKind returns the kind of a number, and false if a 64-bit float does not hold all its digits before the point.
func numberKind(text string) (table.Kind, bool) {
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(n) || math.Abs(n) >= 1e15:
		return table.Other, false
	case strings.ContainsAny(text, ".eE"):
		return table.Number, true
	}

	return table.Integer, true
}

// cell is a cell of a sheet (ECMA-376 part 1, 18.3.1.4).
type cell struct {
	kind, value, inline string
	style               int
	isFormula           bool
}

// valueOf returns the value of a cell as a text: whole numbers without exponents, and days as 2026-11-23.
func (w *workbook) valueOf(c *cell) (string, table.Kind, error) {
	text, kind, err := c.value, table.Text, error(nil)
	switch c.kind {
	case "s":
		text, err = w.shared.at(number(c.value))
	case "inlineStr":
		text = c.inline
	case "b":
		text, kind = strconv.FormatBool(c.value == "1"), table.Flag
	case "str", "e", "d":
	default:
		text, kind = w.numberOf(c)
	}

	if text == "" && c.isFormula {
		kind = uncomputed
	}
	return text, kind, err
}

func (w *workbook) numberOf(c *cell) (string, table.Kind) {
	value, err := strconv.ParseFloat(strings.TrimSpace(c.value), 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		return c.value, table.Text
	}
	if c.style >= 0 && c.style < len(w.dates) && w.dates[c.style] {
		return w.date(value)
	}

	text := strconv.FormatFloat(value, 'f', -1, 64)
	if kind, isExact := numberKind(text); isExact {
		return text, kind
	}
	return c.value, table.Text
}

// lastDay is 9999-12-31, the last day that spreadsheets support.
const lastDay = 2_958_465

// date converts a number of days since the workbook's epoch to a day, with the time of day if there is one.
// Spreadsheets count the day 1900-02-29, which did not exist; the epoch 1899-12-30 compensates for it (ECMA-376 part 1,
// 18.17.4.1).
func (w *workbook) date(days float64) (string, table.Kind) {
	if days < 1 || days > lastDay {
		return strconv.FormatFloat(days, 'f', -1, 64), table.Number
	}

	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if w.from1904 {
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}

	whole := math.Floor(days)
	seconds := int(math.Round((days - whole) * 24 * 60 * 60))
	at := epoch.AddDate(0, 0, int(whole)).Add(time.Duration(seconds) * time.Second)
	if seconds == 0 {
		return at.Format(time.DateOnly), table.Date
	}

	return at.Format(time.DateTime), table.Time
}
