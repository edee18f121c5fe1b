package metering

import "time"

// standing is a ledger's view of an account in one month. The ledger's lock guards it.
type standing struct {
	account string
	month   month
	balance Balance
	held    int64 // credits reserved
	known   bool  // the balance came from the journal, however long ago
	asked   time.Time
	seen    time.Time
}

// month counts the months since the year 0, in UTC.
type month int

func monthOf(t time.Time) month {
	year, m, _ := t.UTC().Date()
	return month(year*12 + int(m) - 1)
}

func (m month) period() string {
	return Period(time.Date(int(m)/12, time.Month(m%12+1), 1, 0, 0, 0, 0, time.UTC))
}

// standing returns an account's standing in the current month, creating one if necessary. Holds of the previous month
// stay with the old one.
func (l *Ledger) standing(account string, now time.Time) *standing {
	s := l.accounts[account]
	if m := monthOf(now); s == nil || s.month != m {
		s = &standing{account: account, month: m}
		l.accounts[account] = s
	}

	s.seen = now
	return s
}

func (s *standing) reserve(c *Charge) bool {
	if c.Monthly != Unlimited && (!s.known || s.balance.Remaining(c.Monthly)-s.held < c.Credits) {
		return false
	}

	s.held += c.Credits
	return true
}

// recheck reports whether it is time to query the journal for the balance again, and records that it was.
func (s *standing) recheck(now time.Time) bool {
	if now.Sub(s.asked) < recheckAfter {
		return false
	}

	s.asked = now
	return true
}

// learn applies a balance from the journal. Both of its sums only grow, so the greater one is newer.
func (s *standing) learn(b Balance) {
	s.balance = Balance{Used: max(b.Used, s.balance.Used), Given: max(b.Given, s.balance.Given)}
	s.known = true
}

func (l *Ledger) forget(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for account, s := range l.accounts {
		if s.held == 0 && now.Sub(s.seen) > forgetAfter {
			delete(l.accounts, account)
		}
	}
}
