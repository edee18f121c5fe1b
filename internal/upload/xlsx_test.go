package upload

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/testkit"
)

const (
	workbookHead = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">`
	hiddenFirst  = workbookHead + `<sheets><sheet name="a" state="hidden" r:id="r1"/><sheet name="b" r:id="r2"/></sheets></workbook>`
	relations    = `<Relationships><Relationship Id="r1" Target="worksheets/none.xml"/><Relationship Id="r2" Target="/xl/worksheets/table.xml"/></Relationships>`
	styles       = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\.mm\.yyyy;@"/><numFmt numFmtId="165" formatCode="0.00&quot; lei/d&quot;"/></numFmts>` +
		`<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/></cellXfs></styleSheet>`
	shared = `<sst><si><t>cui</t></si><si><r><t>Observ</t></r><r><t>ații</t></r></si><si><t xml:space="preserve"> șase</t></si></sst>`
)

// book returns a workbook with the rows of its visible sheet.
func book(rows string) []byte {
	return archive(map[string]string{
		"xl/workbook.xml": hiddenFirst, "xl/_rels/workbook.xml.rels": relations, "xl/styles.xml": styles,
		"xl/sharedStrings.xml":    shared,
		"xl/worksheets/table.xml": "<worksheet><sheetData>" + rows + "</sheetData></worksheet>",
	})
}

func archive(files map[string]string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, content)
		}
		if err != nil {
			panic(err)
		}
	}

	_ = w.Close() // writing to a buffer does not fail
	return out.Bytes()
}

const head = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>`

func TestWorkbook(t *testing.T) {
	file := book(head +
		`<row r="2"/><row r="4"><c r="A4"><v>9.90000001E9</v></c><c r="B4" s="1"><v>45747</v></c><c r="C4" t="s"><v>2</v></c></row>` +
		`<row><c><f>A4</f><v>9900000100</v></c><c t="b"><v>1</v></c><c s="2"><v>0.1</v></c></row>` +
		`<row r="6"><c r="A6" t="str"><f>"RO"</f><v>RO9900000010</v></c><c r="B6" s="3"><v>45747.75</v></c><c r="C6" t="e"><v>#N/A</v></c><c r="F6" s="1"/></row>`)
	got, err := read(string(file), XLSX, "", Limits{})
	want := [][]string{{"9900000010", "2025-03-31", " șase"}, {"9900000100", "true", "0.1"},
		{"RO9900000010", "2025-03-31 18:00:00", "#N/A"}}
	if err != nil || !slices.Equal(got.Columns, []string{"cui", "column 2", "Observații"}) ||
		!slices.EqualFunc(got.rows, want, slices.Equal) {
		t.Errorf("%q %q, %v, want %q", got.Columns, got.rows, err, want)
	}
}

// A cell without a reference is in the column after the previous cell, even if that one is empty.
func TestCellsWithoutReferences(t *testing.T) {
	got, err := read(string(book(head+`<row><c><v>1</v></c><c s="1"/><c><v>2</v></c></row>`+
		`<row><c r="A3"><v>3</v></c><c r="B3"/><c><v>4</v></c></row>`)), XLSX, "", Limits{})
	want := [][]string{{"1", "", "2"}, {"3", "", "4"}}
	if err != nil || !slices.EqualFunc(got.rows, want, slices.Equal) {
		t.Errorf("%q, %v, want %q", got.rows, err, want)
	}
}

func TestDaysFrom1904(t *testing.T) {
	w := &workbook{from1904: true}
	if got, _ := w.date(44285); got != "2025-03-31" {
		t.Errorf("got %s", got)
	}
}

func TestFormatsOfDays(t *testing.T) {
	for code, want := range map[string]bool{
		"General": false, "0.00": false, "yyyy-mm-dd": true, `"day" 0`: false, "[h]:mm": true, "[Red]0": false,
		`0\d`: false, "#,##0_d": false, "": false,
	} {
		if got := isDateCode(code); got != want {
			t.Errorf("%q: %v, want %v", code, got, want)
		}
	}

	if !isDateFormat(14) || isDateFormat(3) {
		t.Error("a built-in format is misread")
	}
}

