package table

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/xuri/excelize/v2"

	"github.com/rodata/rodata/testkit"
)

var (
	everyKind = []Column{{"taxId", Text}, {"name", Text}, {"employees", Integer}, {"turnover", Number},
		{"registered", Date}, {"vatPayer", Flag}}
	someRows = [][]string{
		{"0014399840", "Țesătoria Șoimul SRL", "12", "-12.5", "2026-10-02", "true"},
		{"", "=HYPERLINK(\"http://example.invalid\")", "-3", "", "1899-12-31", "false"},
		{"123", "a \"quoted\", name", "", "0", "", ""},
	}
	anInfo = Info{
		Title: "Invented companies",
		Sources: []Source{{Name: "Trade register", Date: "2026-10-02", Attribution: "Invented Office",
			Licence: "CC BY 4.0"}},
		Notes: []Note{{"question", "q=exemplu"}},
	}
)

// written returns a file with the given rows.
func written(t *testing.T, rows [][]string, open func(io.Writer) Writer) []byte {
	t.Helper()
	var file bytes.Buffer
	w := open(&file)
	for _, row := range rows {
		testkit.NoError(t, w.Write(row))
	}

	testkit.NoError(t, w.Close())

	return file.Bytes()
}

func asCSV(delimiter rune) func(io.Writer) Writer {
	return func(w io.Writer) Writer { return NewCSV(w, everyKind, delimiter) }
}

func asXLSX(w io.Writer) Writer { return NewXLSX(w, everyKind, anInfo) }

func asParquet(w io.Writer) Writer { return NewParquet(w, everyKind, anInfo) }

func TestCSVIsAsSpreadsheetsReadIt(t *testing.T) {
	const rows = "0014399840,Țesătoria Șoimul SRL,12,-12.5,2026-10-02,true\r\n" +
		",\"'=HYPERLINK(\"\"http://example.invalid\"\")\",-3,,1899-12-31,false\r\n" +
		"123,\"a \"\"quoted\"\", name\",,0,,\r\n"
	const header = "taxId,name,employees,turnover,registered,vatPayer\r\n"
	if got := string(written(t, someRows, asCSV(','))); got != header+rows {
		t.Errorf("got\n%s", got)
	}

	got := string(written(t, [][]string{{"1.5", "a;b.c", "", "-12.5", "", ""}}, asCSV(';')))
	if want := "\ufeff" + strings.ReplaceAll(header, ",", ";") + "1.5;\"a;b.c\";;-12,5;;\r\n"; got != want {
		t.Errorf("with a semicolon, got %q, want %q", got, want)
	}
	if got := string(written(t, nil, asCSV(','))); got != header {
		t.Errorf("without rows, got %q", got)
	}
}

func TestCSVHasNoFormulas(t *testing.T) {
	for _, test := range []struct {
		kind        Kind
		cell, wants string
	}{
		{Text, "=1+1", "'=1+1"}, {Text, "+40 264", "+40 264"}, {Text, "@SUM(A1)", "'@SUM(A1)"},
		{Text, "＝1+1", "'＝1+1"}, {Text, "＋1", "'＋1"}, {Text, "－1", "'－1"}, {Text, "＠SUM(A1)", "'＠SUM(A1)"},
		{Text, "ăă=1", "ăă=1"},
		{Text, "-12,50", `"-12,50"`}, {Text, "-12.50", "-12.50"}, {Text, "-5%", "-5%"}, {Text, "-1.234,5", `"-1.234,5"`},
		{Text, "-5-3", "'-5-3"}, {Text, "+5+cmd", "'+5+cmd"}, {Text, "--5", "'--5"}, {Text, "-3e5", "-3e5"},
		{Text, "\tx", "'\tx"}, {Text, "\x00=1", "'\x00=1"}, {Text, "\n=1", "\"'\n=1\""}, {Text, "a\r\nb", "\"a\r\nb\""},
		{Text, `="0012"`, `"=""0012"""`}, {Text, `="=1+1"`, `"'=""=1+1"""`}, {Text, `="a"&B1`, `"'=""a""&B1"`},
		{Text, "5-3", "5-3"}, {Integer, "-5", "-5"}, {Integer, "-5+cmd", "'-5+cmd"},
		{Number, "-5.25", "-5.25"}, {Number, "=5", "'=5"}, {Date, "@x", "'@x"}, {Flag, "=x", "'=x"},
	} {
		got := written(t, [][]string{{test.cell}}, func(w io.Writer) Writer {
			return NewCSV(w, []Column{{"x", test.kind}}, ',')
		})
		if want := "x\r\n" + test.wants + "\r\n"; string(got) != want {
			t.Errorf("kind %d, %q: got %q, want %q", test.kind, test.cell, got, want)
		}
	}
}

