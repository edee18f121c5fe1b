package ro

import (
	"errors"
	"strings"
	"time"
	_ "time/tzdata" // registries use Bucharest time, on every machine

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Date is a calendar day without a time or a zone, comparable with the ordinary operators. The zero value is an absent
// parameter.
type Date int32 // days since 0001-01-01, which is not a valid date

// Bucharest is the time zone of the registries.
var Bucharest = mustLoad("Europe/Bucharest")

func mustLoad(name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil { // the zone data is embedded
		panic(err)
	}
	return loc
}

const unixEpochDays = 719162 // 1970-01-01 as a Date

// NewDate returns the day of a year, month and day of the month.
func NewDate(year int, month time.Month, day int) Date {
	return Date(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()/86400 + unixEpochDays)
}

// DateIn returns the day of an instant in a time zone.
func DateIn(t time.Time, loc *time.Location) Date {
	return NewDate(t.In(loc).Date())
}

// Today returns the current day in Bucharest.
func Today() Date { return DateIn(time.Now(), Bucharest) }

// ParseDate parses a day like UnmarshalText.
func ParseDate(text string) (Date, error) {
	var d Date
	err := d.UnmarshalText([]byte(text))
	return d, err
}

// UTC returns the day's first instant in UTC.
func (d Date) UTC() time.Time { return time.Unix((int64(d)-unixEpochDays)*86400, 0).UTC() }

// Year returns the year of the day.
func (d Date) Year() int { return d.UTC().Year() }

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.UTC().Weekday() }

func (d Date) String() string { return d.UTC().Format(time.DateOnly) }

// MarshalText encodes the day as YYYY-MM-DD.
func (d Date) MarshalText() ([]byte, error) { return d.UTC().AppendFormat(nil, time.DateOnly), nil }

// DateForm describes the accepted forms of a day, for errors.
const DateForm = "a day written YYYY-MM-DD, DD.MM.YYYY or DD/MM/YYYY, such as 2026-11-20, with or without a time"

var (
	errDate  = &problem.InputError{Code: problem.InvalidFormat, Accepted: DateForm}
	errNoDay = &problem.InputError{Code: problem.OutOfRange, Accepted: DateForm, Reason: "there is no such day"}
)

// UnmarshalText parses a day as people and programs write it: 2026-03-31, 31.03.2026 or 31/03/2026, with or without a
// time after a space or a T. A time with a zone, such as 2026-03-30T22:00:00Z, is converted to the day in Bucharest.
// UnmarshalText rejects nonexistent days, and 0001-01-01, which many programs use for an absent date.
func (d *Date) UnmarshalText(text []byte) error {
	written := strings.TrimSpace(string(text))
	form := time.DateOnly
	switch separator := strings.IndexAny(written, "-./"); {
	case separator < 0:
		return errDate
	case written[separator] == '.':
		form = "2.1.2006"
	case written[separator] == '/':
		form = "2/1/2006"
	}

	day, clock := written, ""
	if end := strings.IndexAny(written, " T"); end > 0 {
		day, clock = written[:end], strings.TrimLeft(written[end:], " T")
	}

	t, err := time.Parse(form, day)
	wrong, ok := errors.AsType[*time.ParseError](err)
	switch {
	case ok && strings.HasSuffix(wrong.Message, "out of range"):
		return errNoDay
	case err != nil:
		return errDate
	case clock != "":
		if t, err = parseClock(form, day, clock); err != nil {
			return errDate
		}
	}

	read := NewDate(t.Date())
	if read <= 0 || t.Year() > 9999 { // year 0, the day that means no date, and what a zone moves behind the last year
		return errNoDay
	}

	*d = read
	return nil
}

// parseClock parses a day with a time.
func parseClock(form, day, clock string) (time.Time, error) {
	for _, clockForm := range [...]string{"15:04", "15:04:05"} {
		if t, err := time.Parse(form+" "+clockForm, day+" "+clock); err == nil {
			return t, nil
		}
	}

	instant, err := time.Parse(form+" 15:04:05Z07:00", day+" "+clock)
	return instant.In(Bucharest), err
}

// Schema describes the format of a day.
func (Date) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string", Format: "date"} }
