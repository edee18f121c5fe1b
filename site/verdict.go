package site

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	rules "github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/ro"
)

// verdict is the summary of a company at the top of its page: badges, the most important first, notices about registers
// with a missing or incomplete answer, and the rules behind the badges.
type verdict struct {
	Badges  []badge
	Notices []notice
	Rules   []ruleLine
}

// Bad returns the rules that need somebody's attention.
func (v verdict) Bad() []ruleLine {
	return slices.DeleteFunc(slices.Clone(v.Rules), func(r ruleLine) bool { return r.Kind != bad })
}

// badge is one fact about a company, in words.
type badge struct {
	Fact string `json:"fact"`
	Kind kind   `json:"kind"`
	Text string `json:"text"`
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
	warning kind = "warn"    // of a conclusion: something is bad today, and unknown for the day
)

// rank orders badges, the most important first.
var rank = map[kind]int{bad: 0, unknown: 1, good: 2, neutral: 3}

// judge returns the verdict on a profile. today determines whether data is out of date.
func (w words) judge(c *company.Company, today ro.Date) verdict {
	registers := map[string]register{anaf: w.register(c, anaf, today), onrc: w.register(c, onrc, today)}
	_, findings := rules.Judge(rules.OfProfile(c, today))
	badges := w.facts(c, findings)
	v := verdict{Rules: w.ruleLines(findings)}
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

	slices.SortStableFunc(v.Badges, byRank)
	return v
}

// byRank compares badges by their importance.
func byRank(a, b badge) int { return rank[a.Kind] - rank[b.Kind] }

// listed returns the badges of a company in a list, in which less is known than on its page. What a register was not
// asked has no badge, and no badge is good. Of what is neither good nor bad, only the state and the VAT registration
// are shown.
func (w words) listed(f *rules.Facts) (badges []badge) {
	_, findings := rules.Judge(f)
	hasAnswered := map[string]bool{anaf: f.Tax.HasAnswered, onrc: f.Trade.HasAnswered}
	for _, b := range w.facts(f.Company, findings) {
		if b.Kind == good {
			b.Kind = neutral
		}
		if b.Kind == bad || b.Kind == unknown && hasAnswered[b.from] ||
			b.Kind == neutral && (b.Fact == "state" || b.Fact == "vat") {
			badges = append(badges, b)
		}
	}

	return badges
}

// facts returns the badges of a company, not sorted by importance yet. The rules decide what is good or bad, and which
// register says so; here they get their words.
func (w words) facts(c *company.Company, findings []rules.Finding) (badges []badge) {
	rule := make(map[rules.RuleID]*rules.Finding, len(findings))
	for i := range findings {
		rule[findings[i].ID] = &findings[i]
	}

	add := func(fact string, found *rules.Finding, text string) {
		b := badge{Fact: fact, Kind: kindOf(found), Text: text}
		if b.Kind == unknown {
			b.Text = w.say("verdict." + fact)
		}
		if fact == "state" && b.Kind == unknown { // what one register says is better than nothing
			switch {
			case c.RegistrationStatus != nil:
				b.Text = w.say("company.told", "text", *c.RegistrationStatus)
			case c.StateRegistration == company.InOperation:
				b.Text = w.say("company.listed", "text", w.say("state.in_operation"))
			}
		}
		if found.Source != nil {
			b.from = *found.Source
		}
		if b.Text != "" {
			badges = append(badges, b)
		}
	}

	state := func(found *rules.Finding, passed string) string {
		if found.Result == rules.Fail {
			return w.say("state." + string(*found.Reason))
		}
		return passed
	}

	existed, operates := rule["existed_on_date"], rule["in_operation"]
	isStruckOff := existed.Result == rules.Fail && *existed.Reason == rules.Reason(company.StruckOff)
	switch off := existed.Facts.StruckOffOn; {
	case isStruckOff && off != nil:
		add("state", existed, w.say("company.struckOffOn", "date", w.dayOf(off)))
	case isStruckOff:
		add("state", existed, state(existed, ""))
	case operates.Result != rules.NotApplicable:
		add("state", operates, state(operates, w.say("state.in_operation")))
	}

	if insolvency := rule["not_insolvent"]; insolvency.Result != rules.NotApplicable {
		add("insolvency", insolvency, state(insolvency, ""))
	}

	if seat := rule["seat_valid"]; seat.Result == rules.Fail {
		add("seat", seat, w.say("companies.seatExpired"))
	}

	inactive := w.say("company.notInactive")
	if c.Inactive != nil && c.Inactive.Status {
		inactive = w.sentenceWithDate("company.inactive", "company.inactiveSince", c.Inactive.Since)
	}

	add("inactive", rule["not_inactive"], inactive)
	add("vat", rule["vat_registered"], w.vat(c))
	invoices := *rule["in_e_invoice_register"]
	text := w.say("company.noEInvoice")
	switch {
	case c.EInvoice == nil: // unknown, though the rule no longer applies
		invoices.Result = rules.Unknown
	case c.EInvoice.Registered:
		text = w.say("company.eInvoice")
	}

	add("eInvoice", &invoices, text)
	collection := ""
	if c.VATOnCollection != nil && *c.VATOnCollection {
		collection = w.say("company.vatOnCollection")
	}

	if found := rule["vat_deductible_at_once"]; found.Result == rules.Fail || found.Result == rules.Unknown {
		add("vatOnCollection", found, collection)
	}

	return badges
}

