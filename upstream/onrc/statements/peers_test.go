package statements

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

// filed returns a statement with some figures by their items.
func filed(n int, activity string, figures map[int]int64) *Statement {
	s := &Statement{CUI: invented.CUI(n), Activity: activity}
	for item, value := range figures {
		s.State(item, value)
	}
	return s
}

func TestPeers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 2025,
		filed(9, "0119", map[int]int64{Turnover: 30, NetProfit: 4, NetLoss: 0, Employees: 2, Equity: -8}),
		filed(1, "0119", map[int]int64{Turnover: 10, NetLoss: 7}),
		filed(2, "0119", map[int]int64{Turnover: 0, NetProfit: 5, Equity: 1}),
		filed(3, "0111", map[int]int64{Turnover: 20, Employees: 1}),
		filed(4, "0120", map[int]int64{Turnover: 5}),
		filed(5, "0200", map[int]int64{Turnover: 1}),
		filed(6, "", map[int]int64{Turnover: 1}),
		filed(7, "1190", map[int]int64{Turnover: 2}))
	writeFile(t, dir, File{Key: Key{2025, company.LargeForm}},
		filed(1, "6210", map[int]int64{Turnover: 99}),
		filed(8, "0119", map[int]int64{Turnover: 77, NetProfit: 3, NetLoss: 1}))
	writeFile(t, dir, File{Key: Key{2025, company.IFRSForm}}, filed(8, "0119", map[int]int64{Turnover: 78}))
	write(t, dir, 2024, filed(1, "0119", map[int]int64{Turnover: 11}))
	s := mustStore(t, dir)

	for _, test := range []struct {
		year int
		code string
		want company.PeerFigures
	}{
		// Company 1 is in the file of large companies with another activity, and company 8 in two files.
		{2025, "0119", company.PeerFigures{Turnover: company.Distribution{0, 30, 77},
			NetResult: company.Distribution{2, 4, 5}, Employees: company.Distribution{2},
			Equity: company.Distribution{-8, 1}}},
		{2025, "011", company.PeerFigures{Turnover: company.Distribution{0, 20, 30, 77},
			NetResult: company.Distribution{2, 4, 5}, Employees: company.Distribution{1, 2},
			Equity: company.Distribution{-8, 1}}},
		{2025, "01", company.PeerFigures{Turnover: company.Distribution{0, 5, 20, 30, 77},
			NetResult: company.Distribution{2, 4, 5}, Employees: company.Distribution{1, 2},
			Equity: company.Distribution{-8, 1}}},
		{2025, "62", company.PeerFigures{Turnover: company.Distribution{99}}},
		{2025, "9999", company.PeerFigures{}},
		{2024, "0119", company.PeerFigures{Turnover: company.Distribution{11}}},
		{2023, "0119", company.PeerFigures{}},
	} {
		got, err := s.Peers(t.Context(), test.year, test.code)
		testkit.NoError(t, err)
		for i, d := range [][2]company.Distribution{{got.Turnover, test.want.Turnover},
			{got.NetResult, test.want.NetResult}, {got.Employees, test.want.Employees},
			{got.Equity, test.want.Equity}} {
			if !slices.Equal(d[0], d[1]) {
				t.Errorf("%d %s: the values of figure %d are %d, want %d", test.year, test.code, i, d[0], d[1])
			}
		}
	}

	if _, err := s.Peers(t.Context(), 2025, "x"); err == nil {
		t.Error("a code that is none has peers")
	}
}

// Callers who want the same figures share them, and one who leaves does not wait for others.
func TestPeersAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 2025, filed(1, "6210", map[int]int64{Turnover: 10}))
	s := mustStore(t, dir)
	s.readingPeers <- struct{}{} // another caller reads

	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := s.Peers(left, 2025, "6210"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left waits: %v", err)
	}

	var callers sync.WaitGroup
	found := make([]*company.PeerFigures, 20)
	for i := range found {
		callers.Go(func() { found[i], _ = s.Peers(t.Context(), 2025, "6210") })
	}

	<-s.readingPeers
	callers.Wait()
	for _, f := range found {
		if f == nil || f != found[0] {
			t.Fatalf("callers have their own figures: %v", found)
		}
	}
}

// A file that cannot be read is an error that is not kept.
func TestPeersOfDamagedFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 2025, filed(1, "6210", map[int]int64{Turnover: 10}))
	path := Path(dir, Key{2025, company.SmallForm})
	body, err := os.ReadFile(path)
	testkit.NoError(t, err)
	s := mustStore(t, dir)

	damaged := append([]byte(nil), body...)
	for i := len(magic); i < len(magic)+3; i++ {
		damaged[i] = 0xff
	}
	testkit.NoError(t, os.WriteFile(path, damaged, 0o600))
	if _, err := s.Peers(t.Context(), 2025, "6210"); !errors.Is(err, errDamaged) {
		t.Errorf("the error is %v", err)
	}

	testkit.NoError(t, os.WriteFile(path, body, 0o600))
	got, err := s.Peers(t.Context(), 2025, "6210")
	testkit.NoError(t, err)
	testkit.Equal(t, got.Turnover, company.Distribution{10})
}

// TestManyPeers verifies that figures are read alike from files of many reads.
func TestManyPeers(t *testing.T) {
	const companies = 20_000
	dir := t.TempDir()
	var all []*Statement
	for n := range companies {
		code := "6210"
		if n%3 == 0 {
			code = "6220"
		}
		all = append(all, filed(companies-n, code,
			map[int]int64{0: int64(n) << 20, Turnover: int64(n), NetLoss: int64(n)}))
	}

	write(t, dir, 2025, all...)
	got, err := mustStore(t, dir).Peers(t.Context(), 2025, "6220")
	testkit.NoError(t, err)
	for i, turnover := range got.Turnover {
		if turnover != int64(3*i) {
			t.Fatalf("the turnover %d is %d", i, turnover)
		}
	}
	testkit.Equal(t, len(got.Turnover), (companies+2)/3)
	testkit.Equal(t, got.NetResult[0], -int64(companies-1)/3*3)
}
