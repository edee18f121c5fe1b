package site

import (
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
)

// stateChoice is a choice of states in the form of the search.
type stateChoice struct {
	// Value is the operation's parameter: one state, or several separated by commas.
	Value, Name string
	Chosen      bool
}

// inProceedings are the states of companies that are being wound up or reorganized.
const inProceedings = string(company.Dissolved + "," + company.InLiquidation + "," + company.InReorganization + "," +
	company.Insolvent + "," + company.Bankrupt)

// States returns the choices of states: each state, all states of companies in proceedings, and the list in the
// address if it is neither.
func (s companySearch) States(lang language) (choices []stateChoice) {
	w := words{lang}
	for _, state := range company.StateRegistration("").Schema().Enum {
		choices = append(choices, stateChoice{Value: state, Name: w.state(state)})
	}

	choices = append(choices, stateChoice{Value: inProceedings, Name: w.say("companies.proceedings")})

	chosen := slices.IndexFunc(choices, func(c stateChoice) bool { return c.Value == s.State })
	if chosen < 0 && s.State != "" {
		var names []string
		for state := range strings.SplitSeq(s.State, ",") {
			names = append(names, w.state(strings.TrimSpace(state)))
		}

		choices = append(choices, stateChoice{Value: s.State, Name: strings.Join(names, ", ")})
		chosen = len(choices) - 1
	}

	if chosen >= 0 {
		choices[chosen].Chosen = true
	}

	return choices
}

// state returns the name of a state, or the text itself if there is no such state.
func (w words) state(state string) string {
	switch {
	case state == string(company.UnknownState):
		return w.say("companies.stateUnknown")
	case slices.Contains(company.StateRegistration("").Schema().Enum, state):
		return w.say("state." + state)
	}

	return state
}