// ruleLine is a rule of the verdict in words.
type ruleLine struct {
	Kind                       kind
	Label, Result, Explanation string
	Law                        []lawLink
	Register, Link             string // the register behind the result, and its own page; empty if there is none
}

// ruleLines returns the rules in words, without those that compare an invoice.
func (w words) ruleLines(findings []rules.Finding) (lines []ruleLine) {
	for i := range findings {
		found := &findings[i]
		if found.Reason != nil && *found.Reason == rules.NotGiven {
			continue
		}

		line := ruleLine{Kind: kindOf(found), Label: w.label(found.Label),
			Result: w.say("result." + string(found.Result))}
		for _, law := range found.Law {
			line.Law = append(line.Law, w.law(law))
		}
		if found.Explanation != nil {
			line.Explanation = w.label(*found.Explanation)
		}
		if found.Source != nil {
			line.Register, line.Link = w.say("registry."+*found.Source), registerPages[*found.Source]
		}
		if line.Kind == good { // green is for a company of which all is known to be well
			line.Kind = neutral
		}

		lines = append(lines, line)
	}

	return lines
}

// lawLink is an article of a law, and the address of its text; empty if it is not known.
type lawLink struct{ Text, Link string }

// lawTexts are the official consolidated texts of laws, by number and year. Read on 2026-11-26.
var lawTexts = map[string]string{
	"227/2015": "https://legislatie.just.ro/Public/DetaliiDocument/171282",
	"207/2015": "https://legislatie.just.ro/Public/DetaliiDocument/170007",
}

// law returns an article of a law in the language of the page.
func (w words) law(article string) lawLink {
	law := lawLink{Text: w.activityName(romanianLaw.Replace(article), article)}
	for number, text := range lawTexts {
		if strings.Contains(article, number) {
			law.Link = text
		}
	}

	return law
}

// romanianLaw translates the names of laws.
var romanianLaw = strings.NewReplacer("Law ", "Legea ", "BNR Regulation", "Regulamentul BNR")

// label returns a text in the language of the page.
func (w words) label(l company.Label) string { return w.activityName(l.Romanian, l.English) }

// kindOf returns what the result of a rule means for a badge.
func kindOf(found *rules.Finding) kind {
	switch {
	case found.IsBad():
		return bad
	case found.Result == rules.Unknown:
		return unknown
	case found.Result == rules.Pass:
		return good
	}

	return neutral
}

// vat describes the VAT registration. A company that is not registered may have been registered before.
func (w words) vat(c *company.Company) string {
	switch {
	case c.VATPayer != nil && *c.VATPayer:
		return w.sentenceWithDate("company.vat", "company.vatSince", c.VATSince)
	case len(c.VATPeriods) == 0:
		return w.say("company.noVat")
	}

	// A cancellation is entered up to weeks after the day on which the registration ends.
	last := c.VATPeriods[len(c.VATPeriods)-1]
	text := w.sentenceWithDate("company.vatEnded", "company.vatEndedOn", last.To)
	if last.CanceledOn != nil {
		text = w.say("company.vatEntered", "text", text, "date", w.dayOf(last.CanceledOn))
	}

	return text
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
		var texts []string
		if r.standing != asked || !r.stale { // otherwise the notice below says why
			texts = append(texts, w.say("notice."+string(r.standing), "registry", registry))
		}
		if len(open) > 0 {
			texts = append(texts, w.say("notice.open", "facts", strings.Join(open, ", ")))
		}

		found = append(found, notice{name, unknown, strings.Join(texts, " ")})
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
