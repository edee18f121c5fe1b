package site

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// verdict is the summary of a company at the top of its page: badges, the most important first, and notices about
// registers with a missing or incomplete answer.
type verdict struct {
	Badges  []badge
	Notices []notice
}

// badge is one fact about a company, in words.
type badge struct {
	Fact string
	Kind kind
	Text string
	from string // the register that the fact comes from
}

// notice says that a register has not answered some questions about the company, or that its data is out of date.
type notice struct {
	Register string
	Kind     kind // unknown or stale
	Text     string
}

// kind is the meaning of a badge or a notice, which determines its colour.
type kind string

const (
	bad     kind = "bad"     // inactive, insolvent, struck off, VAT registration ended ...
	unknown kind = "unknown" // no register provides the fact
	good    kind = "good"    // a favourable fact; shown only if nothing in the profile is bad, unknown or out of date
	neutral kind = "neutral" // neither, or a favourable fact in a profile that is not good as a whole
	stale   kind = "stale"   // of a notice: out of date
)

// rank orders badges, the most important first.
var rank = map[kind]int{bad: 0, unknown: 1, good: 2, neutral: 3}

// judge returns the verdict on a profile. today determines whether data is out of date.
func (w words) judge(c *company.Company, today ro.Date) verdict {
	registers := map[string]register{anaf: w.register(c, anaf, today), onrc: w.register(c, onrc, today)}
	badges := w.facts(c, registers)
	var v verdict
	for _, name := range []string{anaf, onrc} {
		v.Notices = append(v.Notices, w.notices(name, registers[name], badges)...)
	}

	whole := !registers[anaf].stale && !registers[onrc].stale &&
		!slices.ContainsFunc(badges, func(b badge) bool { return b.Kind == bad || b.Kind == unknown })
	for _, b := range badges {
		if r := registers[b.from]; r.stale && b.Kind != unknown {
			b.Text = w.say("verdict.asOf", "text", b.Text, "time", r.age)
		}
		if b.Kind == good && !whole {
			b.Kind = neutral
		}

		v.Badges = append(v.Badges, b)
	}

	slices.SortStableFunc(v.Badges, func(a, b badge) int { return rank[a.Kind] - rank[b.Kind] })
	return v
}

// facts returns the badges of a company, not sorted by importance yet.
func (w words) facts(c *company.Company, registers map[string]register) []badge {
	badges := w.states(c, registers)
	tax := func(fact string, known bool, say func() (kind, string)) {
		b := badge{fact, unknown, "", anaf}
		if known {
			b.Kind, b.Text = say()
		} else {
			b.Text = w.say("verdict." + fact)
		}

		if b.Text != "" {
			badges = append(badges, b)
		}
	}

	tax("inactive", c.Inactive != nil, func() (kind, string) {
		if c.Inactive.Status {
			return bad, w.sentenceWithDate("company.inactive", "company.inactiveSince", c.Inactive.Since)
		}
		return good, w.say("company.notInactive")
	})
	tax("vat", c.VATPayer != nil, func() (kind, string) { return w.vat(c) })
	tax("eInvoice", c.EInvoice != nil, func() (kind, string) {
		if c.EInvoice.Registered {
			return good, w.say("company.eInvoice")
		}
		return neutral, w.say("company.noEInvoice")
	})
	tax("vatOnCollection", c.VATOnCollection != nil, func() (kind, string) {
		if *c.VATOnCollection {
			return neutral, w.say("company.vatOnCollection")
		}
		return neutral, ""
	})
	return badges
}

// ends matches the tax authority's words for companies that are struck off, dissolved or suspended.
var ends = regexp.MustCompile(`(?i)^\s*(radi|dizolv|suspend)`)

// states returns the badges about the existence of a company. The tax authority reports within days that a company has
// ended; the releases of the trade register report it up to a month later. Only the trade register knows about
// insolvency.
func (w words) states(c *company.Company, registers map[string]register) []badge {
	from := anaf
	if registers[onrc].standing == asked {
		from = onrc
	}

	state := badge{"state", unknown, w.say("verdict.state"), from}
	switch {
	case c.StateRegistration.IsProblem():
		state.Kind, state.Text = bad, w.say("state."+string(c.StateRegistration))
	case c.StateRegistration == company.InOperation:
		state.Kind, state.Text = good, w.say("state.in_operation")
	}

	badges := []badge{state}
	if i := c.Insolvency; i != nil && i.State != company.NoProceedings && i.State != company.UnknownProceedings &&
		company.StateRegistration(i.State) != c.StateRegistration {
		badges = append(badges, badge{"insolvency", bad, w.say("state." + string(i.State)), onrc})
	} else if state.Kind != bad && registers[onrc].standing != asked {
		badges = append(badges, badge{"insolvency", unknown, w.say("verdict.insolvency"), onrc})
	}

	if state.Kind == bad {
		return badges
	}

	if c.Inactive != nil && c.Inactive.StruckOff != nil {
		badges = append(badges, badge{"ended", bad,
			w.say("company.struckOffOn", "date", w.dayOf(c.Inactive.StruckOff)), anaf})
	} else if registration := c.RegistrationStatus; registration != nil && ends.MatchString(*registration) {
		badges = append(badges, badge{"ended", bad, w.say("company.told", "text", *registration), anaf})
	}

	return badges
}

// vat returns the badge about the VAT registration. A company that is not registered may have been registered before.
func (w words) vat(c *company.Company) (kind, string) {
	if *c.VATPayer {
		return good, w.sentenceWithDate("company.vat", "company.vatSince", c.VATSince)
	}
	if len(c.VATPeriods) == 0 {
		return neutral, w.say("company.noVat")
	}

	// A cancellation is entered up to weeks after the day on which the registration ends.
	last := c.VATPeriods[len(c.VATPeriods)-1]
	text := w.sentenceWithDate("company.vatEnded", "company.vatEndedOn", last.To)
	if last.CanceledOn != nil {
		text = w.say("company.vatEntered", "text", text, "date", w.dayOf(last.CanceledOn))
	}

	return bad, text
}

// notices returns a notice if a register left questions open, with the reason, and a notice if its data is out of
// date.
func (w words) notices(name string, r register, badges []badge) (found []notice) {
	registry := w.say("registry." + name)
	var open []string
	for _, b := range badges {
		if b.Kind == unknown && b.from == name {
			open = append(open, w.say("open."+b.Fact))
		}
	}

	if len(open) > 0 || r.standing == failed {
		text := w.say("notice."+string(r.standing), "registry", registry)
		if len(open) > 0 {
			text += " " + w.say("notice.open", "facts", strings.Join(open, ", "))
		}

		found = append(found, notice{name, unknown, text})
	}

	if r.stale {
		found = append(found, notice{name, stale, w.say("notice.stale", "registry", registry, "time", r.age)})
	}

	return found
}

// sentenceWithDate returns the text with the key withDate, which names the day, or the text with the key plain if the
// day is unknown.
func (w words) sentenceWithDate(plain, withDate string, day *ro.Date) string {
	return cmp.Or(w.sayDay(withDate, "date", day), w.say(plain))
}
