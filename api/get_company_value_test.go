package api

import (
	"testing"
)

// The tool has neither of the parameters of the text form, and no Accept header chooses it.
func TestSingleValueNeedsTextFormat(t *testing.T) {
	for _, o := range newOperations() {
		if o.Name != "get_company" {
			continue
		}

		for _, p := range o.Input().Properties {
			if p.Name == "fields" || p.Name == "format" {
				t.Errorf("the tool takes %s", p.Name)
			}
		}

		if offers := o.Offers(); len(offers) != 1 {
			t.Errorf("an Accept header chooses from %v", offers)
		}
	}
}
