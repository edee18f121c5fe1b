package anaf

import (
	"cmp"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
)

// View parses the record for the history of its company. Day is the requested day, and at the time of receipt. A zero
// day means the day of that time in Bucharest.
func (r *Record) View(day ro.Date, at time.Time, resolve Resolver) (*history.View, error) {
	t, err := r.parse()
	if err != nil {
		return nil, err
	}

	received := ro.DateIn(at, ro.Bucharest)
	c, err := t.company(resolve, received)
	if err != nil {
		return nil, err
	}

	v := &history.View{Day: cmp.Or(day, received), At: at, Registered: deref(c.RegistrationDate),
		Identity: identity(c), Phone: deref(c.Phone), Record: r}
	v.Timelines = [history.StatusCount]history.Timeline{
		history.VATPayer:        registrations(c),
		history.VATOnCollection: t.collection(),
		history.VATSplit:        t.split(),
		history.Inactive:        inactivity(c.Inactive),
		history.EInvoice:        eInvoices(c.EInvoice),
	}
	for s := range v.Timelines { // marks the entries that have ended without the record giving their end
		v.Timelines[s].Reconcile(v.Day)
	}

	return v, nil
}

// registrations returns the VAT registrations. The record has all of them.
func registrations(c *company.Company) history.Timeline {
	timeline := history.Timeline{Whole: c.VATPeriods != nil, OnDay: c.VATPayer}
	for _, p := range c.VATPeriods {
		e := entry(p.From, p.To, nil, p.CanceledOn)
		e.Reason = deref(p.Reason)
		timeline.Entries = append(timeline.Entries, e)
	}

	return timeline
}

// inactivity returns the last period of inactivity, the only one in the record. The day of publication in the record
// refers to the declaration of inactivity.
func inactivity(i *company.Inactive) history.Timeline {
	if i == nil {
		return history.Timeline{}
	}
	return single(&i.Status, entry(i.Since, i.Reactivated, i.Published, nil))
}

func eInvoices(e *company.EInvoice) history.Timeline {
	if e == nil {
		return history.Timeline{}
	}
	return single(&e.Registered, entry(e.Since, nil, nil, nil))
}

// collection returns the last application of VAT on collection. The register has one day of entry and one of
// publication, and both refer to its last act.
func (t *taxpayer) collection() history.Timeline {
	s := &t.VATOnCollection
	recorded := cmp.Or(day(s.Published), day(s.Recorded))
	if day(s.To) != nil {
		return single(s.Status.bool, entry(day(s.From), day(s.To), nil, recorded))
	}

	return single(s.Status.bool, entry(day(s.From), nil, recorded, nil))
}

func (t *taxpayer) split() history.Timeline {
	return single(t.SplitVAT.Status.bool, entry(day(t.SplitVAT.From), day(t.SplitVAT.To), nil, nil))
}

// single returns the timeline of a status for which the record has at most the last entry.
func single(onDay *bool, last history.Entry) history.Timeline {
	timeline := history.Timeline{OnDay: onDay}
	if last.From != 0 {
		timeline.Entries = []history.Entry{last}
	}
	return timeline
}

// entry returns a register's entry.
func entry(from, to, fromRecorded, toRecorded *ro.Date) history.Entry {
	e := history.Entry{From: deref(from), To: deref(to), FromRecorded: deref(fromRecorded)}
	if e.To != 0 {
		e.ToRecorded = deref(toRecorded)
	}
	return e
}

// identity returns the content of a profile other than statuses. It contains no persons and no telephone number.
func identity(c *company.Company) []history.Field {
	return []history.Field{
		{Name: "name", Value: c.Name},
		{Name: "seat", Value: formatAddress(c.Seat)},
		{Name: "fiscalDomicile", Value: deref(c.Address)},
		{Name: "mainNaceCode", Value: deref(c.MainNACECode)},
		{Name: "stateRegistration", Value: string(c.StateRegistration)},
		{Name: "legalForm", Value: deref(c.LegalForm)},
	}
}

// deref returns the value of a pointer, or the zero value for nil.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// formatAddress formats an address on one line.
func formatAddress(a *company.StructuredAddress) string {
	if a == nil {
		return ""
	}

	var parts []string
	for _, part := range []*string{a.Street, a.Number, a.Details, a.City, a.County, a.PostalCode, a.Country} {
		if part != nil {
			parts = append(parts, *part)
		}
	}

	return strings.Join(parts, ", ")
}
