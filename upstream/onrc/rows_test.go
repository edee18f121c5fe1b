package onrc

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// readAll reads a file with the columns A, B and C. It returns each row as one text.
func readAll(t *testing.T, file string) ([]string, reasons, error) {
	t.Helper()
	dropped := reasons{}
	rs, err := readRows(strings.NewReader(file), []string{"A", "B", "C"}, dropped)
	if err != nil {
		return nil, dropped, err
	}

	at := rs.positions([]string{"A", "B", "C"})
	var all []string
	for {
		cells, err := rs.next()
		if err == io.EOF {
			return all, dropped, nil
		}
		testkit.NoError(t, err)

		all = append(all, string(cells[at[0]])+"|"+string(cells[at[1]])+"|"+string(cells[at[2]]))
	}
}

func TestRows(t *testing.T) {
	long := strings.Repeat("x", maxRow)
	tests := map[string]struct {
		file    string
		want    []string
		dropped reasons
	}{
		"mark and CRLF":               {"\uFEFFA^B^C\r\n1^2^3\r\n", []string{"1|2|3"}, reasons{}},
		"no line end at the end":      {"A^B^C\n1^2^3", []string{"1|2|3"}, reasons{}},
		"other order, other columns":  {"X^c^ B ^A\r\n0^3^2^1\r\n", []string{"1|2|3"}, reasons{}},
		"quotation marks are text":    {"A^B^C\r\n\"1\" x^\"2^3\r\n", []string{`"1" x|"2|3`}, reasons{}},
		"cells are trimmed":           {"A^B^C\r\n 1 ^\t2^3  \r\n", []string{"1|2|3"}, reasons{}},
		"empty lines":                 {"A^B^C\r\n\r\n1^2^3\r\n\r\n", []string{"1|2|3"}, reasons{}},
		"cut in the middle of a cell": {"A^B^C\r\n1^2,\r\ntwo^3\r\n", []string{"1|2, two|3"}, reasons{joinedRow: 1}},
		"cut twice": {"A^B^C\r\n1\r\n^2\r\n^3\r\n4^5^6\r\n", []string{"1|2|3", "4|5|6"},
			reasons{joinedRow: 1}},
		"cut in the first cell":      {"A^B^C\r\n1,\r\none^2^3\r\n", []string{"1, one|2|3"}, reasons{joinedRow: 1}},
		"a row that lacks a cell":    {"A^B^C\r\n1^2\r\n4^5^6\r\n", []string{"4|5|6"}, reasons{brokenRow: 1}},
		"cut at the end of the file": {"A^B^C\r\n1^2^3\r\n4^5", []string{"1|2|3"}, reasons{brokenRow: 1}},
		"a cell too many":            {"A^B^C\r\n1^2^3^4\r\n4^5^6\r\n", []string{"4|5|6"}, reasons{wideRow: 1}},
		"empty cells too many":       {"A^B^C^\r\n1^2^3^^\r\n4^5^6\r\n", []string{"1|2|3", "4|5|6"}, reasons{}},
		"a row that is too long": {"A^B^C\r\n1^2^" + long + "\r\n4^5^6\r\n", []string{"4|5|6"},
			reasons{longRow: 1}},
		"longer than is read at once": {"A^B^C\r\n1^2^" + strings.Repeat(long, 20) + "\r\n4^5^6\r\n", []string{"4|5|6"},
			reasons{longRow: 1}},
		"too long when it is joined": {"A^B^C\r\n1^" + long[:maxRow-10] + "\r\n" + long[:100] + "^\r\n4^5^6\r\n",
			[]string{"4|5|6"}, reasons{brokenRow: 2}},
		"a header alone": {"A^B^C\r\n", nil, reasons{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, dropped, err := readAll(t, test.file)
			if err != nil || !slices.Equal(got, test.want) || !maps.Equal(dropped, test.dropped) {
				t.Errorf("read %.300q, dropped %v, error %v; want %q, %v", got, dropped, err, test.want, test.dropped)
			}
		})
	}
}

func TestHeader(t *testing.T) {
	for name, file := range map[string]string{
		"a column is missing": "A^B\r\n1^2\r\n",
		"another separator":   "A|B|C\r\n1|2|3\r\n",
		"a page":              "<!DOCTYPE html><html>",
		"empty":               "",
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := readAll(t, file); !errors.Is(err, errHeader) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func FuzzRows(f *testing.F) {
	f.Add("\uFEFFA^B^C\r\n1^2^3\r\n4^5\r\n^6\r\n")
	f.Fuzz(func(t *testing.T, body string) {
		rs, err := readRows(strings.NewReader("A^B^C\n"+body), []string{"A", "B", "C"}, reasons{})
		testkit.NoError(t, err)

		for {
			cells, err := rs.next()
			if err == io.EOF {
				return
			}
			if err != nil || len(cells) != 3 {
				t.Fatalf("%d cells, error %v", len(cells), err)
			}
		}
	})
}
