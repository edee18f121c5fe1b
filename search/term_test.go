package search

import (
	"slices"
	"testing"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/upstream/caen"
)

func TestSectionsAreThoseOfTheClassification(t *testing.T) {
	divisions, total := caen.Load().Search(reference.ActivityQuery{Type: "division", Limit: 100})
	if total != 87 {
		t.Fatalf("%d divisions", total)
	}

	for _, d := range divisions {
		found, _ := caen.Load().Activity(d.Code)
		if got, parents := section(string(d.Code)), found.Value.Parents; len(parents) == 0 ||
			got != string(parents[0].Code) {
			t.Errorf("division %s is in section %q, want %+v", d.Code, got, parents)
		}
	}

	if section("00") != "" {
		t.Error("division 00 is in a section")
	}
}

func TestActivityTerms(t *testing.T) {
	for name, c := range map[string]struct {
		firm Firm
		want []string
	}{
		"all authorised": {Firm{Codes: []string{"2:6201", "2:6202", "3:4711"}},
			[]string{"a6201", "d62", "tK", "a6202", "a4711", "d47", "tG"}},
		"the main one where known": {Firm{Codes: []string{"2:6201", "3:4711"}, Main: "4711"},
			[]string{"a4711", "d47", "tG"}},
		"old revisions have classes": {Firm{Codes: []string{"0:7220", "1:7221"}}, []string{"a7220", "a7221"}},
		"trade in vehicles is trade": {Firm{Codes: []string{"2:4511"}}, []string{"a4511", "d45", "tG"}},
		"nothing that is a class":    {Firm{Codes: []string{"2:", "3:62", "x"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			c.firm.activityTerms(func(field byte, text string) { got = append(got, string(field)+text) })
			if !slices.Equal(got, c.want) {
				t.Errorf("indexed under %v, want %v", got, c.want)
			}
		})
	}
}
