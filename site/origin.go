package site

import (
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
)

// origin names the register that the data of a part of a page comes from, and the date of its data.
type origin struct {
	Name, Text string
	At         *time.Time
	Stale      bool
}

// origins returns the sources of an answer: first the wanted ones, even if the answer does not have them, and then all
// others.
func (w words) origins(sources []company.Source, wanted ...string) []origin {
	for _, s := range sources {
		if !slices.Contains(wanted, s.Name) {
			wanted = append(wanted, s.Name)
		}
	}

	all := make([]origin, len(wanted))
	for i, name := range wanted {
		all[i] = w.origin(name, sourceOf(sources, name))
	}

	return all
}

func (w words) origin(name string, s *company.Source) origin {
	o := origin{Name: w.say("registry." + name)}
	switch {
	case s == nil && name == onrc:
		o.Text = w.say("source.none")
	case s == nil || s.RetrievedAt == nil && s.AsOf == nil:
		o.Text = w.say("source.failed")
		if name == "anaf-bilant" {
			o.Text = w.say("source.stored")
		}
	case s.RetrievedAt == nil:
		o.Text = w.say("source.asOf", "date", w.dayOf(s.AsOf))
	default:
		o.At, o.Stale = s.RetrievedAt, s.Stale
		o.Text = w.say("source.asked", "time", w.moment(*s.RetrievedAt))
		if name == onrc {
			o.Text = w.say("source.loaded", "time", w.moment(*s.RetrievedAt))
		}
		if s.AsOf != nil {
			o.Text += " · " + w.say("source.asOf", "date", w.dayOf(s.AsOf))
		}
	}

	return o
}
