package watch

import (
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/history"
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

// LookSummary is the stored summary of the looks at a company: its row in the table looked.
type LookSummary struct {
	// At is the time of the last look. It is zero before the first one.
	At time.Time
	// Found reports that the tax authority is assumed to know the company.
	Found bool
	// MissingSince is the first of the latest consecutive looks that did not find the company. It is zero if the last
	// look did.
	MissingSince time.Time
	Statuses     history.Statuses
	Texts        Texts
}

// missingFor is the time for which a company must be missing before it counts as unknown, because registers are
// unreliable at times.
const missingFor = 12 * time.Hour

// After returns the summary after another look. It reports true if the company was found before and counts as unknown
// from now on.
func (l LookSummary) After(look *history.Finding) (next LookSummary, lost bool) {
	next = LookSummary{At: look.At, Found: true, Statuses: look.Statuses.Or(l.Statuses), Texts: l.Texts}
	if !look.Missing {
		return next, false
	}

	next = l
	next.At = look.At
	if l.MissingSince.IsZero() {
		next.MissingSince = look.At
	}
	if l.Found && look.At.Sub(next.MissingSince) >= missingFor {
		next.Found, next.Statuses = false, 0
		return next, true
	}

	return next, false
}

// LossEvent returns the event for a company that the tax authority no longer knows. Kept is the summary after the look
// that showed it.
func LossEvent(company ro.CUI, kept LookSummary) Event {
	return Event{
		Company: company, At: kept.At, Type: monitoring.CompanyUnknown, Severity: monitoring.Low,
		Source:   taxAuthority(kept.At),
		Observed: &monitoring.EventObserved{Before: InSeconds(kept.MissingSince), After: InSeconds(kept.At)},
	}
}

// InSeconds truncates a time to whole seconds in UTC, the precision of answers.
func InSeconds(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
