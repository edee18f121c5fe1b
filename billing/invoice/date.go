package invoice

import (
	"cmp"
	"fmt"
	"time"
)

// Date is a calendar day, written 2026-11-20. The zero value is no day, and its text is empty.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the day of t in the location of t. Romanian invoices are dated in Bucharest's time zone.
func DateOf(t time.Time) Date {
	var d Date
	d.Year, d.Month, d.Day = t.Date()
	return d
}

// ParseDate parses a day of the years 1 to 9999 in the format of String.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return Date{}, fmt.Errorf("reading the day %q: want a day such as 2026-11-20", text)
	}
	return DateOf(t), nil
}

// IsZero reports whether d is no day.
func (d Date) IsZero() bool { return d == Date{} }

// Compare returns a negative number if d is before other, and a positive one if it is after.
func (d Date) Compare(other Date) int {
	return cmp.Or(cmp.Compare(d.Year, other.Year), cmp.Compare(d.Month, other.Month), cmp.Compare(d.Day, other.Day))
}

// Time returns the start of the day in UTC.
func (d Date) Time() time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC)
}

// String returns the day in the format 2026-11-20.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
}

// MarshalText encodes the day like String.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText decodes the output of MarshalText.
func (d *Date) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*d = Date{}
		return nil
	}

	*d, err = ParseDate(string(text))
	return err
}
