package client

import (
	"fmt"
	"strings"
	"time"
)

// Date is a day of the calendar. The zero Date is no day.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ParseDate parses a day as people and spreadsheets write it: 2026-06-10, 10.06.2026 or 10/06/2026, with or without a
// time of the day.
func ParseDate(text string) (Date, error) {
	written := strings.Replace(strings.TrimSpace(text), "T", " ", 1)
	for _, day := range [...]string{time.DateOnly, "2.1.2006", "2/1/2006"} {
		for _, clock := range [...]string{"", " 15:04", " 15:04:05"} {
			if t, err := time.Parse(day+clock, written); err == nil {
				return DateOf(t), nil
			}
		}
	}

	return Date{}, fmt.Errorf("%q is not a day; write it as 2026-06-10 or 10.06.2026", text)
}

// DateOf returns the day of a time, in the time's location.
func DateOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{year, month, day}
}

// IsZero reports whether d is no day.
func (d Date) IsZero() bool { return d == Date{} }

// String returns the day in the form 2026-06-10, or an empty string for the zero Date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// MarshalText encodes the day like String.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses the day like ParseDate.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}