func TestXLSXKeepsKinds(t *testing.T) {
	book := testkit.Must(excelize.OpenReader(bytes.NewReader(written(t, someRows, asXLSX))))
	defer book.Close()

	for _, test := range []struct {
		cell, shown, raw string
		kind             excelize.CellType
	}{
		{"A1", "taxId", "taxId", excelize.CellTypeInlineString},
		{"A2", "0014399840", "0014399840", excelize.CellTypeInlineString},
		{"B2", "Țesătoria Șoimul SRL", "Țesătoria Șoimul SRL", excelize.CellTypeInlineString},
		{"C2", "12", "12", excelize.CellTypeUnset},
		{"D2", "-12.5", "-12.5", excelize.CellTypeUnset},
		{"E2", "2026-10-02", "46297", excelize.CellTypeUnset},
		{"F2", "TRUE", "1", excelize.CellTypeBool},
		{"A3", "", "", excelize.CellTypeUnset},
		{"B3", someRows[1][1], someRows[1][1], excelize.CellTypeInlineString},
		{"C3", "-3", "-3", excelize.CellTypeUnset},
		{"E3", "1899-12-31", "1899-12-31", excelize.CellTypeInlineString},
		{"B4", someRows[2][1], someRows[2][1], excelize.CellTypeInlineString},
	} {
		kind, err := book.GetCellType(dataSheet, test.cell)
		shown, errShown := book.GetCellValue(dataSheet, test.cell)
		raw, errRaw := book.GetCellValue(dataSheet, test.cell, excelize.Options{RawCellValue: true})
		testkit.NoError(t, errors.Join(err, errShown, errRaw))
		if shown != test.shown || raw != test.raw || kind != test.kind {
			t.Errorf("%s shows %q, is %q of type %d; want %q, %q, %d", test.cell, shown, raw, kind, test.shown,
				test.raw, test.kind)
		}
		if formula, err := book.GetCellFormula(dataSheet, test.cell); err != nil || formula != "" {
			t.Errorf("%s has the formula %q, %v", test.cell, formula, err)
		}
	}
}

// A cell may have a time, although no column has.
func TestXLSXKeepsTimes(t *testing.T) {
	var file bytes.Buffer
	w := NewXLSX(&file, Texts("at"), Info{})
	testkit.NoError(t, errors.Join(w.Write([]string{"2020-12-05 14:30:00"}, Time), w.Write([]string{"marți"}, Time),
		w.Write([]string{"2500-01-01 06:00:00"}, Time), w.Close()))
	book, err := excelize.OpenReader(&file)
	testkit.NoError(t, err)
	defer book.Close()

	for cell, want := range map[string]string{"A2": "2020-12-05 14:30:00", "A3": "marți", "A4": "2500-01-01 06:00:00"} {
		if shown, err := book.GetCellValue(dataSheet, cell); err != nil || shown != want {
			t.Errorf("%s shows %q, %v, want %q", cell, shown, err, want)
		}
	}
	raw, err := book.GetCellValue(dataSheet, "A2", excelize.Options{RawCellValue: true})
	if err != nil || raw != "44170.6041666667" {
		t.Errorf("A2 is %q, %v", raw, err)
	}
}

