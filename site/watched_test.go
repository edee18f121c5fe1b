package site

import (
	"slices"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
)

// A watched company has the badges of its rules, and those of the list itself.
func TestWatchedBadges(t *testing.T) {
	well := make([]choice, len(everything))
	for i := range everything {
		well[i] = everything[i][0]
	}

	registered := badge{"vat", neutral, "Plătitoare de TVA din 4 aprilie 2012", anaf}
	inOperation := badge{"state", neutral, "În funcțiune", onrc}
	for _, c := range []struct {
		name string
		set  func(*monitoring.WatchedCompany)
		want []badge
	}{
		{"well", func(*monitoring.WatchedCompany) {}, []badge{inOperation, registered}},
		{"not paid", func(c *monitoring.WatchedCompany) { c.Paid = false },
			[]badge{{"paid", bad, "neplătită", ""}, inOperation, registered}},
		{"not found", func(c *monitoring.WatchedCompany) { c.State = monitoring.WatchedNotFound },
			[]badge{{"found", bad, "în niciun registru", ""}}},
		{"new", func(c *monitoring.WatchedCompany) { c.State, c.Profile = monitoring.WatchedNew, nil },
			[]badge{{"found", neutral, "încă neverificată", ""}}},
		{"new, inactive by a stored record", func(c *monitoring.WatchedCompany) {
			c.State, c.Profile.Inactive = monitoring.WatchedNew, &company.Inactive{Status: true}
		}, []badge{{"inactive", bad, "Inactivă fiscal", anaf}, {"found", neutral, "încă neverificată", ""}, inOperation,
			registered}},
		{"an expired seat", func(c *monitoring.WatchedCompany) { c.Profile.SeatExpired = new(true) },
			[]badge{{"seat", bad, "Sediu expirat", onrc}, inOperation, registered}},
		{"VAT unknown", func(c *monitoring.WatchedCompany) { c.Profile.VATPayer = nil },
			[]badge{{"vat", unknown, "TVA: necunoscut", anaf},
				{"vatOnCollection", unknown, "TVA la încasare: necunoscut", anaf}, inOperation}},
		{"without the trade register", func(c *monitoring.WatchedCompany) {
			c.Profile.Sources = slices.DeleteFunc(c.Profile.Sources,
				func(s company.Source) bool { return s.Name == onrc })
			c.Profile.Release = 0
		}, []badge{registered}},
	} {
		watched := monitoring.WatchedCompany{State: monitoring.WatchedFound, Paid: true, Profile: profileOf(well)}
		c.set(&watched)
		if got := (words{romanian}).watchedBadges(&watched, judgedOn); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}

	// What is not stored about statements does not put a company before those without open questions.
	watched := monitoring.WatchedCompany{State: monitoring.WatchedFound, Paid: true, Profile: profileOf(well)}
	watched.Profile.RegistrationDate = &judgedOn
	if concern := watched.Concern(judgedOn); concern != monitoring.HasNone {
		t.Errorf("the concern of a company that is well is %d", concern)
	}
}
