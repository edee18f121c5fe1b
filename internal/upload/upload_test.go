package upload

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit"
)

// collected holds the rows that Read passed on.
type collected struct {
	Table
	rows [][]string
}

func read(file, media, column string, limits Limits) (collected, error) {
	return readWith(file, Options{Limits: limits, Media: media, Column: column})
}

func readWith(file string, o Options) (collected, error) {
	var c collected
	o.IsTaxID, o.IsDay = isTaxID, isDay
	table, err := Read(context.Background(), section(file), o, func(_ *Table, x *Row) error {
		c.rows = append(c.rows, slices.Clone(x.Cells))
		return nil
	})
	c.Table = table
	return c, err
}

func section(file string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(file), 0, int64(len(file)))
}

// isTaxID accepts the invented tax ids of these tests.
func isTaxID(cell string) bool {
	return strings.HasPrefix(strings.NewReplacer(" ", "", "RO", "", "=", "", `"`, "").Replace(cell), "99000")
}

func isDay(cell string) bool {
	_, err := time.Parse("2006-01-02", cell)
	_, inRomanian := time.Parse("02.01.2006", cell)
	return err == nil || inRomanian == nil
}

func windows1250(text string) string {
	encoded, err := charmap.Windows1250.NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return encoded
}

func wide(text string, order binary.ByteOrder, mark bool) string {
	var out bytes.Buffer
	if mark {
		text = "\uFEFF" + text
	}

	for _, unit := range utf16.Encode([]rune(text)) {
		_ = binary.Write(&out, order, unit)
	}

	return out.String()
}

// The rows of a table do not depend on its delimiter and encoding.
func TestTablesAreDetected(t *testing.T) {
	const table = "Denumire;C.U.I.;Observații\r\nTÂRGU MUREȘ;9900000010;\"a;b\"\r\n;;\r\nșase;RO 9900000100\r\n"
	cedilla := strings.NewReplacer("ș", "ş", "Ș", "Ş", "ț", "ţ")
	want := [][]string{{"TÂRGU MUREȘ", "9900000010", "a;b"}, {"șase", "RO 9900000100"}}
	for name, file := range map[string]string{
		"semicolons":         table,
		"Excel's first line": "sep=;\r\n" + table,
		"byte order mark":    "\uFEFF" + table,
		"commas": strings.NewReplacer(";", ",", "a;b",
			"a;b").Replace(strings.ReplaceAll(table, `"a;b"`, "a;b")),
		"UTF-16, little-endian":       wide(table, binary.LittleEndian, true),
		"UTF-16, big-endian":          wide(table, binary.BigEndian, true),
		"UTF-16 without a mark":       wide(table, binary.LittleEndian, false),
		"UTF-16, big, without a mark": wide(table, binary.BigEndian, false),
		"Windows-1250":                windows1250(cedilla.Replace(table)),
		"tabs":                        strings.ReplaceAll(strings.ReplaceAll(table, `"a;b"`, "a|b"), ";", "\t"),
	} {
		t.Run(name, func(t *testing.T) {
			got := testkit.Must(read(file, CSV, "", Limits{}))
			for _, row := range got.rows {
				for i := range row {
					row[i] = strings.NewReplacer("ş", "ș", "Ş", "Ș", "ţ", "ț", "a|b", "a;b", "a,b",
						"a;b").Replace(row[i])
				}
			}

			if name == "commas" {
				got.rows[0] = append(got.rows[0][:2], "a;b")
			}
			if got.ID != 1 || got.Rows != 2 || !slices.EqualFunc(got.rows, want, slices.Equal) {
				t.Errorf("column %d of %q: %q, want %q", got.ID, got.Columns, got.rows, want)
			}
		})
	}
}

func TestColumnOfTaxIDs(t *testing.T) {
	for _, test := range []struct {
		head, column string
		id, date     int
	}{
		{"nume,CUI", "", 1, -1},
		{"nume,Cod Fiscal", "", 1, -1},
		{"nume,cod unic de înregistrare", "", 1, -1},
		{"VAT Number,name", "", 0, -1},
		{"Tax ID,date", "", 0, 1},
		{"name,TVA,CIF", "", 2, -1},
		{"name,TVA", "", 1, -1},
		{"name,cui furnizor,Cui client", "CUI CLIENT", 2, -1},
		{"cui,cif,date", "1", 0, 2},
		{"name,partener", "2", 1, -1},
		{"name,partener", "", 1, -1},
		{"name,CUI furnizor", "", 1, -1},
		{"name,Cod de identificare fiscală,x", "", 1, -1},
	} {
		row := make([]string, 0, 3)
		for name := range strings.SplitSeq(test.head, ",") {
			switch name {
			case "name", "nume":
				row = append(row, "EXEMPLU SRL")
			case "date":
				row = append(row, "2025-03-31")
			default:
				row = append(row, fmt.Sprint(9900000010+len(row)))
			}
		}

		got, err := read(test.head+"\n"+strings.Join(row, ",")+"\n", CSV, test.column, Limits{})
		if err != nil || got.ID != test.id || got.Date != test.date {
			t.Errorf("%q by %q: columns %d and %d, %v, want %d and %d", test.head, test.column, got.ID, got.Date, err,
				test.id, test.date)
		}
	}
}

