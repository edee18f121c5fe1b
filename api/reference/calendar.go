package reference

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Calendar is the calendar of Romania's public holidays and bank days.
type Calendar interface {
	// Holidays returns the public holidays of a year in ascending order; two holidays on the same day are two entries.
	Holidays(year int) []Holiday
	// HolidaysOn returns the public holidays on a day; nil on most days.
	HolidaysOn(day ro.Date) []Holiday
	// BankDay reports whether banks settle payments in lei on a day; on these days the National Bank also publishes a
	// fixing.
	BankDay(day ro.Date) bool
	// AsOf is the day on which the laws behind the calendar were last verified.
	AsOf() ro.Date
}

// Holiday is a public holiday on its day.
type Holiday struct {
	Date    ro.Date `json:"date" doc:"Date."`
	Weekday Weekday `json:"weekday" doc:"Day of the week."`
	Name    string  `json:"name" doc:"Romanian name."`
	NameEn  string  `json:"nameEn" doc:"English name."`
	Law     string  `json:"law" doc:"The law that makes it a holiday: the Labour Code itself (Law 53/2003), or the law that added it to the code."`
	Since   *int    `json:"since" doc:"First year in which that law made it a day off; null for a holiday of the Labour Code itself, which is older than this calendar."`
	BankDay bool    `json:"bankDay" doc:"Whether banks settle payments in lei on this day; on public holidays they do not."`
	Fixing  bool    `json:"fixing" brief:"Whether BNR publishes rates." doc:"Whether the National Bank publishes reference rates on this day; it does on bank days."`
}

// FirstCalendarYear is the first year of the calendar and of the central bank's archive.
const FirstCalendarYear = 2005

// LastCalendarYear returns the last year of the calendar: the year after the current one in Bucharest.
func LastCalendarYear() int { return ro.Today().Year() + 1 }

// CalendarYear is a year of the calendar; the zero value is an absent parameter.
type CalendarYear int

// UnmarshalText parses four digits, from [FirstCalendarYear] to [LastCalendarYear].
func (y *CalendarYear) UnmarshalText(text []byte) error {
	accepted := fmt.Sprintf("a year from %d to %d", FirstCalendarYear, LastCalendarYear())
	if len(text) != 4 || !spelling.OnlyDigits(text) {
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: accepted}
	}

	year, _ := strconv.Atoi(string(text)) // four digits
	if year < FirstCalendarYear || year > LastCalendarYear() {
		return &problem.InputError{Code: problem.OutOfRange, Accepted: accepted}
	}

	*y = CalendarYear(year)
	return nil
}

// Schema describes the format of a year. The last year changes with time, so it is not in the description.
func (CalendarYear) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^20\d{2}$`,
		Precise: &jsonschema.Schema{Type: "integer", Minimum: new(FirstCalendarYear)}}
}

// Weekday is the English name of a day of the week, in lower case.
type Weekday string

// The days of the week, in order.
const (
	Monday    Weekday = "monday"
	Tuesday   Weekday = "tuesday"
	Wednesday Weekday = "wednesday"
	Thursday  Weekday = "thursday"
	Friday    Weekday = "friday"
	Saturday  Weekday = "saturday"
	Sunday    Weekday = "sunday"
)

// WeekdayOf returns the day of the week of a day.
func WeekdayOf(day ro.Date) Weekday {
	return Weekday(strings.ToLower(day.Weekday().String()))
}

// Schema lists the days.
func (Weekday) Schema() jsonschema.Schema {
	return jsonschema.Enum(Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday)
}

// Outlook states how certain a calendar is.
type Outlook struct {
	AsOf        ro.Date `json:"asOf" doc:"Date on which the calendar was last checked against the laws."`
	Provisional bool    `json:"provisional" doc:"Whether the answer extends beyond the year of asOf, so that Parliament may yet add a holiday missing from this calendar."`
	Note        string  `json:"note" doc:"Omissions of the calendar, and holidays that may still change, in Romanian."`
	NoteEn      string  `json:"noteEn" doc:"The same in English."`
}

// outlookUntil returns the outlook of an answer that extends to a given year.
func outlookUntil(c Calendar, year int) Outlook {
	asOf := c.AsOf()
	o := Outlook{
		AsOf: asOf,
		// the current year would imply certainty about laws that an old release does not know
		Provisional: year > asOf.Year(),
		Note: "Punțile hotărâte de Guvern pentru bugetari (Codul muncii, art. 139 alin. (4)) nu sunt cuprinse: " +
			"nu sunt sărbători legale, iar băncile decontează plăți.",
		NoteEn: "Bridge days that the Government grants to public employees (Labour Code, art. 139 (4)) are left " +
			"out: they are not public holidays, and banks settle payments on them.",
	}
	if o.Provisional {
		o.Note += fmt.Sprintf(" Calendarul anului %d urmează legea în vigoare la %s; "+
			"legile și hotărârile adoptate ulterior nu sunt cuprinse și îl pot schimba.", year, asOf)
		o.NoteEn += fmt.Sprintf(" The calendar of %d follows the law in force on %s; "+
			"later laws and decrees are not included and may change it.", year, asOf)
	}

	return o
}

// untilTomorrow is the freshness of built-in data in an answer that depends on the current day: it lasts until midnight
// in Bucharest.
func untilTomorrow() op.Freshness {
	now := time.Now()
	y, m, d := now.In(ro.Bucharest).Date()
	midnight := time.Date(y, m, d+1, 0, 0, 0, 0, ro.Bucharest)
	return op.Freshness{Cache: op.Hit, MaxAge: min(op.BuiltIn.MaxAge, midnight.Sub(now).Truncate(time.Second))}
}
