package site

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// choice is one possible value of a fact, with the change to the profile that causes it and the badge that the page
// must show.
type choice struct {
	name  string
	set   func(*company.Company)
	kind  kind
	says  [languages]string
	stale bool
	// silent: the tax authority has no data about the company. absent: the trade register has none.
	silent, absent, ended bool
}

func on(text string) *ro.Date {
	d := must(ro.ParseDate(text))
	return &d
}

func at(text string) *time.Time {
	t := must(time.Parse(time.RFC3339, text))
	return &t
}

// judgedOn is the day of the verdicts.
var judgedOn = *on("2026-11-22")

func source(name string, retrieved *time.Time, asOf *ro.Date, stale bool) func(*company.Company) {
	return func(c *company.Company) {
		c.Sources = append(c.Sources, company.Source{Name: name, RetrievedAt: retrieved, AsOf: asOf, Cache: "HIT",
			Stale: stale})
	}
}

var authorities = []choice{
	{name: "asked", set: source(anaf, at("2026-11-22T10:00:00Z"), on("2026-11-22"), false)},
	{name: "asked a while ago", set: source(anaf, at("2026-11-19T10:00:00Z"), on("2026-11-19"), true), stale: true},
	{name: "not to be asked", set: source(anaf, nil, nil, false), silent: true,
		says: [languages]string{"could not be asked", "Nu s-au putut obține date de la ANAF"}},
	{name: "without the number", set: source(anaf, at("2026-11-22T10:00:00Z"), on("2026-11-22"), false), silent: true,
		says: [languages]string{"does not know this number", "nu figurează în evidența ANAF"}},
}

var releases = []choice{
	{name: "loaded", set: source(onrc, at("2026-11-20T04:00:00Z"), on("2026-10-02"), false)},
	{name: "of a year ago", set: source(onrc, at("2026-11-20T04:00:00Z"), on("2025-11-02"), false), stale: true},
	{name: "absent", set: func(*company.Company) {}, absent: true,
		says: [languages]string{"not loaded yet, or does not list it", "fie nu au fost încă încărcate"}},
}

var stateChoices = func() (all []choice) {
	kinds := map[string]kind{string(company.InOperation): good, string(company.UnknownState): unknown, "": unknown}
	for _, state := range append(company.StateRegistration("").Schema().Enum, "") {
		all = append(all, choice{name: state, kind: cmp.Or(kinds[state], bad), set: func(c *company.Company) {
			c.StateRegistration = company.StateRegistration(state)
		}})
	}

	return all
}()

var endings = []choice{
	{name: "no end told", set: func(c *company.Company) {
		c.RegistrationStatus = new("INREGISTRAT din data 05.03.2012")
	}},
	{name: "told in words", ended: true, set: func(c *company.Company) {
		c.RegistrationStatus = new("RADIERE din data 20.11.2026")
	}},
	{name: "a day of striking off", ended: true, set: func(c *company.Company) {
		c.RegistrationStatus = new("INREGISTRAT din data 05.03.2012")
		c.Inactive = &company.Inactive{StruckOff: on("2026-11-20")}
	}},
}

var inactiveChoices = []choice{
	{name: "active", kind: good, set: func(c *company.Company) { inactive(c).Status = false }},
	{name: "inactive", kind: bad, set: func(c *company.Company) {
		inactive(c).Status, inactive(c).Since = true, on("2024-02-01")
	},
		says: [languages]string{"Fiscally inactive since 1 February 2024", "Inactivă fiscal din 1 februarie 2024"}},
	{name: "inactive, unknown", kind: unknown, set: func(c *company.Company) { c.Inactive = nil },
		says: [languages]string{"Inactive: unknown", "Inactivitate fiscală: necunoscută"}},
}

func inactive(c *company.Company) *company.Inactive {
	if c.Inactive == nil {
		c.Inactive = new(company.Inactive)
	}
	return c.Inactive
}

var vatChoices = []choice{
	{name: "paying VAT", kind: good, says: [languages]string{"Registered for VAT since 4 April 2012",
		"Plătitoare de TVA din 4 aprilie 2012"},
		set: func(c *company.Company) {
			c.VATPayer, c.VATSince, c.VATPeriods = new(true), on("2012-04-04"),
				[]company.VATPeriod{{From: on("2012-04-04")}}
		}},
	{name: "never registered", kind: neutral, says: [languages]string{"Not registered for VAT", "Neplătitoare de TVA"},
		set: func(c *company.Company) { c.VATPayer, c.VATPeriods = new(false), []company.VATPeriod{} }},
	{name: "cancelled", kind: bad, says: [languages]string{"Not registered for VAT since 1 March 2020 (cancellation entered on 3 March 2020)",
		"Fără TVA din 1 martie 2020 (anulare operată la 3 martie 2020)"},
		set: func(c *company.Company) {
			c.VATPayer = new(false)
			c.VATPeriods = []company.VATPeriod{
				{From: on("2012-04-04"), To: on("2020-03-01"), CanceledOn: on("2020-03-03")}}
		}},
	{name: "VAT unknown", kind: unknown, says: [languages]string{"VAT: unknown", "TVA: necunoscut"},
		set: func(*company.Company) {}},
}

