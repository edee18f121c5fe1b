package company

import (
	"testing"
)

func TestEachStateOfInsolvencyHasWords(t *testing.T) {
	for _, state := range insolvencyStates {
		i := NewInsolvency(state)
		if i.Label.Romanian == "" || i.Label.English == "" {
			t.Errorf("%s has the label %+v", state, i.Label)
		}

		none := state == NoProceedings || state == UnknownProceedings || state == InsolvencyState(StruckOff)
		if (i.Proceedings == nil) != none {
			t.Errorf("%s has the proceedings %v", state, i.Proceedings)
		}
	}
}
