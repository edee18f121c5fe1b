package reference

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type addBusinessDaysInput struct {
	From ro.Date      `arg:"from" doc:"Start date, itself not counted: 2005-01-01 to the end of next year; default today in Bucharest." example:"2026-12-23"`
	Days BusinessDays `arg:"days" required:"true" doc:"Bank days to add, -1000 to 1000: 1 is the first bank day after from, -1 the last one before it, 0 from itself if it is a bank day, else the next one." example:"5"`
}

// maxBusinessDays is the maximum number of bank days that one call counts: about four years.
const maxBusinessDays = 1000

// BusinessDays is a number of bank days, -1000 to 1000.
type BusinessDays int

// UnmarshalText parses a whole number without leading zeros, with a minus sign if it is negative.
func (n *BusinessDays) UnmarshalText(text []byte) error {
	digits, negative := strings.CutPrefix(string(text), "-")
	days, ok := op.Count([]byte(digits), 4)
	if !ok || days > maxBusinessDays {
		return &problem.InputError{Code: problem.OutOfRange,
			Accepted: fmt.Sprintf("a whole number from -%d to %[1]d", maxBusinessDays)}
	}
	if negative {
		days = -days
	}

	*n = BusinessDays(days)
	return nil
}

// Schema describes the format of the number.
func (BusinessDays) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^-?(0|[1-9][0-9]{0,2}|1000)$`,
		Precise: &jsonschema.Schema{Type: "integer", Minimum: new(-maxBusinessDays), Maximum: new(maxBusinessDays)}}
}

// String returns the number in digits.
func (n BusinessDays) String() string { return strconv.Itoa(int(n)) }

// DueDate is the result of adding bank days to a date.
type DueDate struct {
	From    ro.Date `json:"from" doc:"Start date."`
	Days    int     `json:"days" doc:"Bank days added."`
	Date    ro.Date `json:"date" brief:"The resulting day." doc:"The resulting date, a bank day."`
	Weekday Weekday `json:"weekday" doc:"Its day of the week."`
	Outlook
	PassedOver []DayOff `json:"passedOver" doc:"Weekend days and holidays between from and date, inclusive."`
}

// DayOff is a day on which banks settle no payments in lei.
type DayOff struct {
	Date    ro.Date      `json:"date" doc:"Date."`
	Weekday Weekday      `json:"weekday" doc:"Day of the week."`
	Reason  DayOffReason `json:"reason" doc:"holiday for a public holiday, even on a weekend; else weekend."`
	Name    *string      `json:"name" doc:"Romanian name of the holiday, or names separated by semicolons; null for a weekend."`
	NameEn  *string      `json:"nameEn" doc:"English name of the holiday, or names separated by semicolons; null for a weekend."`
}

// DayOffReason is the reason why banks settle no payments on a day.
type DayOffReason string

// The reasons.
const (
	OffWeekend DayOffReason = "weekend"
	OffHoliday DayOffReason = "holiday"
)

// Schema lists the reasons.
func (DayOffReason) Schema() jsonschema.Schema { return jsonschema.Enum(OffWeekend, OffHoliday) }

// AddBusinessDays returns the operation add_business_days.
func AddBusinessDays(c Calendar) *op.Operation {
	return op.Define(op.Spec{
		Name: "add_business_days", Method: "GET", Path: "/v1/business-days", Tag: tag.Calendar,
		Title: "Add bank days to a date",
		Description: "Adds Romanian bank days to a date or subtracts them, and lists the weekend days and public " +
			"holidays in between. Use it for due dates, value dates and payment terms in lei; use get_holidays " +
			"instead for the holidays of a year. Free, works without a key. Payments in euro follow the TARGET " +
			"calendar, which differs.",
		Tool: true,
	}, func(_ context.Context, _ account.Caller, in addBusinessDaysInput) (op.Answer[DueDate], error) {
		from := in.From
		if from == 0 {
			from = ro.Today()
		}
		if err := checkCalendarDay(from); err != nil {
			return op.Answer[DueDate]{}, err
		}

		date := businessDaysFrom(c, from, int(in.Days))
		if year := date.Year(); year < FirstCalendarYear || year > LastCalendarYear() {
			return op.Answer[DueDate]{}, problem.Invalid(&problem.InputError{
				Parameter: "days", Code: problem.OutOfRange, Received: problem.Excerpt(in.Days.String()),
				Accepted: fmt.Sprintf("a number with which the result lies between %d-01-01 and %d-12-31",
					FirstCalendarYear, LastCalendarYear()),
				Reason: fmt.Sprintf("%s bank days from %s lead to %s, outside the calendar (%d to %d); send fewer days",
					in.Days, from, date, FirstCalendarYear, LastCalendarYear()),
			})
		}

		answer := DueDate{
			From: from, Days: int(in.Days), Date: date, Weekday: WeekdayOf(date),
			Outlook:    outlookUntil(c, max(from, date).Year()),
			PassedOver: daysOff(c, min(from, date), max(from, date)),
		}
		return op.Answer[DueDate]{Value: answer, Freshness: untilTomorrow()}, nil
	})
}

// checkCalendarDay refuses days outside the calendar.
func checkCalendarDay(day ro.Date) error {
	first, last := ro.NewDate(FirstCalendarYear, 1, 1), ro.NewDate(LastCalendarYear(), 12, 31)
	if day < first || day > last {
		return op.OutOfRange("from", day, fmt.Sprintf("a day from %s to %s", first, last),
			fmt.Sprintf("it lies outside the calendar, which goes from %s to %s", first, last))
	}
	return nil
}

// businessDaysFrom counts bank days forwards or backwards; for 0 it moves forward to the next bank day. The result may
// lie beyond the calendar's years, where the current law is assumed.
func businessDaysFrom(c Calendar, from ro.Date, days int) ro.Date {
	step, left := ro.Date(1), days
	if days < 0 {
		step, left = -1, -days
	}
	if days == 0 && !c.BankDay(from) {
		left = 1
	}

	day := from
	for left > 0 {
		if day += step; c.BankDay(day) {
			left--
		}
	}

	return day
}

// daysOff lists the days without settlement from one day to another, both inclusive.
func daysOff(c Calendar, from, to ro.Date) []DayOff {
	off := []DayOff{}
	for day := from; day <= to; day++ {
		if c.BankDay(day) {
			continue
		}

		d := DayOff{Date: day, Weekday: WeekdayOf(day), Reason: OffWeekend}
		if holidays := c.HolidaysOn(day); len(holidays) > 0 {
			name, nameEn := holidays[0].Name, holidays[0].NameEn
			for _, h := range holidays[1:] {
				name, nameEn = name+"; "+h.Name, nameEn+"; "+h.NameEn
			}

			d.Reason, d.Name, d.NameEn = OffHoliday, &name, &nameEn
		}

		off = append(off, d)
	}

	return off
}
