package upload

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// text returns the value of a cell as a text: whole numbers without exponents, and days as 2026-11-23.
func (w *workbook) text(c *cellXML) (string, error) {
	switch c.Type {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(c.Value))
		if err != nil || i < 0 || i >= len(w.shared) {
			return "", errors.New("it refers to a text that the workbook does not have")
		}
		return w.shared[i], nil
	case "inlineStr":
		if c.Inline == nil {
			return "", nil
		}
		return c.Inline.String(), nil
	case "b":
		if c.Value == "1" {
			return "TRUE", nil
		}
		return "FALSE", nil
	case "str", "e", "d":
		return c.Value, nil
	}

	value, err := strconv.ParseFloat(strings.TrimSpace(c.Value), 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		return c.Value, nil
	}
	if c.Style >= 0 && c.Style < len(w.dates) && w.dates[c.Style] {
		return w.date(value), nil
	}
	if math.Abs(value) < 1e15 {
		return strconv.FormatFloat(value, 'f', -1, 64), nil
	}

	return c.Value, nil
}

// lastDay is 9999-12-31, the last day that spreadsheets support.
const lastDay = 2_958_465

// date converts a number of days since the workbook's epoch to a day, with the time of day if there is one.
// Spreadsheets count the day 1900-02-29, which did not exist; the epoch 1899-12-30 compensates for it (ECMA-376 part 1,
// 18.17.4.1).
func (w *workbook) date(days float64) string {
	if days < 1 || days > lastDay {
		return strconv.FormatFloat(days, 'f', -1, 64)
	}

	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if w.from1904 {
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}

	whole := math.Floor(days)
	seconds := int(math.Round((days - whole) * 24 * 60 * 60))
	at := epoch.AddDate(0, 0, int(whole)).Add(time.Duration(seconds) * time.Second)
	if seconds == 0 {
		return at.Format(time.DateOnly)
	}

	return at.Format(time.DateTime)
}
