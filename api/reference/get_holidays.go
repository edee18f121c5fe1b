package reference

import (
	"context"
	"fmt"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

type getHolidaysInput struct {
	Year CalendarYear `arg:"year" doc:"Year from 2005 to next year; default the current one." example:"2027"`
}

// HolidayYear is the public holidays of a year.
type HolidayYear struct {
	Year     int    `json:"year" doc:"The year."`
	Basis    string `json:"basis" doc:"The article that lists the holidays."`
	BankDays int    `json:"bankDays" doc:"Number of bank days in the year: Monday to Friday, except public holidays."`
	Outlook
	Items []Holiday `json:"items" doc:"Public holidays, ascending, including those on weekends; two on the same day are two items."`
}

// GetHolidays returns the operation get_holidays.
func GetHolidays(c Calendar) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_holidays", Method: "GET", Path: "/v1/holidays", Tag: tag.Calendar,
		Title: "List the public holidays and bank days of a year",
		Description: "Public holidays of Romania in one year (Labour Code, art. 139), each with names, law, and " +
			"whether banks settle payments and the National Bank (BNR) publishes a fixing on it. Use it to know " +
			"which days are off; use add_business_days instead to compute a due date. Free, works without a key. " +
			"provisional: the year is after the year of asOf, so Parliament may still change its holidays.",
		Tool: true,
	}, func(_ context.Context, _ account.Caller, in getHolidaysInput) (op.Answer[HolidayYear], error) {
		year := int(in.Year)
		if year == 0 {
			year = ro.Today().Year()
		}

		answer := HolidayYear{Year: year, Basis: holidayBasis(year), BankDays: bankDaysIn(c, year),
			Outlook: outlookUntil(c, year), Items: c.Holidays(year)}
		return op.Answer[HolidayYear]{Value: answer, Freshness: untilTomorrow()}, nil
	})
}

// holidayBasis is the article of the Labour Code. It was article 134 until the code was republished and its articles
// renumbered (Monitorul Oficial 345 of 18 May 2011).
func holidayBasis(year int) string {
	article := 139
	if year < 2011 {
		article = 134
	}
	return fmt.Sprintf("Labour Code (Law 53/2003), art. %d (1)", article)
}

func bankDaysIn(c Calendar, year int) (n int) {
	for day := ro.NewDate(year, 1, 1); day.Year() == year; day++ {
		if c.BankDay(day) {
			n++
		}
	}

	return n
}