func TestRefusedWorkbooks(t *testing.T) {
	encrypted := book(head)
	// The flags of an entry follow its signature and its version: APPNOTE 4.3.12.
	at := bytes.Index(encrypted, []byte("PK\x01\x02")) + 8
	binary.LittleEndian.PutUint16(encrypted[at:], binary.LittleEndian.Uint16(encrypted[at:])|1)
	bomb := archive(map[string]string{"xl/workbook.xml": workbookHead + "</workbook>",
		"xl/worksheets/sheet1.xml": "<worksheet>" + strings.Repeat(" ", 2<<20) + "</worksheet>"})
	texts := archive(map[string]string{"xl/workbook.xml": workbookHead + "</workbook>",
		"xl/sharedStrings.xml": "<sst>" + strings.Repeat(" ", 2<<20) + "</sst>"})
	for name, test := range map[string]struct {
		file []byte
		says string
	}{
		"password":          {encrypted, "password"},
		"zip bomb":          {bomb, "100 times its size"},
		"zip bomb of texts": {texts, "100 times its size"},
		"another archive":   {archive(map[string]string{"a.txt": "x"}), "not an XLSX workbook"},
		"no sheet": {archive(map[string]string{"xl/workbook.xml": workbookHead + "</workbook>"}),
			"xl/worksheets/sheet1.xml"},
		"damaged directory": {[]byte("PK\x03\x04 and then nothing"), "damaged"},
		"damaged sheet":     {book(head + "<row><c></row>"), "damaged"},
		"sheet without end": {archive(map[string]string{"xl/workbook.xml": workbookHead + "</workbook>",
			"xl/worksheets/sheet1.xml": "<worksheet><row>"}), "damaged"},
		"formulas only": {book(head + `<row r="2"><c r="A2"><f>B2</f></c><c r="C2"><v>1</v></c></row>`),
			`row 2 has a formula without a value in the column "cui"`},
		"formula as a whole": {book(head + `<row r="2"><c r="A2"><f>B2</f></c></row>`), "row 2 has a formula"},
		"missing text":       {book(head + `<row r="2"><c r="A2" t="s"><v>9</v></c></row>`), `row 2 in the column "A"`},
		"missing text, no reference": {book(head + `<row><c><v>1</v></c><c t="s"><v>9</v></c></row>`),
			`row 2 in the column "2"`},
		"far column":    {book(head + `<row r="2"><c r="A2"><v>1</v></c><c r="XFD2"><v>1</v></c></row>`), `row 2 in the column "XFD"`},
		"too many rows": {book(head + strings.Repeat(`<row><c><v>1</v></c></row>`, 4)), "more than 3 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(string(test.file), XLSX, "", Limits{Rows: 3})
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %q", err, test.says)
			}
			checkPlace(t, err)
		})
	}
}

// Workbooks that the gateway writes can be read.
func TestOwnWorkbook(t *testing.T) {
	var file bytes.Buffer
	w := table.NewXLSX(&file, []table.Column{{Name: "cui"}, {Name: "since", Kind: table.Date},
		{Name: "n", Kind: table.Integer}}, table.Info{Title: "x"})
	for i := range 1000 {
		testkit.NoError(t, w.Write([]string{fmt.Sprint(9900000010 + i), "2025-03-31", fmt.Sprint(i)}))
	}

	testkit.NoError(t, w.Close())

	got, err := read(file.String(), XLSX, "", Limits{})
	if err != nil || got.Rows != 1000 || !slices.Equal(got.rows[999], []string{"9900001009", "2025-03-31", "999"}) {
		t.Errorf("%d rows, %v", got.Rows, err)
	}
}
