package ask

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/client"
)

// text formats a value; empty if it is unknown.
func text[T any](value *T) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(*value)
}

// yesNo formats a status that may be unknown. wanted is the value that is good news; nil if neither value is.
func yesNo(value *bool, wanted *bool) cell {
	c := cell{text: "unknown", tone: doubt}
	if value == nil {
		return c
	}

	c.text, c.tone = "no", neutral
	if *value {
		c.text = "yes"
	}

	if wanted != nil {
		c.tone = bad
		if *value == *wanted {
			c.tone = good
		}
	}

	return c
}

// stateCell formats the state of a company.
func stateCell(state client.State) cell {
	c := cell{text: withSpaces(string(state)), tone: bad}
	switch state {
	case client.InOperation:
		c.tone = good
	case client.UnknownState, client.Suspended:
		c.tone = doubt
	}

	return c
}

// age formats the age of a registry's data.
func age(s client.Source) cell {
	if s.RetrievedAt == nil && s.AsOf == nil {
		return cell{"could not be asked", doubt}
	}

	c := cell{tone: quiet}
	var parts []string
	if s.AsOf != nil {
		parts = append(parts, "as of "+s.AsOf.String())
	}
	if s.RetrievedAt != nil { // statements in published files were not asked for
		parts = append(parts, "asked "+ago(*s.RetrievedAt))
	}
	c.text = strings.Join(parts, ", ")
	if s.Stale {
		c.text, c.tone = c.text+", stale: the registry does not answer", doubt
	}
	if len(s.MissingYears) > 0 {
		c.text += fmt.Sprintf("; the years %s are being fetched",
			strings.Trim(strings.Join(strings.Fields(fmt.Sprint(s.MissingYears)), ", "), "[]"))
	}

	return c
}

func ago(at time.Time) string {
	if time.Since(at) < time.Minute {
		return "just now"
	}
	return humanize.Time(at)
}

// oldest formats the age of the oldest part of an answer.
func oldest(sources []client.Source) cell {
	var first *time.Time
	c := cell{tone: quiet}
	for _, s := range sources {
		if s.Stale {
			c.tone = doubt
		}
		if s.RetrievedAt != nil && (first == nil || s.RetrievedAt.Before(*first)) {
			first = s.RetrievedAt
		}
	}

	if first != nil {
		c.text = ago(*first)
	}
	if c.tone == doubt {
		c.text += ", stale"
	}

	return c
}

// addSources appends a line for each source.
func (t *grid) addSources(sources []client.Source) {
	for i, s := range sources {
		name := ""
		if i == 0 {
			name = "Sources"
		}

		state := age(s)
		t.line(name, cell{s.Name + ": " + state.text, state.tone})
	}
}

func withSpaces(name string) string { return strings.ReplaceAll(name, "_", " ") }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// instant formats a time for programs; empty for none.
func instant(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.Format(time.RFC3339)
}

func agoOr(at *time.Time, none string) string {
	if at == nil {
		return none
	}
	return ago(*at)
}
