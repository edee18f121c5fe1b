package standin

import "github.com/rodata/rodata/ro"

// NumberChanging is a company with a VAT registration that changes with each request to the register of taxpayers: it
// is registered, cancelled, registered again, and so on. It lets people who watch it see changes. It is not in the
// trade register.
const NumberChanging ro.CUI = 9_900_009_087

// nextChange returns the company NumberChanging as the next request on a day sees it.
func (a *authority) nextChange(today ro.Date) *Company {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes++

	c := a.companies.changing
	first, again := Registration{Period: Period{From: c.Registered}}, Registration{Period: Period{From: today}}
	if a.changes == 1 {
		c.VAT = []Registration{first}
		return &c
	}

	first.To, first.Entered, first.Reason = today, today, "Anulare la cerere (exemplu de notiță)"
	c.VAT = []Registration{first}
	if a.changes%2 == 1 {
		c.VAT = append(c.VAT, again)
	}

	return &c
}
