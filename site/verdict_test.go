package site

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// choice is one possible value of a fact, with the change to the profile that causes it.
type choice struct {
	name string
	set  func(*company.Company)
}

func on(text string) *ro.Date { return new(must(ro.ParseDate(text))) }

// judgedOn is the day of the verdicts.
var judgedOn = *on("2026-11-22")

// source adds the answer of a register. Without a day, it could not be asked.
func source(name, day string, isStale bool) func(*company.Company) {
	s := company.Source{Name: name, Stale: isStale}
	if day != "" {
		s.AsOf, s.RetrievedAt = on(day), new(must(time.Parse(time.DateOnly, day)))
	}
	return func(c *company.Company) {
		c.Sources = append(c.Sources, s)
		if name == onrc {
			c.Release, c.SeatExpired = *s.AsOf, new(false)
		}
	}
}

// everything lists the facts of a company with all possible values of each, the most favourable first. The tax
// authority is last, because without its answer its facts are unknown.
var everything = [][]choice{
	{
		{"release loaded", source(onrc, "2026-10-02", false)},
		{"release of a year ago", source(onrc, "2025-11-02", false)},
		{"release absent", func(*company.Company) {}},
	},
	stateChoices(),
	{
		{"no end told", func(c *company.Company) {
			c.RegistrationStatus, c.TaxState = new("INREGISTRAT din data 05.03.2012"), company.InOperation
		}},
		{"end told in words", func(c *company.Company) {
			c.RegistrationStatus, c.TaxState = new("RADIERE din data 20.11.2026"), company.StruckOff
		}},
	},
	{
		{"active", func(c *company.Company) { c.Inactive = new(company.Inactive) }},
		{"inactive", func(c *company.Company) {
			c.Inactive = &company.Inactive{Status: true, Since: on("2024-02-01")}
		}},
		{"struck off on a day", func(c *company.Company) {
			c.Inactive = &company.Inactive{StruckOff: on("2026-11-20")}
		}},
		{"inactivity unknown", func(*company.Company) {}},
	},
	{
		{"paying VAT", func(c *company.Company) {
			c.VATPayer, c.VATSince = new(true), on("2012-04-04")
			c.VATPeriods = []company.VATPeriod{{From: c.VATSince}}
		}},
		{"never registered", func(c *company.Company) { c.VATPayer = new(false) }},
		{"cancelled", func(c *company.Company) {
			c.VATPayer = new(false)
			c.VATPeriods = []company.VATPeriod{
				{From: on("2012-04-04"), To: on("2020-03-01"), CanceledOn: on("2020-03-03")}}
		}},
		{"VAT unknown", func(*company.Company) {}},
	},
	{
		{"in e-Factura", func(c *company.Company) { c.EInvoice = &company.EInvoice{Registered: true} }},
		{"not in e-Factura", func(c *company.Company) { c.EInvoice = new(company.EInvoice) }},
		{"e-Factura unknown", func(*company.Company) {}},
	},
	{
		{"not on collection", func(c *company.Company) { c.VATOnCollection = new(false) }},
		{"on collection", func(c *company.Company) { c.VATOnCollection = new(true) }},
		{"collection unknown", func(*company.Company) {}},
	},
	{
		{"authority asked", source(anaf, "2026-11-22", false)},
		{"authority asked a while ago", source(anaf, "2026-11-19", true)},
		{"authority not to be asked", silenced(source(anaf, "", false))},
		{"authority without the number", silenced(source(anaf, "2026-11-22", false))},
	},
}

func stateChoices() []choice {
	all := []choice{{"state in_operation", func(c *company.Company) { c.StateRegistration = company.InOperation }}}
	for _, state := range append(company.StateRegistration("").Schema().Enum, "") {
		if state != string(company.InOperation) {
			all = append(all, choice{"state " + state, func(c *company.Company) {
				c.StateRegistration = company.StateRegistration(state)
			}})
		}
	}

	return all
}