func TestXLSXHasAFrozenHeaderAndASheetOfSources(t *testing.T) {
	book := testkit.Must(excelize.OpenReader(bytes.NewReader(written(t, someRows, asXLSX))))
	defer book.Close()

	if sheets := book.GetSheetList(); !slices.Equal(sheets, []string{"data", "info"}) {
		t.Errorf("the sheets are %q", sheets)
	}
	if panes, err := book.GetPanes(dataSheet); err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("the header is not frozen: %+v, %v", panes, err)
	}
	if dimension, err := book.GetSheetDimension(dataSheet); err != nil || dimension != "" {
		t.Errorf("the sheet states the range %q, %v", dimension, err)
	}

	info, err := book.GetRows(infoSheet)
	if want := "[[title Invented companies] [source Trade register] [date 2026-10-02] [attribution Invented Office] " +
		"[licence CC BY 4.0] [question q=exemplu]]"; err != nil || fmt.Sprint(info) != want {
		t.Errorf("the sheet of sources has %v, %v", info, err)
	}
}

func TestXLSXKeepsTexts(t *testing.T) {
	long := strings.Repeat("ș", excelize.TotalCellChars)
	texts := []struct{ name, cell, want string }{
		{"markup", `<b>&amp; "x" 'y'</b>`, `<b>&amp; "x" 'y'</b>`},
		{"spaces", "  a  b  ", "  a  b  "},
		{"lines", "a\nb\r\nc\td", "a\nb\r\nc\td"},
		{"control characters", "a\x00b\x1bc\xff", "a\ufffdb\ufffdc\ufffd"},
		{"an escape of a workbook", "_x0041_", "_x0041_"},
		{"two that share an underscore", "_x0041_x0042_", "_x0041_x0042_"},
		{"the escape of an underscore", "_x005F_x0041_", "_x005F_x0041_"},
		{"no escape", "_x004_ _xyzzy_ __x _x", "_x004_ _xyzzy_ __x _x"},
		{"the longest", long, long},
		{"too long", long + "ț", long},
		{"a surrogate pair at the end", long[2:] + "😀", long[2:]},
	}
	var rows [][]string
	for _, text := range texts {
		rows = append(rows, []string{text.cell})
	}

	file := written(t, rows, func(w io.Writer) Writer { return NewXLSX(w, Texts("text"), Info{}) })
	book := testkit.Must(excelize.OpenReader(bytes.NewReader(file)))
	defer book.Close()

	for i, text := range texts {
		if got, err := book.GetCellValue(dataSheet, fmt.Sprintf("A%d", i+2)); err != nil || got != text.want {
			t.Errorf("%s: got %.40q, want %.40q, %v", text.name, got, text.want, err)
		}
	}
}

func TestXLSXNamesManyColumns(t *testing.T) {
	row := make([]string, 703)
	row[26], row[702] = "AA", "AAA"
	file := written(t, [][]string{row}, func(w io.Writer) Writer { return NewXLSX(w, Texts(row...), Info{}) })
	book := testkit.Must(excelize.OpenReader(bytes.NewReader(file)))
	defer book.Close()

	for _, name := range []string{"AA", "AAA"} {
		if got, err := book.GetCellValue(dataSheet, name+"2"); err != nil || got != name {
			t.Errorf("column %s has %q, %v", name, got, err)
		}
	}
}

// A workbook is written in one pass, without keeping its rows in memory.
func TestXLSXIsWrittenInOnePass(t *testing.T) {
	var file bytes.Buffer
	w := NewXLSX(&file, Texts("text"), Info{})
	begun := file.Len()
	for i := range 20_000 {
		testkit.NoError(t, w.Write([]string{fmt.Sprintf("%x", sha256.Sum256(binary.AppendVarint(nil, int64(i))))}))
	}

	before := file.Len() - begun
	testkit.NoError(t, w.Close())
	if kept := file.Len() - begun - before; before < 512<<10 || kept > 128<<10 {
		t.Errorf("%d bytes were written with the rows, and %d at the end", before, kept)
	}
}

