package receipt

import (
	"encoding/json"
	"fmt"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
)

// answer is the part of a certified answer that a receipt shows.
type answer struct {
	statuses [history.StatusCount]status
	sources  []company.Source
}

// status is a status of the company.
type status struct {
	Value *bool    `json:"value"`
	From  *ro.Date `json:"from"`
	To    *ro.Date `json:"to"`
}

// text returns the value in Romanian and English, with its period. The last day of the period is the day before its
// end.
func (s *status) text() string {
	switch {
	case s.Value == nil:
		return "necunoscut (unknown)"
	case !*s.Value:
		return "nu (no)"
	case s.From == nil:
		return "da (yes)"
	case s.To == nil:
		return "da (yes), din " + day(*s.From)
	}

	return "da (yes), din " + day(*s.From) + " până în " + day(*s.To-1)
}

// answerOf parses a certified answer. Unknown members come from later versions.
func answerOf(text proof.Certified) (*answer, error) {
	a := new(answer)
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("reading the answer that a receipt certifies: %w", err)
	}

	if sources, ok := members["sources"]; ok {
		if err := json.Unmarshal(sources, &a.sources); err != nil {
			return nil, fmt.Errorf("reading the sources that a receipt certifies: %w", err)
		}
	}

	for s := range history.StatusCount {
		member, ok := members[s.String()]
		if !ok {
			continue
		}
		if err := json.Unmarshal(member, &a.statuses[s]); err != nil {
			return nil, fmt.Errorf("reading the status %s that a receipt certifies: %w", s, err)
		}
	}

	return a, nil
}