// silenced leaves out what only the tax authority knows.
func silenced(set func(*company.Company)) func(*company.Company) {
	return func(c *company.Company) {
		set(c)
		c.RegistrationStatus, c.VATPayer, c.VATSince, c.VATPeriods = nil, nil, nil, nil
		c.VATOnCollection, c.Inactive, c.EInvoice, c.TaxState = nil, nil, nil, ""
	}
}

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

	c.Insolvency = company.NewInsolvency(company.UnknownProceedings)
	switch state := c.StateRegistration; {
	case c.Release == 0 || state == company.UnknownState || state == "":
	case state == company.InOperation || state == company.Suspended:
		c.Insolvency = company.NewInsolvency(company.NoProceedings)
	default:
		c.Insolvency = company.NewInsolvency(company.InsolvencyState(state))
	}

	return c
}

var broken = regexp.MustCompile(`\{\w+\}|<nil>|%!|\b(verdict|company|state|notice|open|registry)\.\w`)

// In every combination, what matters most comes first, nothing is green unless everything is known to be well and
// current, whatever is unknown has a notice with its register, and sentences are complete.
func TestVerdictOnEveryCombination(t *testing.T) {
	for l := range languages {
		walked, green := 0, 0
		combinations(everything, nil, func(picked []choice) {
			v, has := words{l}.judge(profileOf(picked), judgedOn), make(map[kind]bool)
			output := ""
			for i, b := range v.Badges {
				has[b.Kind] = true
				output += b.Text + "\n"
				if i > 0 && rank[v.Badges[i-1].Kind] > rank[b.Kind] {
					t.Fatalf("%v: out of order: %v", picked, v.Badges)
				}
				if b.Kind == unknown && !slices.ContainsFunc(v.Notices, func(n notice) bool {
					return n.Kind == unknown && n.Register == b.from
				}) {
					t.Fatalf("%v: nothing explains %q: %v", picked, b.Text, v.Notices)
				}
			}

			isStale := false
			for _, n := range v.Notices {
				isStale = isStale || n.Kind == stale
				output += n.Text + "\n"
			}
			if has[good] == (has[bad] || has[unknown] || isStale) {
				t.Fatalf("%v: green is %t: %v %v", picked, has[good], v.Badges, v.Notices)
			}
			if wrong := broken.FindString(output); wrong != "" {
				t.Fatalf("%v: %q in %s", picked, wrong, output)
			}

			walked++
			if has[good] {
				green++
			}
		})
		if walked != 3*10*2*4*4*3*3*4 || green == 0 {
			t.Fatalf("%d combinations, %d of them good", walked, green)
		}
	}
}

// The golden file has the verdict on a company without problems, and on those that differ from it in one fact. To write
// it anew: go test ./site -run TestVerdicts -update.
func TestVerdicts(t *testing.T) {
	var text strings.Builder
	picked := make([]choice, len(everything))
	for i := range everything {
		picked[i] = everything[i][0]
	}

	for i, choices := range everything {
		for n, one := range choices {
			if n == 0 && i > 0 {
				continue
			}

			changed := slices.Clone(picked)
			changed[i] = one
			fmt.Fprintf(&text, "== %s\n", one.name)
			for l := range languages {
				v := words{l}.judge(profileOf(changed), judgedOn)
				for _, b := range v.Badges {
					fmt.Fprintf(&text, "%s %-7s %s\n", l, b.Kind, b.Text)
				}
				for _, n := range v.Notices {
					fmt.Fprintf(&text, "%s notice  %s: %s\n", l, n.Kind, n.Text)
				}
			}
		}
	}

	testkit.Golden(t, "testdata/verdicts.txt", text.String())
}

func TestVerdictOnProceedings(t *testing.T) {
	c := profileOf([]choice{everything[0][0], everything[1][0], everything[7][0]})
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
