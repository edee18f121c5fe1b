package watch

import (
	"time"

	"github.com/rodata/rodata/ro"
)

// Look is the last look at a company. Looks are ordered by time and then by company, so a Look is also a position in
// that order. The zero Look is before all others.
type Look struct {
	Company ro.CUI
	// At is the time of the look. It is zero if the company was never looked at.
	At time.Time
}

// Coverage counts the companies looked at.
type Coverage struct {
	// Watched is the number of companies in watch-lists, and Seen the number of other companies that callers requested.
	Watched, Seen int
	// LookedAt is the number of companies looked at in the last 24 hours, for any reason.
	LookedAt int
	// Overdue is the number of watched and paid companies whose look is at least a day late.
	Overdue int
	// Unpaid is the number of watched companies that no account has paid for this month.
	Unpaid int
	// Oldest is the time of the earliest last look at a watched and paid company; zero if there is none.
	Oldest time.Time
}
