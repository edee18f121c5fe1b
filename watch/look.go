package watch

import (
	"time"

	"github.com/rodata/rodata/api"
)

// Look is the last look at a company. Looks are ordered by their time, and those of one instant by the company; so a
// look is a place in that order, the zero one its beginning.
type Look struct {
	Company api.CUI
	// At is when it was; zero when the company was never looked at.
	At time.Time
}

// Said is what the last look at a company said.
type Said struct {
	Look
	Statuses Statuses
	// NACE is the main activity and Phone the telephone; 0 and empty when it did not say.
	NACE  int
	Phone string
}

// Observed is what a mirror has looked at.
type Observed struct {
	// Watched is the companies in watch-lists, and Seen the others that somebody asked for.
	Watched, Seen int
	// LookedAt is the companies that were looked at in the last 24 hours, for whatever reason.
	LookedAt int
	// Overdue is the watched and paid companies whose look is late by a day.
	Overdue int
	// Unpaid is the watched companies for which no account has paid this month.
	Unpaid int
	// Oldest is the oldest of the last looks at watched and paid companies; zero when there is none.
	Oldest time.Time
}
