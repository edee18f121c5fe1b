package site

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
)

func TestPartsOfARecentProfileAreNotAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		var missing []int
		known := &oneCompany{profile: &company.Company{TaxID: 9900000010, Name: "EXEMPLU CLUJ SRL"}}
		known.sheets = func(context.Context) ([]company.BalanceSheet, []int, error) {
			asked++
			return []company.BalanceSheet{{Year: 2024}}, missing, nil
		}
		s := liveSite(t, api.Registries{Companies: known}, unlimited)
		view := func(what string, want int) {
			t.Helper()
			shows(t, s, "/companies/9900000010", "2024")
			if asked != want {
				t.Errorf("%s: balance sheets were asked for %d times, want %d", what, asked, want)
			}
		}

		view("the first view", 1)
		view("another at once", 1)
		time.Sleep(recentFor)
		view("one later", 2)
		known.profile = &company.Company{TaxID: 9900000010, Name: "EXEMPLU CLUJ SA"}
		view("a changed profile", 3)

		missing = []int{2023}
		time.Sleep(recentFor)
		view("with a year missing", 4)
		view("the same, reloaded", 5)
	})
}
