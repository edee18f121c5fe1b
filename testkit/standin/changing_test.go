package standin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit/standin"
)

// TestChangingNumber verifies that every second request finds the company registered for VAT, that its periods are
// consistent, and that nothing else changes.
func TestChangingNumber(t *testing.T) {
	now := time.Date(2026, time.June, 10, 12, 0, 0, 0, time.UTC)
	r := start(t, standin.Options{Now: func() time.Time { return now }})
	for i, want := range []string{
		`"scpTVA":true,"perioade_TVA":[{"data_inceput_ScpTVA":"2017-03-06","data_sfarsit_ScpTVA":"",`,
		`"scpTVA":false,"perioade_TVA":[{"data_inceput_ScpTVA":"2017-03-06","data_sfarsit_ScpTVA":"2026-06-10",`,
		`"scpTVA":true,"perioade_TVA":[{"data_inceput_ScpTVA":"2026-06-10","data_sfarsit_ScpTVA":"",`,
		`"scpTVA":false,"perioade_TVA":[{"data_inceput_ScpTVA":"2017-03-06","data_sfarsit_ScpTVA":"2026-06-10",`,
	} {
		answer, err := post(t, r, `[{"cui":9900009087,"data":"2026-06-10"}]`)
		if err != nil || !strings.Contains(answer.body, want) ||
			!strings.Contains(answer.body, `"denumire":"EXEMPLU SCHIMBĂTOR`) {
			t.Errorf("look %d: %s %v", i+1, answer.body, err)
		}
	}

	if !standin.NumberChanging.Valid() {
		t.Error("its control digit is wrong")
	}
}
