package watch

import (
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/ro"
)

// StatementCheck is the outcome of a check whether a company's statement of a year is absent.
type StatementCheck struct {
	Company ro.CUI
	// Next is the time of the next check. It is zero if the year is settled: there is an event, or there will be none.
	Next time.Time
	// Event reports the absence; nil if there is none.
	Event *Event
}

// AbsenceEvent returns the event for a statement that is in no published file. At is the time of the check.
func AbsenceEvent(c *company.Company, s *company.StatementState, at time.Time) *Event {
	e := &Event{
		Company: c.TaxID, At: at, Type: monitoring.StatementAbsent, Severity: monitoring.Medium,
		Source: monitoring.EventSource{Name: s.Sources[len(s.Sources)-1].Name, AsOf: s.FilesAsOf},
		Statement: &monitoring.EventStatement{
			Year: s.Year, DueOn: *s.DueOn, FiveMonthsEndOn: *s.FiveMonthsEndOn, LastFiled: *s.LastFiled,
			FilesAsOf: s.FilesAsOf,
		},
	}
	if c.Name != "" {
		e.Name = &c.Name
	}

	return e
}
