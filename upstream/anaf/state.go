package anaf

import (
	"strings"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/internal/spelling"
)

// stateWords are the beginnings of the register's free text, "RADIERE din data
// 29.03.2024", with the state that each means.
var stateWords = []struct {
	prefix string
	state  api.StateRegistration
}{
	{"radier", api.StruckOff},
	{"radiat", api.StruckOff},
	{"dizolv", api.Dissolved}, // also "without liquidation", by merger
	{"suspend", api.Suspended},
	{"inregistrat", api.InOperation},
	{"transfer", api.InOperation}, // only the seat has moved
	{"reluare", api.InOperation},
	{"modificare", api.InOperation},
}

// state is what the register's text says about the company. Being inactive for
// taxes is another matter and changes nothing here; a day on which the company
// was struck off outweighs any text.
func (t *taxpayer) state() api.StateRegistration {
	if day(t.Inactive.StruckOff) != nil {
		return api.StruckOff
	}
	return stateOf(clean(t.General.Status))
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

// StateSince reads the register's text on the state of a company: the state, and the day from
// which it counts, "DIZOLVARE din data 29.03.2024"; nil if the text has none.
func StateSince(status string) (api.StateRegistration, *api.Date) {
	_, since, _ := strings.Cut(status, " din data ")
	return stateOf(status), day(text(since))
}
