package search

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/traderegister"
)

const seed = 1

var release = ro.NewDate(2026, 9, 2)

// invented returns n invented firms in the form that a loader yields.
func invented(n int) iter.Seq2[Firm, error] {
	return func(yield func(Firm, error) bool) {
		for f := range traderegister.Firms(n, seed) {
			if !yield(firmOf(f), nil) {
				return
			}
		}
	}
}

func firmOf(f traderegister.Firm) Firm {
	to := Firm{
		TaxID: f.CUI, Name: f.Name, Form: f.Form, Number: f.Number, EUID: "ROONRC." + f.Number,
		Registered: f.Registered, State: stateOf(f.States), SeatExpired: slices.Contains(f.States, 2069),
		County: f.Place.CountyID, City: f.Place.Name, SIRUTA: f.Place.SIRUTACode,
		Address:    fmt.Sprintf("%s nr. %s, %s, jud. %s", f.Street, f.House, f.Place.Name, f.Place.CountyName),
		PostalCode: f.PostalCode, Website: f.Website,
		Main: f.Main,
	}
	for _, a := range f.Activities {
		to.Codes = append(to.Codes, strconv.Itoa(a.Revision)+":"+a.Class)
	}
	if len(f.Persons) > 0 {
		to.Extra = []byte(`{"governance":[{"name":"` + f.Persons[0].Name + `","role":"` + f.Persons[0].Role +
			`"}],"procedural":[]}`)
	}

	return to
}

func stateOf(codes []int) company.StateRegistration {
	worst := company.UnknownState
	for _, code := range codes {
		switch code {
		case 1084:
			worst = company.StruckOff
		case 1048:
			worst = company.InOperation
		case 1070, 1107, 1052, 1049, 1074, 1057:
			return company.Insolvent
		}
	}

	return worst
}

const defaultSize = 20_000

// size is the number of firms to measure with: RODATA_TEST_FIRMS, or a few by default.
func size(t testing.TB) int {
	text := os.Getenv("RODATA_TEST_FIRMS")
	if text == "" {
		return defaultSize
	}

	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("RODATA_TEST_FIRMS: %v", err)
	}

	return n
}

var opened struct {
	sync.Mutex
	indexes map[int]*Index
}

// indexOf returns the index of n invented firms, which is built only once. If RODATA_TEST_DIR is set, the index is
// kept in that folder for the next run.
func indexOf(t testing.TB, n int) *Index {
	t.Helper()
	opened.Lock()
	defer opened.Unlock()
	if x := opened.indexes[n]; x != nil {
		return x
	}

	dir := os.Getenv("RODATA_TEST_DIR")
	if dir == "" {
		temporary, err := os.MkdirTemp("", "rodata-index-")
		testkit.NoError(t, err)

		dir = temporary
		// The files can be removed now, because they stay mapped.
		defer os.RemoveAll(dir)
	}

	dir = filepath.Join(dir, strconv.Itoa(n))
	if _, err := os.Stat(dir); err != nil {
		testkit.NoError(t, Build(context.Background(), dir, release, invented(n), nil))
	}

	x, err := Open(dir)
	testkit.NoError(t, err)
	if opened.indexes == nil {
		opened.indexes = map[int]*Index{}
	}

	opened.indexes[n] = x
	return x
}