var eInvoiceChoices = []choice{
	{name: "in e-Factura", kind: good, set: func(c *company.Company) {
		c.EInvoice = &company.EInvoice{Registered: true, Since: on("2022-07-01")}
	}},
	{name: "not in e-Factura", kind: neutral, set: func(c *company.Company) { c.EInvoice = new(company.EInvoice) }},
	{name: "e-Factura unknown", kind: unknown, says: [languages]string{"e-Factura: unknown", "e-Factura: necunoscut"},
		set: func(*company.Company) {}},
}

var collectionChoices = []choice{
	{name: "on collection", kind: neutral, set: func(c *company.Company) { c.VATOnCollection = new(true) }},
	{name: "not on collection", set: func(c *company.Company) { c.VATOnCollection = new(false) }},
	{name: "collection unknown", kind: unknown,
		says: [languages]string{"VAT on collection: unknown", "TVA la încasare: necunoscut"},
		set:  func(*company.Company) {}},
}

// everything lists the facts of a company with all possible values of each.
var everything = [][]choice{authorities, releases, stateChoices, endings, inactiveChoices, vatChoices, eInvoiceChoices,
	collectionChoices}

// combinations calls walk with every combination of one choice from each list.
func combinations(choices [][]choice, picked []choice, walk func([]choice)) {
	if len(choices) == 0 {
		walk(picked)
		return
	}

	for _, one := range choices[0] {
		combinations(choices[1:], append(slices.Clip(picked), one), walk)
	}
}

func profileOf(picked []choice) *company.Company {
	c := &company.Company{TaxID: 9900000010, Name: "EXEMPLU S.R.L."}
	for _, one := range picked {
		one.set(c)
	}
	if picked[0].silent {
		c.RegistrationStatus, c.VATPayer, c.VATSince, c.VATPeriods, c.VATOnCollection, c.Inactive, c.EInvoice = nil,
			nil, nil, nil, nil, nil, nil
	}

	return c
}

func TestVerdictOnEveryCombination(t *testing.T) {
	for l := range languages {
		walked, green, said := 0, 0, make(map[string]bool)
		combinations(everything, nil, func(picked []choice) {
			walked++
			c := profileOf(picked)
			v := words{l}.judge(c, judgedOn)
			check := verdictCheck{t, l, picked, c, v, said}
			check.facts()
			check.order()
			check.notices()
			if slices.ContainsFunc(v.Badges, func(b badge) bool { return b.Kind == good }) {
				green++
			}
		})
		if walked != 4*3*10*3*3*4*3*3 || green == 0 {
			t.Fatalf("%d combinations, %d of them good", walked, green)
		}

		for text := range said {
			if broken.MatchString(text) {
				t.Errorf("an incomplete sentence: %s", text)
			}
		}
	}
}

// verdictCheck compares a verdict with the choices behind it.
type verdictCheck struct {
	*testing.T
	lang    language
	picked  []choice
	company *company.Company
	verdict
	said map[string]bool // all sentences
}

func (c verdictCheck) must(ok bool, promise string) {
	if !ok {
		c.Helper()
		var names []string
		for _, one := range c.picked {
			names = append(names, one.name)
		}

		c.Fatalf("%s: %s: %v %v", strings.Join(names, " | "), promise, c.Badges, c.Notices)
	}
}

func (c verdictCheck) badge(fact string) *badge {
	if i := slices.IndexFunc(c.Badges, func(b badge) bool { return b.Fact == fact }); i >= 0 {
		return &c.Badges[i]
	}
	return nil
}

var saysUnknown = regexp.MustCompile(`unknown$|necunoscută?$`)

