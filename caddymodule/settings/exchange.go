package settings

import (
	"fmt"
)

// The rules for selecting a fixing.
const (
	PreviousFixing = "previous_fixing"
	SameFixing     = "fixing"
)

func checkExchange(rule string) error {
	if rule != PreviousFixing && rule != SameFixing {
		return fmt.Errorf("%q is unknown: there are %s and %s", rule, PreviousFixing, SameFixing)
	}
	return nil
}
