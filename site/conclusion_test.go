package site

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	rules "github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/ro"
)

// The conclusion for a past day names a bad current state, because no register says when it began.
func TestConclusionNamesTheStateOfToday(t *testing.T) {
	profile, today := exampleProfile(), ro.Today()
	profile.StateRegistration = company.Insolvent
	facts := rules.OfProfile(profile, today)
	facts.Insolvency = company.NewInsolvency(profile.StateRegistration.Proceedings())
	facts.Day, facts.KnownAt = today-365, today-365
	v := &rules.Verdict{Name: &profile.Name, Date: facts.Day, KnownAt: facts.KnownAt}
	_, v.Rules = rules.Judge(facts)
	v.Outcome = company.OutcomeClear

	c := words{romanian}.conclude(v)
	if want := "azi firma este în insolvență"; c.Kind != warning || !strings.Contains(c.Sentence, want) {
		t.Errorf("the conclusion is %s: %q, want %s with %q", c.Kind, c.Sentence, warning, want)
	}
}

// A retroactive change of a status is shown with the day on which the register entered it.
func TestLaterChangeHasItsDay(t *testing.T) {
	status := &company.Status{Now: &company.StatusesOnDay{}}
	status.VATPayer.Value = new(true)
	status.Now.VATPayer = company.StatusOnDay{Value: new(false), EnteredOn: on("2026-05-12")}
	page := &statusPage{words: words{romanian}, Status: status}
	got, want := page.differences(), "atunci da, acum nu. Operat de ANAF la 12 mai 2026."
	if !strings.HasSuffix(got, want) {
		t.Errorf("%q, want the end %q", got, want)
	}
}
