package watch

import (
	"time"

	"github.com/rodata/rodata/api"
)

// Outcome is that of one look at a company.
type Outcome struct {
	Said
	// Missing reports that the tax authority did not find the company, or sent a record without its name. Nothing is
	// said then.
	Missing bool
}

// Looked is what is kept of the looks at a company: the row of the table looked.
type Looked struct {
	// At is the time of the last look; zero before the first.
	At time.Time
	// Found reports that the company is taken to be known to the tax authority.
	Found bool
	// MissingSince is the first of the last looks in a row that did not find it; zero if the last one did.
	MissingSince time.Time
	Statuses     Statuses
	Texts        Texts
}

// missingFor is how long a company must be missing before it counts: registers have bad hours.
const missingFor = 12 * time.Hour

// After is what is kept after another look. It reports whether the company was found before, and must be taken for
// unknown from now on.
func (l Looked) After(look *Outcome) (next Looked, lost bool) {
	next = Looked{At: look.At, Found: true, Statuses: look.Statuses.Or(l.Statuses), Texts: l.Texts}
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

// EventOfLoss is the event of a company that the tax authority no longer knows. Kept is what is kept after the look
// that showed it.
func EventOfLoss(company api.CUI, kept Looked) Event {
	return Event{
		Company: company, At: kept.At, Type: api.CompanyUnknown, Severity: api.Low, Source: TaxAuthority(kept.At),
		Observed: &api.EventObserved{Before: InSeconds(kept.MissingSince), After: InSeconds(kept.At)},
	}
}

// InSeconds is a time as answers have it.
func InSeconds(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
