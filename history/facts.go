package history

import (
	"time"

	"github.com/rodata/rodata/api/company"
)

// Facts returns the facts about a company in the views of one source. The views must be in chronological order. Each
// fact has the times at which it first appeared and first disappeared.
//
// A view of a past day only adds facts and removes none, because it is undocumented whether the tax authority returns
// all periods for such a day.
func Facts(source string, views []View) []company.Fact {
	b := factBuilder{source: source, open: map[any]int{}}
	for i := range views {
		b.see(&views[i])
	}
	return b.facts
}

// factBuilder collects the facts from a company's views.
type factBuilder struct {
	source string
	facts  []company.Fact
	open   map[any]int // indexes of the facts that the register still shows, by key
}

// The keys of facts, besides Field: an entry of a status, and the value of a status without entries.
type (
	entryKey struct {
		Status
		Entry
	}
	bareKey struct {
		Status
		value bool
	}
)

func (b *factBuilder) see(v *View) {
	ordinary := v.Day == v.answeredOn()
	for s := range StatusCount {
		b.seeStatus(s, &v.Timelines[s], v.At, ordinary)
	}

	for _, field := range v.Identity {
		if field.Value != "" && ordinary {
			b.seeField(field, v.At)
		}
	}
}

func (b *factBuilder) seeStatus(s Status, t *Timeline, at time.Time, ordinary bool) {
	bare := len(t.Entries) == 0 && t.OnDay != nil && ordinary
	if bare {
		b.learn(bareKey{s, *t.OnDay}, at, company.Fact{Field: s.String(),
			Value: company.FactValue{Bool: t.OnDay}})
	}

	for _, e := range t.Entries {
		b.learn(entryKey{s, e}, at, entryFact(s, &e))
	}

	if !ordinary || !t.Whole && !bare && len(t.Entries) == 0 { // the view has no value for this status
		return
	}

	b.lose(at, func(key any) bool {
		switch key := key.(type) {
		case bareKey:
			return key.Status == s && !(bare && key.value == *t.OnDay)
		case entryKey:
			return key.Status == s && t.lacks(key.Entry)
		}

		return false
	})
}

// lacks reports whether the register no longer shows an entry that it showed before. If the register shows only the
// last entry, a newer entry may have replaced this one.
func (t *Timeline) lacks(entry Entry) bool {
	replaced := t.Whole || len(t.Entries) == 0
	for _, e := range t.Entries {
		if e == entry {
			return false
		}
		replaced = replaced || e.From <= entry.From
	}

	return replaced
}

func (b *factBuilder) seeField(f Field, at time.Time) {
	b.lose(at, func(key any) bool {
		known, ok := key.(Field)
		return ok && known.Name == f.Name && known.Value != f.Value
	})
	b.learn(f, at, company.Fact{Field: f.Name, Value: company.FactValue{Text: f.Value}})
}

func (b *factBuilder) learn(key any, at time.Time, fact company.Fact) {
	if _, known := b.open[key]; known {
		return
	}

	fact.Source, fact.LearnedAt = b.source, toSecond(at)
	b.open[key] = len(b.facts)
	b.facts = append(b.facts, fact)
}

func (b *factBuilder) lose(at time.Time, gone func(key any) bool) {
	for key, i := range b.open {
		if gone(key) {
			b.facts[i].LostAt = toSecond(at)
			delete(b.open, key)
		}
	}
}

func entryFact(s Status, e *Entry) company.Fact {
	fact := company.Fact{
		Field: s.String(), Value: company.FactValue{Bool: new(true)},
		ValidFrom: OrNone(e.From), ValidTo: OrNone(e.To), RecordedOn: OrNone(e.Recorded()),
	}
	if e.Reason != "" {
		fact.Reason = &e.Reason
	}
	return fact
}

// OrNone returns a value in the form for answers. It returns nil for the zero value.
func OrNone[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// toSecond returns a time in UTC and whole seconds, the form for answers.
func toSecond(at time.Time) *time.Time { return new(at.UTC().Truncate(time.Second)) }
