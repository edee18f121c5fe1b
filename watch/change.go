package watch

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/ro"
)

// Changes compares the views of two ordinary observations of a company, the older one first. A field has not changed if
// the newer view omits it or only spells it differently. If the older view omits a field, its last known value is
// compared.
func Changes(before, after *history.View, last LookSummary) (all []monitoring.EventChange) {
	for status, kinds := range statusKinds {
		if kinds.started != "" {
			all = appendStatus(all, history.Status(status), kinds, before, after, last.Statuses)
		}
	}

	for _, f := range textFields {
		all = appendText(all, f, cmp.Or(f.value(before), last.Texts[f.name]), f.value(after))
	}
	return all
}

// statusKind holds the kinds of events for the start and the end of a status.
type statusKind struct{ started, ended monitoring.EventKind }

// statusKinds are empty for a status without events.
var statusKinds = [history.StatusCount]statusKind{
	history.VATPayer:        {monitoring.VATRegistered, monitoring.VATCancelled},
	history.VATOnCollection: {monitoring.VATOnCollectionStarted, monitoring.VATOnCollectionEnded},
	history.Inactive:        {monitoring.InactiveDeclared, monitoring.InactiveLifted},
	history.EInvoice:        {monitoring.EInvoiceRegistered, monitoring.EInvoiceRemoved},
}

func appendStatus(all []monitoring.EventChange, s history.Status, kinds statusKind, before, after *history.View,
	known history.Statuses) []monitoring.EventChange {
	old, _ := before.StatusOn(s, before.Day)
	if old == nil {
		old = known.Of(s)
	}

	current, entry := after.StatusOn(s, after.Day)
	c, changed := kinds.change(s.String(), old, current)
	if !changed {
		return all
	}
	if entry != nil {
		c.ValidFrom, c.RecordedOn = validFrom(entry, *current, after.Day)
	}

	return append(all, c)
}

// change returns the change of a field from one value to another, and reports whether there is one. A nil value is
// unknown.
func (k statusKind) change(field string, before, after *bool) (c monitoring.EventChange, changed bool) {
	if before == nil || after == nil || *before == *after {
		return c, false
	}

	c = monitoring.EventChange{
		Type: k.ended, Field: field, Before: &company.FactValue{Bool: before}, After: &company.FactValue{Bool: after},
	}
	if *after {
		c.Type = k.started
	}

	return c, true
}

// validFrom returns the first day of a status's current value, according to its entry, and the day on which that was
// recorded. Both are nil if the entry contradicts the current value.
func validFrom(e *history.Entry, holds bool, day ro.Date) (from, recordedOn *ro.Date) {
	ended := e.To != 0 && e.To <= day
	switch {
	case holds && !ended:
		return history.OrNone(e.From), history.OrNone(e.FromRecorded)
	case !holds && ended:
		return history.OrNone(e.To), history.OrNone(e.ToRecorded)
	}

	return nil, nil
}

// textField is a field with a text value.
type textField struct {
	kind      monitoring.EventKind // of its changes
	name      string
	canonical func(folded string) string // equal for different spellings
}

var nameField = textField{monitoring.NameChanged, "name", withoutSpaces}

var textFields = []textField{
	{monitoring.StateChanged, "stateRegistration", withoutSpaces},
	nameField,
	{monitoring.SeatChanged, "seat", addressWords},
	{monitoring.FiscalDomicileChanged, "fiscalDomicile", addressWords},
	{monitoring.ActivityChanged, "mainNaceCode", withoutSpaces},
	{monitoring.ContactChanged, "phone", withoutSpaces},
}

// value returns the field's value in a view. It is empty if the value is unknown.
func (f textField) value(v *history.View) string {
	if f.kind == monitoring.ContactChanged {
		return v.Phone
	}

	for _, field := range v.Identity {
		if field.Name == f.name && field.Value != string(company.UnknownState) {
			return field.Value
		}
	}

	return ""
}

// Texts are the last known values of the fields that a company's newest record omits, by field.
type Texts map[string]string

// After returns the texts to keep after another view of the company.
func (t Texts) After(before, after *history.View) Texts {
	next := Texts{}
	for _, f := range textFields {
		if old := cmp.Or(f.value(before), t[f.name]); old != "" && f.value(after) == "" {
			next[f.name] = old
		}
	}

	return next
}

func appendText(all []monitoring.EventChange, f textField, old, current string) []monitoring.EventChange {
	if old == "" || current == "" || sameText(old, current, f.canonical) {
		return all
	}
	return append(all, monitoring.EventChange{
		Type: f.kind, Field: f.name, Before: &company.FactValue{Text: old}, After: &company.FactValue{Text: current},
	})
}

