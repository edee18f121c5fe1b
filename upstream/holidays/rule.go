package holidays

import (
	"time"

	"github.com/rodata/rodata/ro"
)

// rule is a public holiday of the Labour Code. It falls on a day of a month, or a number of days after Orthodox Easter.
type rule struct {
	month time.Month // 0 if it is counted from Easter
	day   int        // of the month, or after Easter Sunday
	law   string
	since int // the first year in which a law made it a day off; 0 for the code itself

	name, nameEn string
}

const labourCode = "Law 53/2003"

// rules are the holidays of art. 139 (1) of the Labour Code (Law 53/2003; art. 134 until it was republished in
// Monitorul Oficial 345 of 18 May 2011), in the order of a year with an early Easter. The laws that added to it, as
// published:
//
//   - Law 202/2008, Monitorul Oficial 728 of 28 October 2008, in force from 31 October: Whitsun and 15 August;
//   - Law 147/2012, Monitorul Oficial 509 of 24 July 2012: 30 November;
//   - Law 176/2016, Monitorul Oficial 808 of 13 October 2016: 24 January, a national day since Law 171/2014, but not a
//     day off until then;
//   - Law 220/2016, of 17 November 2016: 1 June;
//   - Law 64/2018, of 12 March 2018, in force before that year's Easter of 8 April: Good Friday;
//   - Law 52/2023, Monitorul Oficial 186 of 6 March 2023: 6 and 7 January.
//
// Easter and Whitsun follow the Orthodox Church. Employees of other Christian denominations have theirs off on the
// days of their own church (Law 37/2020), which changes neither the public holidays nor the bank days.
var rules = []rule{
	{time.January, 1, labourCode, 0, "Anul Nou", "New Year's Day"},
	{time.January, 2, labourCode, 0, "A doua zi de Anul Nou", "Day after New Year's Day"},
	{time.January, 6, "Law 52/2023", 2024, "Botezul Domnului (Boboteaza)", "Epiphany"},
	{time.January, 7, "Law 52/2023", 2024, "Soborul Sfântului Proroc Ioan Botezătorul",
		"Synaxis of Saint John the Baptist"},
	{time.January, 24, "Law 176/2016", 2017, "Ziua Unirii Principatelor Române",
		"Day of the Union of the Romanian Principalities"},
	{0, -2, "Law 64/2018", 2018, "Vinerea Mare", "Good Friday"},
	{0, 0, labourCode, 0, "Prima zi de Paști", "Easter Sunday"},
	{0, 1, labourCode, 0, "A doua zi de Paști", "Easter Monday"},
	{time.May, 1, labourCode, 0, "Ziua Muncii", "Labour Day"},
	{time.June, 1, "Law 220/2016", 2017, "Ziua Copilului", "Children's Day"},
	{0, 49, "Law 202/2008", 2009, "Prima zi de Rusalii", "Whit Sunday"},
	{0, 50, "Law 202/2008", 2009, "A doua zi de Rusalii", "Whit Monday"},
	{time.August, 15, "Law 202/2008", 2009, "Adormirea Maicii Domnului", "Dormition of the Mother of God"},
	{time.November, 30, "Law 147/2012", 2012, "Sfântul Apostol Andrei", "Saint Andrew's Day"},
	{time.December, 1, labourCode, 0, "Ziua Națională a României", "National Day of Romania"},
	{time.December, 25, labourCode, 0, "Prima zi de Crăciun", "Christmas Day"},
	{time.December, 26, labourCode, 0, "A doua zi de Crăciun", "Second Day of Christmas"},
}

// rulesOn returns the rules of the holidays on a day.
func rulesOn(day ro.Date) (found []rule) {
	year, month, dayOfMonth := day.UTC().Date()
	sinceEaster := day - easterOf(year)
	for _, r := range rules {
		falls := r.month == month && r.day == dayOfMonth || r.month == 0 && ro.Date(r.day) == sinceEaster
		if falls && year >= r.since {
			found = append(found, r)
		}
	}

	return found
}
