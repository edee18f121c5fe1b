package watch

import (
	"cmp"
	"slices"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/history"
)

// Snapshot is the content of an ordinary observation of a company.
type Snapshot struct {
	Company api.CUI
	*history.View
	// Phone is the telephone number, which views omit. It is empty if the record has none.
	Phone string
}

// Changes compares two observations of a company, the older one first. A field has not changed if the newer observation
// omits it or only spells it differently. If the older observation omits a field, its last known value is compared.
func Changes(before, after Snapshot, last Looked) (all []api.EventChange) {
	for status, kinds := range statusKinds {
		if kinds != nil {
			all = appendStatus(all, history.Status(status), *kinds, before.View, after.View, last.Statuses)
		}
	}

	for _, f := range textKinds {
		all = appendText(all, f, cmp.Or(f.of(before), last.Texts[f.field]), f.of(after))
	}
	return all
}

// statusKinds has the event kinds for the start and the end of each status. It is nil for a status without events.
var statusKinds = [history.Statuses]*[2]api.EventKind{
	history.VATPayer:        {api.VATRegistered, api.VATCancelled},
	history.VATOnCollection: {api.VATOnCollectionStarted, api.VATOnCollectionEnded},
	history.Inactive:        {api.InactiveDeclared, api.InactiveLifted},
	history.EInvoice:        {api.EInvoiceRegistered, api.EInvoiceRemoved},
}

func appendStatus(all []api.EventChange, s history.Status, kinds [2]api.EventKind, before, after *history.View,
	known Statuses) []api.EventChange {
	old, _ := before.On(s, before.Day)
	if old == nil {
		old = known.Of(s)
	}

	current, entry := after.On(s, after.Day)
	if old == nil || current == nil || *old == *current {
		return all
	}

	c := api.EventChange{
		Type: kinds[1], Field: s.String(), Before: &api.FactValue{Bool: old}, After: &api.FactValue{Bool: current},
	}
	if *current {
		c.Type = kinds[0]
	}
	if entry != nil {
		c.ValidFrom, c.RecordedOn = began(entry, *current, after.Day)
	}

	return append(all, c)
}

// began returns the day from which a status applies, or no longer applies, according to its entry, and the day on which
// that was recorded. Both are nil if the entry contradicts the register's current value.
func began(e *history.Entry, holds bool, day api.Date) (validFrom, recordedOn *api.Date) {
	ended := e.To != 0 && e.To <= day
	switch {
	case holds && !ended:
		return history.OrNone(e.From), history.OrNone(e.FromRecorded)
	case !holds && ended:
		return history.OrNone(e.To), history.OrNone(e.ToRecorded)
	}

	return nil, nil
}

// textKind describes a field with a text value.
type textKind struct {
	kind      api.EventKind
	field     string
	canonical func(folded string) string
}

const nameKind = 1

var textKinds = []textKind{
	{api.StateChanged, "stateRegistration", inOneWord},
	nameKind: {api.NameChanged, "name", inOneWord},
	{api.SeatChanged, "seat", anAddress},
	{api.FiscalDomicileChanged, "fiscalDomicile", anAddress},
	{api.ActivityChanged, "mainNaceCode", inOneWord},
	{api.ContactChanged, "phone", inOneWord},
}

// of returns the field's value in a snapshot. It is empty if the value is unknown.
func (f textKind) of(s Snapshot) string {
	if f.kind == api.ContactChanged {
		return s.Phone
	}

	for _, field := range s.Identity {
		if field.Name == f.field && field.Value != string(api.UnknownState) {
			return field.Value
		}
	}

	return ""
}

// Texts are the last known values of the fields that a company's newest record omits, by field.
type Texts map[string]string

// After returns the texts to keep after another snapshot of the company.
func (t Texts) After(before, after Snapshot) Texts {
	next := Texts{}
	for _, f := range textKinds {
		if old := cmp.Or(f.of(before), t[f.field]); old != "" && f.of(after) == "" {
			next[f.field] = old
		}
	}

	return next
}

func appendText(all []api.EventChange, f textKind, old, current string) []api.EventChange {
	if old == "" || current == "" || sameText(old, current, f.canonical) {
		return all
	}
	return append(all, api.EventChange{
		Type: f.kind, Field: f.field, Before: &api.FactValue{Text: old}, After: &api.FactValue{Text: current},
	})
}

// severity returns the severity of a change.
func severity(c *api.EventChange) api.Severity {
	switch c.Type {
	case api.VATCancelled, api.InactiveDeclared:
		return api.High
	case api.StateChanged:
		if c.After != nil && slices.Contains(grave, api.StateRegistration(c.After.Text)) {
			return api.High
		}
	case api.VATOnCollectionStarted, api.VATOnCollectionEnded, api.NameChanged, api.SeatChanged:
		return api.Medium
	}

	return api.Low
}

// grave has the states in which a company is struck off or in insolvency proceedings.
var grave = []api.StateRegistration{api.StruckOff, api.Insolvent, api.InReorganization, api.Bankrupt}

var severities = []api.Severity{api.Low, api.Medium, api.High}

// Compare returns the event for the changes between two snapshots of a company, and reports whether there were any. Last
// is the stored summary of the looks before the second snapshot.
func Compare(before, after Snapshot, last Looked) (Event, bool) {
	changes := Changes(before, after, last)
	if len(changes) == 0 {
		return Event{}, false
	}

	e := eventOf(changes)
	e.Company, e.At, e.Source = after.Company, after.At, taxAuthority(after.At)
	e.Observed = &api.EventObserved{Before: InSeconds(before.At), After: InSeconds(after.At)}
	if last.At.After(before.At) && !last.At.After(after.At) && last.MissingSince.IsZero() {
		e.Observed.Before = InSeconds(last.At) // the last look confirmed the old values
	}
	if name := textKinds[nameKind].of(after); name != "" {
		e.Name = &name
	}

	return e, true
}

// taxAuthority returns the event source for an observation made at a time.
func taxAuthority(at time.Time) api.EventSource {
	return api.EventSource{Name: "anaf", AsOf: new(api.DateIn(at, api.Bucharest))}
}

// eventOf returns one event for changes that a register reported together. The gravest change determines its kind and
// severity. If several changes are equally grave, the first one counts.
func eventOf(changes []api.EventChange) Event {
	gravest := slices.MaxFunc(changes, func(a, b api.EventChange) int { // returns the first maximum
		return cmp.Compare(slices.Index(severities, severity(&a)), slices.Index(severities, severity(&b)))
	})
	return Event{Type: gravest.Type, Changes: changes, Severity: severity(&gravest)}
}