// severity returns the severity of a change.
func severity(c *monitoring.EventChange) monitoring.Severity {
	switch c.Type {
	case monitoring.VATCancelled, monitoring.InactiveDeclared:
		return monitoring.High
	case monitoring.StateChanged:
		if c.After != nil && slices.Contains(severeStates, company.StateRegistration(c.After.Text)) {
			return monitoring.High
		}
	case monitoring.VATOnCollectionStarted, monitoring.VATOnCollectionEnded, monitoring.NameChanged,
		monitoring.SeatChanged, monitoring.SeatExpired:
		return monitoring.Medium
	}

	return monitoring.Low
}

// severeStates are the states in which a company is struck off or in insolvency proceedings.
var severeStates = []company.StateRegistration{company.StruckOff, company.Insolvent, company.InReorganization,
	company.Bankrupt}

// severities are in rising order.
var severities = []monitoring.Severity{monitoring.Low, monitoring.Medium, monitoring.High}

// Compare returns the event for the changes between two views of a company, and reports whether there were any. Last is
// the stored summary of the looks before the second view.
func Compare(c ro.CUI, before, after *history.View, last LookSummary) (Event, bool) {
	changes := Changes(before, after, last)
	if len(changes) == 0 {
		return Event{}, false
	}

	e := eventOf(changes)
	e.Company, e.At, e.Source = c, after.At, taxAuthority(after.At)
	e.Observed = &monitoring.EventObserved{Before: InSeconds(before.At), After: InSeconds(after.At)}
	if last.At.After(before.At) && !last.At.After(after.At) && last.MissingSince.IsZero() {
		e.Observed.Before = InSeconds(last.At) // the last look confirmed the old values
	}
	if name := nameField.value(after); name != "" {
		e.Name = &name
	}

	return e, true
}

// taxAuthority returns the event source for an observation made at a time.
func taxAuthority(at time.Time) monitoring.EventSource {
	return monitoring.EventSource{Name: "anaf", AsOf: new(ro.DateIn(at, ro.Bucharest))}
}

// eventOf returns one event for changes that a register reported together. The most severe change determines its kind
// and severity. If several changes are equally severe, the first one counts. A kind that is not a default one counts
// only if there is no other, because the event also goes to watch-lists without this kind.
func eventOf(changes []monitoring.EventChange) Event {
	worst := slices.MaxFunc(changes, func(a, b monitoring.EventChange) int { // returns the first maximum
		return cmp.Compare(rank(&a), rank(&b))
	})
	return Event{Type: worst.Type, Changes: changes, Severity: severity(&worst)}
}

// rank orders changes by severity, and those of default kinds after all others.
func rank(c *monitoring.EventChange) int {
	r := slices.Index(severities, severity(c))
	if monitoring.DefaultEvents&monitoring.SetOf(c.Type) != 0 {
		r += len(severities)
	}
	return r
}

// sameText reports whether two texts are equal except for their spelling.
func sameText(a, b string, canonical func(folded string) string) bool {
	if a == b {
		return true
	}

	before, after := spelling.Spellings(spelling.Clean(a)), spelling.Spellings(spelling.Clean(b))
	return slices.ContainsFunc(before, func(x string) bool {
		return slices.ContainsFunc(after, func(y string) bool { return canonical(x) == canonical(y) })
	})
}

// withoutSpaces removes the spaces from a name or number: "S.R.L." and "SRL" are equal.
func withoutSpaces(folded string) string { return strings.ReplaceAll(folded, " ", "") }

// abbreviations maps words of addresses to their abbreviations, and words that registers sometimes omit to nothing.
var abbreviations = map[string]string{
	"strada": "str", "bulevardul": "bd", "bulevard": "bd", "bdul": "bd", "blvd": "bd", "soseaua": "sos", "sosea": "sos",
	"aleea": "al", "alee": "al", "calea": "cal", "cale": "cal", "piata": "pta", "splaiul": "spl", "splai": "spl",
	"intrarea": "intr", "intrare": "intr", "prelungirea": "prel", "prelungire": "prel",
	"numarul": "", "numar": "", "nr": "", "no": "", "bloc": "bl", "blocul": "bl", "scara": "sc", "etaj": "et",
	"etajul": "et", "apartament": "ap", "apartamentul": "ap", "camera": "cam", "birou": "bir", "biroul": "bir",
	"parter": "p", "judetul": "", "judet": "", "jud": "", "municipiul": "", "municipiu": "", "mun": "", "orasul": "",
	"oras": "", "ors": "", "or": "", "comuna": "", "com": "", "satul": "", "sat": "", "sectorul": "sector",
	"sect": "sector", "localitatea": "", "loc": "", "romania": "",
}

var postalCode = regexp.MustCompile(`^[0-9]{6}$`)

// addressWords returns the words of an address, abbreviated and sorted, without postal codes and words that registers
// sometimes omit.
func addressWords(folded string) string {
	words := strings.Fields(folded)
	kept := words[:0]
	for _, w := range words {
		if short, ok := abbreviations[w]; ok {
			w = short
		}
		if w != "" && !postalCode.MatchString(w) {
			kept = append(kept, w)
		}
	}

	slices.Sort(kept)
	return strings.Join(kept, " ")
}
