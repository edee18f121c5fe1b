package vatcollection

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

func TestRowSize(t *testing.T) {
	if size := unsafe.Sizeof(row{}); size != rowSize {
		t.Errorf("a row takes %d bytes of memory, and %d on disk", size, rowSize)
	}
}

func TestMalformedLines(t *testing.T) {
	for line, want := range map[string]error{
		"1#9900000010#20200101##20200101#20200101#I":                 nil,
		" 1 # 9900000010 # 20200101 # # 20200101 # 20200101 # I ":    nil,
		"99999999999#14399840#19900101#21690605#20200101#20200101#E": nil,
		"1#9900000010#20200101##20200101#20200101#I#":                errColumns,
		"1#9900000010#20200101##20200101#20200101":                   errColumns,
		"": errColumns,
		"id#9900000010#20200101##20200101#20200101#I":   errLineID,
		"1#9900000011#20200101##20200101#20200101#I":    errCompany,
		"1##20200101##20200101#20200101#I":              errCompany,
		"1#1800101999999#20200101##20200101#20200101#I": errCompany,
		"1#RO14399840#20200101##20200101#20200101#I":    errCompany,
		"1#9900000010#2020-01-01##20200101#20200101#I":  errDay,
		"1#9900000010#20200230##20200101#20200101#I":    errDay,
		"1#9900000010#19891231##20200101#20200101#I":    errDay,
		"1#9900000010#202001011##20200101#20200101#I":   errDay,
		"1#9900000010#20200101##20200101#20200101#X":    errKind,
		"1#9900000010#20200101##20200101#20200101#":     errKind,
		"1#9900000010###20200101#20200101#E":            errNoPeriod,
		"1#9900000010##20200101#20200101#20200101#I":    errNoStart,
		"1#9900000010#20200101####I":                    errNotStated,
	} {
		if _, err := parseRow([]byte(line)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", line, err, want)
		}
	}
}

func FuzzParseRow(f *testing.F) {
	f.Add([]byte("1#9900000010#20200101#20210101#20200102#20200103#D"))
	f.Add([]byte("7#14399840##20210101##20200103#E"))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parseRow(line)
		if err != nil {
			return
		}

		p := r.period()
		if p.Recorded == 0 || p.From == 0 && p.To == 0 || r.kind() > removal || r.company() > 999_999_999 {
			t.Errorf("%q: %+v", line, p)
		}

		for _, p := range periodsOf([]row{r}) {
			if p.From == 0 || p.To != 0 && p.To <= p.From || p.Replaced != 0 || !holds(p, p.From) || holds(p, p.To) {
				t.Errorf("%q: %+v", line, p)
			}
		}
	})
}

// TestCompanies finds companies by their whole number.
func TestCompanies(t *testing.T) {
	var rows []row
	for _, line := range []string{
		"1#9900000029#20200101##20200101#20200101#I", "2#9900000010#20200101##20200101#20200101#I",
		"3#14399840#20200101##20200101#20200101#I", "4#9900000010#20200101#20210101#20210101#20210101#D",
	} {
		r, err := parseRow([]byte(line))
		testkit.NoError(t, err)

		rows = append(rows, r)
	}

	held := newTable(rows)
	for cui, want := range map[ro.CUI]int{
		9_900_000_010: 2, 9_900_000_029: 1, 14_399_840: 1,
		9_900_000_037: 0, 9_900_000_011: 0, 18: 0, 0: 0, -1: 0,
		9_900_000_010 + 42_949_672_960: 0, // the same number in 32 bits
	} {
		if got := len(held.rowsOf(cui)); got != want {
			t.Errorf("%s: %d rows, want %d", cui, got, want)
		}
	}
}