// facts checks that the verdict has a badge for each fact, with the right kind and text.
func (c verdictCheck) facts() {
	for i, fact := range map[int]string{2: "state", 4: "inactive", 5: "vat", 6: "eInvoice", 7: "vatOnCollection"} {
		wanted, b := c.picked[i], c.badge(fact)
		if c.picked[0].silent && fact != "state" {
			wanted = choice{kind: unknown}
		}
		if wanted.kind == "" {
			c.must(b == nil, fact+" needs no badge")
			continue
		}

		c.must(b != nil, fact+" has a badge")
		c.must(b.Kind == wanted.kind || wanted.kind == good && b.Kind == neutral, fact+" is of its kind")
		c.must(strings.HasPrefix(b.Text, wanted.says[c.lang]), fact+" is told")
		c.must(b.Kind != unknown || saysUnknown.MatchString(b.Text), fact+" says that it is unknown")
	}

	release, state, end := c.picked[1], c.picked[2], c.picked[3]
	sentence := !c.picked[0].silent && end.ended && (end.name == "told in words" || c.company.Inactive != nil) &&
		state.kind != bad
	c.must((c.badge("ended") != nil) == sentence, "an end that one register knows is told")
	c.must((c.badge("insolvency") != nil) == (release.absent && state.kind != bad),
		"insolvency is unknown without the trade register")
}

// order checks that bad badges come first, then unknown ones, and that good badges are shown only if nothing is bad,
// unknown or stale.
func (c verdictCheck) order() {
	has := make(map[kind]bool)
	for i, b := range c.Badges {
		has[b.Kind] = true
		c.must(i == 0 || rank[c.Badges[i-1].Kind] <= rank[b.Kind], "what matters most comes first")
	}

	clean := !has[bad] && !has[unknown] && !c.picked[0].stale && !c.picked[1].stale
	c.must(has[good] == clean, "green is for what is known to be well")
	c.must(has[unknown] == slices.ContainsFunc(c.Notices, func(n notice) bool {
		return n.Kind == unknown
	}), "unknown facts have a notice")
}

var broken = regexp.MustCompile(`\{\w+\}|<nil>|%!|\b(verdict|company|state|notice|open|registry)\.\w`)

// notices checks that there is a notice for each register that left a question open, and for each register that is out
// of date, with its date.
func (c verdictCheck) notices() {
	of := func(register string, k kind) string {
		i := slices.IndexFunc(c.Notices, func(n notice) bool { return n.Register == register && n.Kind == k })
		if i < 0 {
			return ""
		}
		return c.Notices[i].Text
	}

	authority, release := c.picked[0], c.picked[1]
	if authority.silent {
		c.must(strings.Contains(of(anaf, unknown), authority.says[c.lang]),
			"the tax authority is named, with the reason")
		c.must(strings.Contains(of(anaf, unknown), [languages]string{"VAT registration", "scopuri de TVA"}[c.lang]),
			"the open facts are named")
	}

	if c.badge("insolvency") != nil {
		c.must(strings.Contains(of(onrc, unknown), release.says[c.lang]),
			"the trade register is named, with the reason")
	}

	for _, r := range []struct {
		name   string
		choice choice
		time   [languages]string
		facts  []string
	}{
		{anaf, authority, [languages]string{"19 November 2026, 12:00 EET", "19 noiembrie 2026, 12:00 EET"},
			[]string{"inactive", "vat", "eInvoice"}},
		{onrc, release, [languages]string{"2 November 2025", "2 noiembrie 2025"}, []string{"state"}},
	} {
		sentence := of(r.name, stale)
		c.must((sentence != "") == r.choice.stale, r.name+": the age is told when it matters")
		if sentence == "" {
			continue
		}

		c.must(strings.Contains(sentence, r.time[c.lang]), r.name+": the notice has the time")
		for _, fact := range r.facts {
			b := c.badge(fact)
			c.must(b.Kind == unknown || strings.Contains(b.Text, r.time[c.lang]),
				"a badge of an old answer has the time")
		}
	}

	for _, b := range c.Badges {
		c.said[b.Text] = true
	}

	for _, n := range c.Notices {
		c.said[n.Text] = true
	}
}

func TestVerdictOnProceedings(t *testing.T) {
	c := profileOf([]choice{authorities[0], releases[0], {set: func(c *company.Company) {
		c.StateRegistration = company.InOperation
	}}})
	c.Insolvency = &company.Insolvency{State: "insolvent"}
	if v := (words{english}).judge(c, judgedOn); v.Badges[0] != (badge{"insolvency", bad, "Insolvent", onrc}) {
		t.Errorf("proceedings in a company in operation: %v", v.Badges)
	}
}

func TestVerdictWithoutSources(t *testing.T) {
	c := &company.Company{TaxID: 9900000010, StateRegistration: company.InOperation, VATPayer: new(true)}
	v := words{english}.judge(c, judgedOn)
	if slices.ContainsFunc(v.Badges, func(b badge) bool { return b.Kind == good }) ||
		!strings.Contains(v.Notices[0].Text, "ANAF (tax authority) could not be asked") {
		t.Errorf("%v %v", v.Badges, v.Notices)
	}
}
