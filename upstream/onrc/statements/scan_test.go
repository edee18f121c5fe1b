package statements

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

func TestStatementsInYear(t *testing.T) {
	dir := t.TempDir()
	of := func(n int, profit, loss *int64) *Statement {
		s := &Statement{CUI: invented.CUI(n)}
		for item, value := range map[int]*int64{NetProfit: profit, NetLoss: loss} {
			if value != nil {
				s.State(item, *value)
			}
		}
		return s
	}
	var many []*Statement
	for n := range 2 * fenced {
		many = append(many, of(n+1, nil, new(int64(n+1))))
	}

	write(t, dir, 2023, many...)
	write(t, dir, 2024, of(3, new(int64(7)), nil), of(2, nil, nil))
	s := mustStore(t, dir)
	if s.HasYear(2024) {
		t.Error("2024 has its files without those of large companies")
	}

	writeFile(t, dir, File{Key: Key{2024, company.LargeForm}}, of(3, new(int64(9)), new(int64(2))))
	if s = mustStore(t, dir); !s.HasYear(2024) || s.HasYear(2023) {
		t.Error("a year has its files if those of small and of large companies are here")
	}

	type result struct {
		cui    ro.CUI
		result int64
		stated bool
	}
	var got []result
	for found, err := range s.InYear(2024) {
		testkit.NoError(t, err)

		r := result{cui: found.CUI}
		if net := found.NetResult(); net != nil {
			r.result, r.stated = *net, true
		}
		got = append(got, r)
	}
	testkit.Equal(t, got[:1], []result{{invented.CUI(3), 7, true}}, "the first is the large company")

	small := []result{{invented.CUI(2), 0, false}, {invented.CUI(3), 7, true}}
	slices.SortFunc(small, func(a, b result) int { return int(a.cui - b.cui) })
	testkit.Equal(t, got[1:], small, "the others are the small companies by CUI")

	n := 0
	for id, err := range s.Companies(0, 2023) {
		testkit.NoError(t, err)

		if n++; !slices.ContainsFunc(many, func(s *Statement) bool { return s.CUI == id }) {
			t.Errorf("%s filed before", id)
		}
	}
	if n != len(many) {
		t.Errorf("%d companies filed before, want %d", n, len(many))
	}
	for range s.Companies(0, 2022) {
		t.Error("a company filed before the first year")
	}
}

func TestStatementsOfADamagedYear(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 2024, &Statement{CUI: invented.CUI(1)})
	path := Path(dir, Key{2024, company.SmallForm})
	body, err := os.ReadFile(path)
	testkit.NoError(t, err)

	body[len(magic)] ^= 0xff
	testkit.NoError(t, os.WriteFile(path, body, 0o600))
	for _, err := range mustStore(t, dir).InYear(2024) {
		if !errors.Is(err, errDamaged) {
			t.Errorf("the error is %v", err)
		}
	}
}