func TestSingleColumnNeedsNoName(t *testing.T) {
	got, err := read("9900000010\n9900000100\n", CSV, "", Limits{})
	if err != nil || got.Rows != 2 || !slices.Equal(got.Columns, []string{"taxId"}) {
		t.Errorf("%+v, %v", got, err)
	}

	got, err = read("furnizori\n9900000010\n", CSV, "", Limits{})
	if err != nil || got.Rows != 1 || !slices.Equal(got.Columns, []string{"furnizori"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNamesOfColumnsAreDistinct(t *testing.T) {
	got, err := read("cui,, Name,name,Name\n9900000010,a,b,c,d\n", CSV, "", Limits{})
	if want := []string{"cui", "column 2", "Name", "name", "Name (2)"}; err != nil || !slices.Equal(got.Columns, want) {
		t.Errorf("%q, %v, want %q", got.Columns, err, want)
	}
}

func TestQuotationMarks(t *testing.T) {
	got, err := read("cui,adresa\n9900000010,\"Str. Lungă\nnr. 2\"\n", CSV, "", Limits{})
	if err != nil || got.rows[0][1] != "Str. Lungă\nnr. 2" {
		t.Errorf("a cell of two lines: %q, %v", got.rows, err)
	}

	got, err = read("cui;nume\n9900000010;SC \"ALFA\" SRL\n9900000100;B\n", CSV, "", Limits{})
	if err != nil || len(got.rows) != 2 || got.rows[0][1] != `SC "ALFA" SRL` {
		t.Errorf("quotation marks inside a cell: %q, %v", got.rows, err)
	}
}

func TestJSONFiles(t *testing.T) {
	for name, test := range map[string]struct {
		file, media string
		columns     []string
		rows        [][]string
	}{
		"numbers": {"[9900000010, \"RO9900000100\"]", JSON, []string{"taxId"},
			[][]string{{"9900000010"}, {"RO9900000100"}}},
		"objects": {`[{"cui": 9900000010, "name": "A", "tags": ["x"]}, {"name": null, "cui": "9900000100", "new": true}]`, JSON,
			[]string{"cui", "name", "tags", "new"},
			[][]string{{"9900000010", "A", `["x"]`, ""}, {"9900000100", "", "", "true"}}},
		"lines": {"{\"name\":\"A\",\"taxId\":9900000010}\n\n{\"taxId\":9900000100}\n", NDJSON,
			[]string{"name", "taxId"}, [][]string{{"A", "9900000010"}, {"", "9900000100"}}},
		"bare": {"9900000010\n9900000100", NDJSON, []string{"taxId"}, [][]string{{"9900000010"}, {"9900000100"}}},
	} {
		got, err := read(test.file, test.media, "", Limits{})
		if err != nil || !slices.Equal(got.Columns, test.columns) ||
			!slices.EqualFunc(got.rows, test.rows, slices.Equal) {
			t.Errorf("%s: %q %q, %v", name, got.Columns, got.rows, err)
		}
	}
}

// checkPlace checks that a refusal has the row and the column of its detail as members, and no others.
func checkPlace(t *testing.T, err error) {
	t.Helper()
	refused, ok := errors.AsType[*problem.Problem](err)
	if !ok || len(refused.Errors) != 1 {
		t.Fatalf("not one error: %v", err)
	}

	row, column := "0", ""
	if found := regexp.MustCompile(`\b(?:row|element) (\d+)`).FindStringSubmatch(refused.Detail); found != nil {
		row = found[1]
	}
	named := regexp.MustCompile(`\bcolumn (?:"([^"]*)"|(\d+))`)
	if found := named.FindStringSubmatch(refused.Detail); found != nil {
		column = found[1] + found[2]
	}

	if e := refused.Errors[0]; strconv.Itoa(e.Row) != row || e.Column != column {
		t.Errorf("row %d and column %q, but the detail says %q", e.Row, e.Column, refused.Detail)
	}
}

// Every refusal says what is wrong with the file, and where.
func TestRefusals(t *testing.T) {
	wideHead := strings.Repeat("x,", 1000) + "cui\n"
	for name, test := range map[string]struct{ file, media, column, says string }{
		"empty":              {" \n", CSV, "", "the file is empty"},
		"only names":         {"cui,name\n", CSV, "", "no rows"},
		"no column of ids":   {"name,city\na,b\n", CSV, "", `row 1 has "name", "city"`},
		"mistyped ids":       {"name,partner no\na,1234567\nb,1234568\n", CSV, "", "as ?column=partner no"},
		"two columns of ids": {"cui,cif\n1,2\n", CSV, "", `"cui" and "cif" both`},
		"unknown column":     {"cui,name\n1,2\n", CSV, "client", `"cui", "name"`},
		"repeated column":    {"a,A,b\n1,2,3\n", CSV, "a", "two columns"},
		"too many members":   {manyMembers(), NDJSON, "", "more than 1000 columns"},
		"long name":          {"cui," + strings.Repeat("x", 201) + "\n1,2\n", CSV, "", "the name of column 2 has more"},
		"long member":        {`{"cui":1,"` + strings.Repeat("x", 201) + `":2}`, NDJSON, "", "more than 200 characters"},
		"long row":           {"cui,name\n1," + strings.Repeat("x", 2<<20) + "\n", CSV, "", "row 2 is longer"},
		"long line":          {"{}\n\"" + strings.Repeat("x", 2<<20) + "\"\n", NDJSON, "", "row 1 has no members"},
		"long element":       {"[1,\"" + strings.Repeat("x", 2<<20) + "\"]", JSON, "", "row 2 is longer than 1 MiB"},
		"page":               {"<!DOCTYPE html><table><tr><td>cui</td></tr></table>", CSV, "", "a page of HTML"},
		"too many columns":   {wideHead + "1\n", CSV, "", "more than 1000 columns"},
		"too many cells":     {"cui,name\n1,2\n1,2,3\n", CSV, "", "row 3 has 3 cells, and the table has 2"},
		"too many rows":      {"cui\n1\n2\n3\n4\n", CSV, "", "row 5 is one too many"},
		"cell too long": {"cui,name\n1," + strings.Repeat("x", 32_768) + "\n", CSV, "",
			`row 2 in the column "name"`},
		"swallowed lines": {"cui,name\n1,\"ALFA\" SRL\n2,\"BETA\n3,c\n", CSV, "",
			"row 2 has a cell that begins with a quotation mark"},
		"zero bytes":                {"cui,name\n1,a\x00\n", CSV, "", "row 2 has a zero byte"},
		"workbook as CSV":           {"PK\x03\x04....", CSV, "", "Content-Type: " + XLSX},
		"old workbook":              {string(compoundMagic) + "....", XLSX, "", "password"},
		"old workbook as CSV":       {string(compoundMagic) + "....", CSV, "", "password"},
		"CSV as workbook":           {"cui\n1\n", XLSX, "", "not an XLSX workbook"},
		"object for an array":       {`{"items": []}`, JSON, "", "not a JSON array"},
		"array without end":         {`[1, 2`, JSON, "", "does not end"},
		"something behind an array": {"[1] [2]", JSON, "", "something follows"},
		"broken element":            {`[1, {"a":}]`, JSON, "", "element 2"},
		"truth value":               {"true\n", NDJSON, "", "row 1 is neither"},
		"broken line":               {"1\n{\n", NDJSON, "", "row 2 is not JSON"},
		"object without id":         {`{"a":1,"b":2}`, NDJSON, "", "no column"},
		"empty array":               {"[]", JSON, "", "no rows"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(test.file, test.media, test.column, Limits{Rows: 3})
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %q", err, test.says)
			}
			checkPlace(t, err)
		})
	}
}

// A file with the maximum number of rows is read, and one with an additional row is refused.
func TestMostRows(t *testing.T) {
	file := "cui\n" + strings.Repeat("9900000010\n", 200_000)
	if got, err := read(file, CSV, "", Limits{}); err != nil || got.Rows != 200_000 {
		t.Errorf("%d rows, %v", got.Rows, err)
	}
	if _, err := read(file+"1\n", CSV, "", Limits{}); err == nil || !strings.Contains(err.Error(), "200000") {
		t.Errorf("an additional row: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, media := range []string{CSV, XLSX, NDJSON, JSON} {
		for _, file := range []string{
			"cui;nume\n9900000010;A\n", "sep=,\ncui,\"a\"\"b\"\n1,2\n", "[1,{\"cui\":2}]", "{\"cui\":1}\n2\n",
			"\xff\xfec\x00u\x00i\x00\n\x001\x00", "PK\x03\x04",
		} {
			f.Add([]byte(file), media, "")
		}

		f.Add(book("<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>cui</t></is></c></row><row r=\"2\"><c "+
			"r=\"A2\"><v>1</v></c></row>"), media, "1")
	}

	f.Fuzz(func(t *testing.T, file []byte, media, column string) {
		rows := 0
		o := Options{Limits: Limits{Rows: 1000}, Media: media, Column: column, IsTaxID: isTaxID, IsDay: isDay}
		table, err := Read(t.Context(), section(string(file)), o, func(_ *Table, x *Row) error {
			rows++
			for _, cell := range x.Cells {
				if !utf8.ValidString(cell) {
					t.Errorf("the cell %q is not valid UTF-8", cell)
				}
			}

			return nil
		})
		if err != nil {
			return
		}
		if table.Rows != rows || rows == 0 || table.ID < 0 || table.ID >= len(table.Columns) ||
			len(table.Columns) > maxColumns {
			t.Errorf("%d rows were passed on of %+v", rows, table)
		}
		if distinct := slices.Compact(slices.Sorted(slices.Values(table.Columns))); len(distinct) != len(
			table.Columns) {
			t.Errorf("the columns %q are not distinct", table.Columns)
		}
	})
}

func manyMembers() string {
	var object strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&object, `,"m%d":1`, i)
	}
	return "{" + object.String()[1:] + "}"
}
