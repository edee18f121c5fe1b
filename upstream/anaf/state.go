package anaf

import (
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/ro"
)

// stateWords maps the prefixes of the register's free text, "RADIERE din data 29.03.2024", to states.
var stateWords = []struct {
	prefix string
	state  company.StateRegistration
}{
	{"radier", company.StruckOff},
	{"radiat", company.StruckOff},
	{"dizolv", company.Dissolved}, // also "without liquidation", by merger
	{"suspend", company.Suspended},
	{"inregistrat", company.InOperation},
	{"transfer", company.InOperation}, // only the registered office has moved
	{"reluare", company.InOperation},
	{"modificare", company.InOperation},
}

// state returns the state of the company on a day according to the register's text, and its first day if known. If the
// company was struck off by then, that takes precedence over any text. Before the day in the text the state is unknown.
// Tax inactivity is separate and does not count here.
func (t *taxpayer) state(on ro.Date) (state company.StateRegistration, since *ro.Date) {
	if off := day(t.Inactive.StruckOff); off != nil && *off <= on {
		return company.StruckOff, off
	}

	state, since = StateSince(clean(t.General.Status))
	if since != nil && *since > on {
		return company.UnknownState, nil
	}

	return state, since
}

func stateOf(status string) company.StateRegistration {
	status = spelling.Fold(status)
	for _, w := range stateWords {
		if strings.HasPrefix(status, w.prefix) {
			return w.state
		}
	}

	return company.UnknownState
}

// StateSince parses the register's text on the state of a company, such as "DIZOLVARE din data 29.03.2024". It returns
// the state and its first day, or nil if the text has no day.
func StateSince(status string) (company.StateRegistration, *ro.Date) {
	_, since, _ := strings.Cut(status, " din data ")
	return stateOf(status), day(text(since))
}