func TestXLSXHasNoSheetTooLarge(t *testing.T) {
	x := NewXLSX(io.Discard, Texts("a"), Info{}).(*xlsxWriter)
	x.size = math.MaxUint32 - 10
	if err := x.Write([]string{"1"}); !errors.Is(err, errTooLarge) {
		t.Errorf("the error is %v", err)
	}
}

func TestXLSXHasNoRowTooMany(t *testing.T) {
	x := NewXLSX(io.Discard, Texts("a"), Info{}).(*xlsxWriter)
	x.rows = MaxXLSXRows
	if err := x.Write([]string{"1"}); !errors.Is(err, ErrTooManyRows) {
		t.Errorf("the error is %v", err)
	}
	if err := x.Close(); !errors.Is(err, ErrTooManyRows) {
		t.Errorf("closing: the error is %v", err)
	}
}

func TestLongWholeNumbersStayExact(t *testing.T) {
	const long = "9007199254740993" // the nearest float is another number
	file := written(t, [][]string{{long}}, func(w io.Writer) Writer {
		return NewXLSX(w, []Column{{"n", Integer}}, Info{})
	})
	book := testkit.Must(excelize.OpenReader(bytes.NewReader(file)))
	defer book.Close()

	if got, err := book.GetCellValue(dataSheet, "A2"); err != nil || got != long {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestParquetKeepsRows(t *testing.T) {
	file := written(t, someRows, asParquet)
	p := testkit.Must(OpenParquet(bytes.NewReader(file), int64(len(file))))
	defer p.Close()

	if !slices.Equal(p.Columns(), everyKind) || p.Len() != int64(len(someRows)) {
		t.Errorf("there are %d rows of %v", p.Len(), p.Columns())
	}
	if got := p.Note("attribution"); got != "Invented Office" {
		t.Errorf("the attribution is %q", got)
	}

	for _, want := range someRows {
		if got, err := p.Read(); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}

	if _, err := p.Read(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last row: %v", err)
	}
}

func TestParquetWithoutRows(t *testing.T) {
	file := written(t, nil, asParquet)
	p := testkit.Must(OpenParquet(bytes.NewReader(file), int64(len(file))))
	defer p.Close()

	if _, err := p.Read(); !errors.Is(err, io.EOF) || p.Len() != 0 || !slices.Equal(p.Columns(), everyKind) {
		t.Errorf("%d rows of %v, %v", p.Len(), p.Columns(), err)
	}
}

func TestParquetHasRowGroups(t *testing.T) {
	const rows = 2*rowsPerGroup + 7
	var file bytes.Buffer
	w := NewParquet(&file, everyKind, anInfo)
	for i := range rows {
		n := fmt.Sprint(i)
		testkit.NoError(t, w.Write([]string{n, "Firma " + n, n, "", "2026-10-02", "true"}))
	}

	testkit.NoError(t, w.Close())

	p := testkit.Must(OpenParquet(bytes.NewReader(file.Bytes()), int64(file.Len())))
	defer p.Close()

	var groups []int64
	for _, group := range p.file.RowGroups() {
		groups = append(groups, group.NumRows())
	}
	if !slices.Equal(groups, []int64{rowsPerGroup, rowsPerGroup, 7}) {
		t.Errorf("the row groups have %d rows", groups)
	}

	for i := range rows {
		if got, err := p.Read(); err != nil || got[0] != fmt.Sprint(i) || got[2] != got[0] {
			t.Fatalf("row %d is %q, %v", i, got, err)
		}
	}
}

func TestRowsMustFit(t *testing.T) {
	for name, open := range map[string]func(io.Writer) Writer{"CSV": asCSV(','), "XLSX": asXLSX, "Parquet": asParquet} {
		w := open(io.Discard)
		if err := w.Write([]string{"1"}); err == nil ||
			err.Error() != "a row has 1 cells, and the table has 6 columns" {
			t.Errorf("%s: the error is %v", name, err)
		}

		_ = w.Close()
	}

	w := asParquet(io.Discard)
	if err := w.Write([]string{"1", "a", "many", "", "", ""}); err == nil ||
		!strings.HasPrefix(err.Error(), "column employees: ") {
		t.Errorf("a text in a column of numbers: %v", err)
	}
}

// All servers write the same bytes for the same rows, because the entity tag of a file is its hash.
func TestFilesAreReproducible(t *testing.T) {
	for name, open := range map[string]func(io.Writer) Writer{"CSV": asCSV(','), "XLSX": asXLSX, "Parquet": asParquet} {
		if !bytes.Equal(written(t, someRows, open), written(t, someRows, open)) {
			t.Errorf("%s differs", name)
		}
	}
}

func TestCompressionIsUndone(t *testing.T) {
	var file bytes.Buffer
	w := testkit.Must(Compress(&file, anInfo))
	text := strings.Repeat("Țesătoria Șoimul SRL\r\n", 10_000)
	testkit.Must(io.WriteString(w, text))
	testkit.NoError(t, w.Close())
	if file.Len() > len(text)/100 {
		t.Errorf("%d bytes became %d", len(text), file.Len())
	}

	r := testkit.Must(Decompress(&file))
	defer r.Close()

	if got, err := io.ReadAll(r); err != nil || string(got) != text {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

// A compressed file names its sources in a frame that decompressors skip. Decompressors that stop after the first
// frame get the whole text.
func TestCompressedFileNamesItsSources(t *testing.T) {
	info := Info{Title: "Companies", Sources: []Source{{Name: "Registrul Comerțului", Address: "https://data.gov.ro",
		Date: "2026-10-02", Attribution: "ONRC", Licence: "CC BY 4.0"}}}
	var file bytes.Buffer
	w := testkit.Must(Compress(&file, info))
	const text = "name\r\nEXEMPLU SRL\r\n"
	testkit.Must(io.WriteString(w, text))
	testkit.NoError(t, w.Close())

	var frame zstd.Header
	if err := frame.Decode(file.Bytes()); err != nil || frame.Skippable {
		t.Errorf("the file begins with %+v, %v, want the text", frame, err)
	}

	at := bytes.LastIndex(file.Bytes(), []byte("\x50\x2a\x4d\x18"))
	if at < 0 {
		t.Fatal("there is no skippable frame")
	}

	facts, err := frame.DecodeAndStrip(file.Bytes()[at:])
	const want = "\ntitle: Companies\nsource: Registrul Comerțului\naddress: https://data.gov.ro\ndate: 2026-10-02\n" +
		"attribution: ONRC\nlicence: CC BY 4.0\n"
	if err != nil || !frame.Skippable || int(frame.SkippableSize) != len(facts) || string(facts) != want {
		t.Errorf("the frame is %+v with %q, %v, want %q", frame, facts, err, want)
	}

	r := testkit.Must(Decompress(&file))
	defer r.Close()

	if got, err := io.ReadAll(r); err != nil || string(got) != text {
		t.Errorf("decompressed it is %q, %v", got, err)
	}
}

func BenchmarkXLSX(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		w := NewXLSX(io.Discard, everyKind, anInfo)
		for range 10_000 {
			testkit.NoError(b, w.Write(someRows[0]))
		}

		testkit.NoError(b, w.Close())
	}
}

// The elements of the properties have the prefixes that Excel writes, because some programs compare names and not
// namespaces.
func TestPropertiesOfAWorkbook(t *testing.T) {
	file := written(t, nil, func(w io.Writer) Writer { return NewXLSX(w, everyKind, Info{Title: "A & B"}) })
	archive := testkit.Must(zip.NewReader(bytes.NewReader(file), int64(len(file))))
	part := testkit.Must(archive.Open("docProps/core.xml"))
	text, err := io.ReadAll(part)
	if names := regexp.MustCompile(`<[a-z]+(:[A-Za-z]+)?`).FindAllString(string(text), -1); err != nil ||
		!slices.Equal(names, []string{"<cp:coreProperties", "<dc:title", "<dc:creator"}) {
		t.Errorf("the elements are %q, %v", names, err)
	}
	if !bytes.Contains(text, []byte("<dc:title>A &amp; B</dc:title>")) {
		t.Errorf("got %s", text)
	}
}
