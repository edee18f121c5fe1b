package metering

import "time"

// standing is what a ledger knows of an account in one month. Its lock is the
// ledger's.
type standing struct {
	account string
	month   month
	balance Balance
	held    int64 // credits set aside
	known   bool  // whether the balance is the journal's, of whatever age
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

// standing finds an account's standing in the current month, a new one if need
// be. What is still held from the month before stays with the old one.
func (l *Ledger) standing(account string, now time.Time) *standing {
	s := l.accounts[account]
	if m := monthOf(now); s == nil || s.month != m {
		s = &standing{account: account, month: m}
		l.accounts[account] = s
	}
	s.seen = now
	return s
}

// reserve sets the credits of a charge aside, if so many are left for all that is
// known.
func (s *standing) reserve(c *Charge) bool {
	if c.Monthly != Unlimited && (!s.known || s.balance.Remaining(c.Monthly)-s.held < c.Credits) {
		return false
	}
	s.held += c.Credits
	return true
}

// doubt reports whether it is time to ask the journal for the balance again, and
// notes that it is asked.
func (s *standing) doubt(now time.Time) bool {
	if now.Sub(s.asked) < doubtAfter {
		return false
	}
	s.asked = now
	return true
}

// learn takes over a balance of the journal. Since use only grows, the greater
// one is the newer.
func (s *standing) learn(b Balance) {
	b.Used = max(b.Used, s.balance.Used)
	s.balance, s.known = b, true
}

// forget forgets accounts that have not called for long.
func (l *Ledger) forget(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for account, s := range l.accounts {
		if s.held == 0 && now.Sub(s.seen) > forgetAfter {
			delete(l.accounts, account)
		}
	}
}
