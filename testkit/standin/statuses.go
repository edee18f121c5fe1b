package standin

import (
	"strings"
	"time"

	"github.com/rodata/rodata/ro"
)

// setVAT derives VAT periods from the history. Sole traders have no VAT periods here.
func (c *Company) setVAT(history vatHistory) {
	if forms[c.Form].letter == 'F' {
		return
	}
	if history == retroactive {
		c.VAT = cancelled
	}

	for _, days := range periods[history] {
		r := Registration{Period: Period{From: c.Registered + ro.Date(days[0])}}
		if days[1] >= 0 {
			r.To = c.Registered + ro.Date(days[1])
		} else if wordings[c.State].ended {
			r.To = c.Since
		}

		if r.To != 0 {
			r.Entered, r.Reason = r.To+2, "Anulare la cerere (exemplu de notiță)"
		}

		c.VAT = append(c.VAT, r)
	}

	if len(c.VAT) == 0 || c.VAT[len(c.VAT)-1].To != 0 {
		return
	}

	c.OnCollection = history == onCollection
	if c.index%3 != 2 {
		c.EInvoice = max(c.Registered+60, ro.NewDate(2022, time.July, 1))
	}
}

// periods are the days after the registration on which VAT periods begin and end; -1 means open.
var periods = map[vatHistory][][2]int{
	paying:       {{30, -1}},
	stopped:      {{30, 300}},
	twice:        {{30, 200}, {260, -1}},
	thrice:       {{30, 100}, {150, 250}, {300, -1}},
	onCollection: {{30, 200}, {260, -1}},
}

// setSplitVAT derives the period of split VAT payments, which few companies have.
func (c *Company) setSplitVAT() {
	if len(c.VAT) == 0 || c.index%10 != 4 {
		return
	}

	p := Period{max(c.VAT[0].From, ro.NewDate(2018, time.March, 1)), ro.NewDate(2020, time.February, 1)}
	if p.From < p.To {
		c.SplitVAT = p
	}
}

// setInactivity derives the company's entry in the register of inactive taxpayers. Some companies are inactive, and
// some were.
func (c *Company) setInactivity(history vatHistory) {
	from := c.Registered + 350
	switch {
	case history == retroactive:
		c.Inactivity = declaredInactive
	case c.index == 8 || c.index%17 == 5:
		c.Inactivity = Inactivity{Period{From: from}, from + 2}
	case c.index%17 == 6 && from < lastChange-100:
		c.Inactivity = Inactivity{Period{from, from + 90}, from + 9}
	}
}

// cancelled and declaredInactive are the reasons in a retroactive history. The cancellation was entered weeks after its
// effective day, and the inactivity was published nine days after it began.
var (
	cancelled = []Registration{
		{
			Period:  Period{ro.NewDate(2017, time.October, 1), ro.NewDate(2020, time.December, 2)},
			Entered: ro.NewDate(2020, time.December, 29),
			Reason:  "Anulare din oficiu, art. 316 alin. (11) lit. a) (exemplu de notiță)",
		},
		{Period: Period{From: ro.NewDate(2021, time.January, 13)}},
	}
	declaredInactive = Inactivity{
		Period:    Period{ro.NewDate(2020, time.December, 2), ro.NewDate(2020, time.December, 18)},
		Published: ro.NewDate(2020, time.December, 11),
	}
)

// setEnrolments enters companies of agriculture into the register of farmers, and some others into the register of
// non-profits. A third of them have left again, and so have companies that no longer trade.
func (c *Company) setEnrolments() {
	enrolled := func(first ro.Date) Period {
		p := Period{From: max(c.Registered+100, first)}
		switch ended := wordings[c.State].ended; {
		case ended && c.Since <= p.From:
			return Period{}
		case ended:
			p.To = c.Since
		case c.index%3 == 0:
			p.To = p.From + 400
		}

		return p
	}
	switch {
	case strings.HasPrefix(c.activity.code3, "01"):
		c.Farmer = enrolled(flatRate)
	case c.index%8 == 7:
		c.NonProfit = enrolled(nonProfitsFrom)
	}
}

// The first days of the flat-rate scheme for farmers and of the register of non-profits.
var (
	flatRate       = ro.NewDate(2017, time.January, 1)
	nonProfitsFrom = ro.NewDate(2019, time.April, 1)
)
