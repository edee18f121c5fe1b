// Package holidays computes Romania's public holidays and bank days. It needs no registry, because the laws are in its
// table.
package holidays

import (
	"time"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/ro"
)

// Calendar implements reference.Calendar. The zero value is ready to use.
type Calendar struct{}

// Holidays returns the public holidays of a year in ascending order. Two holidays on the same day are two entries.
// Years before 2005 have the holidays of 2005.
func (c Calendar) Holidays(year int) (days []reference.Holiday) {
	for day := ro.NewDate(year, time.January, 1); day.Year() == year; day++ {
		days = append(days, c.HolidaysOn(day)...)
	}
	return days
}

// HolidaysOn returns the public holidays on a day, on which banks are closed. On most days there are none.
func (Calendar) HolidaysOn(day ro.Date) (days []reference.Holiday) {
	for _, r := range rulesOn(day) {
		h := reference.Holiday{Date: day, Weekday: reference.WeekdayOf(day), Name: r.name, NameEn: r.nameEn, Law: r.law}
		if r.since > 0 {
			h.Since = new(r.since)
		}

		days = append(days, h)
	}

	return days
}

// BankDay reports whether banks settle payments in lei on a day.
func (Calendar) BankDay(day ro.Date) bool { return BankDay(day) }

// AsOf returns the day on which the laws of the table were last verified.
func (Calendar) AsOf() ro.Date { return ro.NewDate(2026, time.November, 22) }

// BankDay reports whether banks settle payments in lei on a day. They do so on all days but Saturdays, Sundays and
// public holidays, when the central bank's payment system ReGIS is closed. The central bank publishes its fixing on the
// same days. This rule reproduces all 698 fixings with which it was compared (2018, 2022 to 2024, and 2026); for other
// years it follows from the law. Bridge days of public employees do not count. For the past, the bank's archive is
// authoritative.
func BankDay(day ro.Date) bool {
	w := day.Weekday()
	return w != time.Saturday && w != time.Sunday && len(rulesOn(day)) == 0
}

// easterOf returns the Orthodox Easter Sunday of a year. Meeus's algorithm gives the Julian date, and 13 days are added
// for the Gregorian calendar (from 1900 to 2099).
func easterOf(year int) ro.Date {
	a, b, c := year%4, year%7, year%19
	d := (19*c + 15) % 30
	e := (2*a + 4*b - d + 34) % 7
	month, day := (d+e+114)/31, (d+e+114)%31+1
	return ro.NewDate(year, time.Month(month), day) + 13
}
