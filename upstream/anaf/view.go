package anaf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/history"
)

// View reads the record as one of the history of its company: of a day for which it was
// asked for, sent at a time. A zero day is that of the time in Bucharest.
func (r *Record) View(day api.Date, at time.Time, resolve Resolver) (*history.View, error) {
	if r.company != nil {
		v := viewOfProfile(r.company, day, at)
		v.Record = r
		reconcile(v)
		return v, nil
	}

	raw, err := r.Raw()
	if err != nil {
		return nil, err
	}
	var t taxpayer
	if err := json.Unmarshal(raw, &t); err != nil {
		return nil, fmt.Errorf("reading a record: %w", err)
	}
	c, err := t.company(resolve)
	if err != nil {
		return nil, err
	}

	v := viewOfProfile(c, day, at)
	v.Record = r
	v.Timelines[history.VATOnCollection] = t.collection()
	v.Timelines[history.VATSplit] = t.split()
	reconcile(v)
	return v, nil
}

// reconcile marks the entries whose end the record does not tell.
func reconcile(v *history.View) {
	for s := range v.Timelines {
		v.Timelines[s].Reconcile(v.Day)
	}
}

// viewOfProfile is what a profile says. It has no entries of VAT on collection and of split
// VAT.
func viewOfProfile(c *api.Company, day api.Date, at time.Time) *history.View {
	v := &history.View{Day: cmp.Or(day, api.DateIn(at, api.Bucharest)), At: at, Identity: identity(c)}
	v.Timelines = [history.Statuses]history.Timeline{
		history.VATPayer:        registrations(c),
		history.VATOnCollection: {OnDay: c.VATOnCollection},
		history.VATSplit:        {OnDay: c.VATSplit},
		history.Inactive:        inactivity(c.Inactive),
		history.EInvoice:        eInvoices(c.EInvoice),
	}
	return v
}

// registrations are those for VAT, of which the record has all.
func registrations(c *api.Company) history.Timeline {
	timeline := history.Timeline{Whole: c.VATPeriods != nil, OnDay: c.VATPayer}
	for _, p := range c.VATPeriods {
		e := entry(p.From, p.To, nil, p.CanceledOn)
		if p.Reason != nil {
			e.Reason = *p.Reason
		}
		timeline.Entries = append(timeline.Entries, e)
	}
	return timeline
}

// inactivity is the last one, which is all that the record has. Its publication is that of
// the declaration.
func inactivity(i *api.Inactive) history.Timeline {
	if i == nil {
		return history.Timeline{}
	}
	return single(&i.Status, entry(i.Since, i.Reactivated, i.Published, nil))
}

func eInvoices(e *api.EInvoice) history.Timeline {
	if e == nil {
		return history.Timeline{}
	}
	return single(&e.Registered, entry(e.Since, nil, nil, nil))
}

// collection is the last application of VAT on collection. The register has one day of
// entry and one of publication, which are those of its last act.
func (t *taxpayer) collection() history.Timeline {
	s := &t.VATOnCollection
	recorded := day(s.Published)
	if recorded == nil {
		recorded = day(s.Recorded)
	}
	if day(s.To) != nil {
		return single(s.Status.bool, entry(day(s.From), day(s.To), nil, recorded))
	}
	return single(s.Status.bool, entry(day(s.From), nil, recorded, nil))
}

func (t *taxpayer) split() history.Timeline {
	return single(t.SplitVAT.Status.bool, entry(day(t.SplitVAT.From), day(t.SplitVAT.To), nil, nil))
}

// single is a timeline of which the record has the last entry, if there was one.
func single(onDay *bool, last history.Entry) history.Timeline {
	timeline := history.Timeline{OnDay: onDay}
	if last.From != 0 {
		timeline.Entries = []history.Entry{last}
	}
	return timeline
}

// entry is one of a register.
func entry(from, to, fromRecorded, toRecorded *api.Date) history.Entry {
	e := history.Entry{From: value(from), To: value(to), FromRecorded: value(fromRecorded), ToRecorded: value(toRecorded)}
	if e.To == 0 {
		e.ToRecorded = 0
	}
	return e
}

// identity is what a profile says beside statuses. There are no persons, and no telephone.
func identity(c *api.Company) []history.Field {
	return []history.Field{
		{Name: "name", Value: c.Name},
		{Name: "seat", Value: inOneLine(c.Seat)},
		{Name: "fiscalDomicile", Value: orEmpty(c.Address)},
		{Name: "mainNaceCode", Value: orEmpty(c.MainNACECode)},
		{Name: "stateRegistration", Value: string(c.StateRegistration)},
		{Name: "legalForm", Value: orEmpty(c.LegalForm)},
	}
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// inOneLine is an address in one line.
func inOneLine(a *api.StructuredAddress) string {
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
