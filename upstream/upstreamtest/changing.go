package upstreamtest

import "github.com/rodata/rodata/api"

// NumberChanging is a company whose VAT registration changes at each look at the tax authority's taxpayer registry: it
// is registered, cancelled, registered again, and so on. It provides changes to those who watch it. The trade register
// does not have it.
const NumberChanging api.CUI = 9_900_009_087

// look returns the company of NumberChanging at a look on a day.
func (a *authority) look(today api.Date) *Company {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.looks++

	c := a.companies.changing
	first, again := Registration{Period: Period{From: c.Registered}}, Registration{Period: Period{From: today}}
	if a.looks == 1 {
		c.VAT = []Registration{first}
		return &c
	}

	first.To, first.Entered, first.Reason = today, today, "Anulare la cerere (exemplu de notiță)"
	c.VAT = []Registration{first}
	if a.looks%2 == 1 {
		c.VAT = append(c.VAT, again)
	}
	return &c
}
