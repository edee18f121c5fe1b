package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

func TestPackedListsAreReadOneByOne(t *testing.T) {
	for name, rows := range map[string][][]string{
		"rows": {{"a", "ș\n", ""}, {}, {"=1+1"}}, "one": {{"x"}}, "none": {},
		"long": {{strings.Repeat("abc", 100_000)}, {"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			packed := testkit.Must(pack(rows))
			got := [][]string{}
			r := unpack(packed)
			for cells := []string(nil); r.next(&cells); cells = nil {
				got = append(got, cells)
			}
			if err := r.close(); err != nil || !reflect.DeepEqual(got, rows) {
				t.Errorf("got %.100q, %v", got, err)
			}
		})
	}
}

func TestDamagedListsAreErrors(t *testing.T) {
	whole := testkit.Must(pack([][]string{{"first"}, {"second"}, {"third"}}))
	other := testkit.Must(pack([]int{1, 2}))
	for name, packed := range map[string][]byte{"empty": nil, "cut off": whole[:len(whole)-8],
		"no list": []byte("rows"), "other values": other} {
		r := unpack(packed)
		for cells := []string(nil); r.next(&cells); {
		}
		if err := r.close(); err == nil || errors.Is(err, errListEnded) || err == io.EOF {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// TestChunkRowsAreIndependent verifies that no outcome contains parts of the previous one, although they share memory.
func TestChunkRowsAreIndependent(t *testing.T) {
	input := testkit.Must(pack([]row{
		{Cells: []string{"1", "a"}, Kinds: []table.Kind{table.Number}}, {Cells: []string{"2"}},
		{Cells: []string{"3"}}, {Cells: []string{"4"}}}))
	outcomes := testkit.Must(pack([]Outcome{
		{Status: 200, TaxID: 9900000010, Day: ro.NewDate(2026, 11, 23), Profile: json.RawMessage(`{"name":"EXEMPLU"}`),
			RetrievedAt: 1, Paid: true, Pass: 1},
		{Status: 404, Problem: &Problem{Detail: "unknown"}, Pass: 2},
		{Status: 200, Profile: json.RawMessage(`{"name":"B"}`), Pass: 2},
		{},
	}))
	c := &Chunk{Rows: 4, State: Priced, Pass: 2, Input: input, Outcomes: outcomes}
	var got []string
	err := c.each(5, func(_ int, x *row, o *Outcome) error {
		text, err := json.Marshal(o)
		got = append(got, fmt.Sprint(strings.Join(x.Cells, " "), x.Kinds, " ", string(text)))
		return err
	})
	want := []string{
		`1 a[2] {"s":200,"c":9900000010,"d":"2026-11-23","v":{"name":"EXEMPLU"},"t":1,"x":true,"n":1}`,
		`2[] {"s":404,"p":` + encoded(t, &Problem{Detail: "unknown"}) + `,"n":2}`,
		`3[] {"s":0,"n":0}`, // its charge is not settled
		`4[] {"s":0,"n":0}`,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s, %v; want\n%s", strings.Join(got, "\n"), err, strings.Join(want, "\n"))
	}

	c.Rows = 5
	if err := c.each(0, func(int, *row, *Outcome) error { return nil }); !errors.Is(err, errRowsMissing) {
		t.Errorf("a chunk with too few rows: %v", err)
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text := testkit.Must(json.Marshal(v))
	return string(text)
}
