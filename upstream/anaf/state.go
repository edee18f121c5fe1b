package anaf

import (
	"strings"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/ro"
)

// stateWords maps the prefixes of the register's free text, "RADIERE din data 29.03.2024", to states.
var stateWords = []struct {
	prefix string
	state  api.StateRegistration
}{
	{"radier", api.StruckOff},
	{"radiat", api.StruckOff},
	{"dizolv", api.Dissolved}, // also "without liquidation", by merger
	{"suspend", api.Suspended},
	{"inregistrat", api.InOperation},
	{"transfer", api.InOperation}, // only the registered office has moved
	{"reluare", api.InOperation},
	{"modificare", api.InOperation},
}

// state returns the state of the company on a day according to the register's text. If the company was struck off by
// then, that takes precedence over any text. Before the day in the text the state is unknown. Tax inactivity is
// separate and does not count here.
func (t *taxpayer) state(on ro.Date) api.StateRegistration {
	if off := day(t.Inactive.StruckOff); off != nil && *off <= on {
		return api.StruckOff
	}

	state, since := StateSince(clean(t.General.Status))
	if since != nil && *since > on {
		return api.UnknownState
	}

	return state
}

func stateOf(status string) api.StateRegistration {
	status = spelling.Fold(status)
	for _, w := range stateWords {
		if strings.HasPrefix(status, w.prefix) {
			return w.state
		}
	}

	return api.UnknownState
}

// StateSince parses the register's text on the state of a company, such as "DIZOLVARE din data 29.03.2024". It returns
// the state and its first day, or nil if the text has no day.
func StateSince(status string) (api.StateRegistration, *ro.Date) {
	_, since, _ := strings.Cut(status, " din data ")
	return stateOf(status), day(text(since))
}
