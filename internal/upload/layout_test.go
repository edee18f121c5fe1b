package upload

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit"
)

// The table in a file is found by its content, as people and accounting programs write it.
func TestTableIsFound(t *testing.T) {
	const two = "9900000010;05.12.2020\n9900000100;06.12.2020\n"
	for name, test := range map[string]struct {
		file    string
		options Options
		want    Table
		first   []string
	}{
		"titles above the header": {"Lista furnizorilor\nla 31.03.2026\n\nNr;Denumire;CUI\n1;A;9900000010\n2;B;9900000100\n",
			Options{}, Table{Columns: []string{"Nr", "Denumire", "CUI"}, ID: 2, Date: -1, Header: 4, Rows: 2},
			[]string{"1", "A", "9900000010"}},
		"padded titles with the company's own number": {"Firma;EXEMPLU SRL;\nCUI;9900000029;\nNr;Denumire;CUI\n1;A;9900000010\n" +
			"2;B;9900000100\n",
			Options{}, Table{Columns: []string{"Nr", "Denumire", "CUI"}, ID: 2, Date: -1, Header: 3, Rows: 2},
			[]string{"1", "A", "9900000010"}},
		"commas in a header": {"Denumire (nume, prenume, formă);CUI\nALFA;9900000010\n", Options{},
			Table{Columns: []string{"Denumire (nume, prenume, formă)", "CUI"}, ID: 1, Date: -1, Header: 1, Rows: 1},
			[]string{"ALFA", "9900000010"}},
		"commas in addresses, no header": {"ALFA;9900000010;Str. A, 1, Cluj, RO\nBETA;9900000100;Str. B, 2, Iași, RO\n",
			Options{},
			Table{Columns: []string{"column 1", "taxId", "column 3"}, ID: 1, Date: -1, Rows: 2},
			[]string{"ALFA", "9900000010", "Str. A, 1, Cluj, RO"}},
		"decimal commas": {"cui;a;b\n9900000010;1,5;2,5\n9900000100;1,5;2,5\n", Options{},
			Table{Columns: []string{"cui", "a", "b"}, ID: 0, Date: -1, Header: 1, Rows: 2},
			[]string{"9900000010", "1,5", "2,5"}},
		"a column by its check digits": {"Denumire;Număr partener;Sold\nA;9900000010;12\nB;12;14\nC;9900000100;15\n",
			Options{},
			Table{Columns: []string{"Denumire", "Număr partener", "Sold"}, ID: 1, Date: -1, Header: 1, Rows: 3},
			[]string{"A", "9900000010", "12"}},
		"a first number that is mistyped": {"x;y\nA;123\nB;9900000010\nC;9900000100\n", Options{},
			Table{Columns: []string{"x", "y"}, ID: 1, Date: -1, Header: 1, Rows: 3}, []string{"A", "123"}},
		"a result that is uploaded again": {"CUI,status,taxId\n9900000010,200,9900000010\n99,400,\nJ40/1/1991,200,9900000100\n",
			Options{}, Table{Columns: []string{"CUI", "status", "taxId"}, ID: 0, Date: -1, Header: 1, Rows: 3},
			[]string{"9900000010", "200", "9900000010"}},
		"one of two columns with numbers": {"cui,cif\n1,9900000010\n2,9900000100\n", Options{},
			Table{Columns: []string{"cui", "cif"}, ID: 1, Date: -1, Header: 1, Rows: 2}, []string{"1", "9900000010"}},
		"invoice days": {"CUI;Data facturii\n" + two, Options{},
			Table{Columns: []string{"CUI", "Data facturii"}, ID: 0, Date: 1, Header: 1, Rows: 2},
			[]string{"9900000010", "05.12.2020"}},
		"days of a column that is chosen": {"CUI;Scadența\n" + two, Options{DateColumn: "scadenta"},
			Table{Columns: []string{"CUI", "Scadența"}, ID: 0, Date: 1, Header: 1, Rows: 2},
			[]string{"9900000010", "05.12.2020"}},
		"days of a column that is chosen by number": {"CUI;Scadența\n" + two, Options{DateColumn: "2"},
			Table{Columns: []string{"CUI", "Scadența"}, ID: 0, Date: 1, Header: 1, Rows: 2},
			[]string{"9900000010", "05.12.2020"}},
		"days of operations": {"CUI;Data operațiunii\n" + two, Options{},
			Table{Columns: []string{"CUI", "Data operațiunii"}, ID: 0, Date: 1, Header: 1, Rows: 2},
			[]string{"9900000010", "05.12.2020"}},
		"invoice days beside days of delivery": {"CUI;Data livrării;Data facturii\n9900000010;04.12.2020;05.12.2020\n", Options{},
			Table{Columns: []string{"CUI", "Data livrării", "Data facturii"}, ID: 0, Date: 2, Header: 1, Rows: 1},
			[]string{"9900000010", "04.12.2020", "05.12.2020"}},
		"no days of delivery": {"CUI;Data livrării\n9900000010;urgent\n", Options{},
			Table{Columns: []string{"CUI", "Data livrării"}, ID: 0, Date: -1, Header: 1, Rows: 1},
			[]string{"9900000010", "urgent"}},
		"no days": {"CUI;Data\n9900000010;marți\n", Options{DateColumn: "none"},
			Table{Columns: []string{"CUI", "Data"}, ID: 0, Date: -1, Header: 1, Rows: 1},
			[]string{"9900000010", "marți"}},
		"empty days": {"CUI;Data\n9900000010;\n", Options{},
			Table{Columns: []string{"CUI", "Data"}, ID: 0, Date: 1, Header: 1, Rows: 1}, []string{"9900000010"}},
		"an id that is chosen below titles": {"Listă\nNr;A;B\n1;9900000010;9900000029\n2;9900000100;9900000037\n",
			Options{Column: "3"},
			Table{Columns: []string{"Nr", "A", "B"}, ID: 2, Date: -1, Header: 2, Rows: 2},
			[]string{"1", "9900000010", "9900000029"}},
		"a number that a cell has, too": {"Listă\nNr;A;B\n1;9900000010;9900000029\n2;9900000100;9900000037\n",
			Options{Column: "2"},
			Table{Columns: []string{"Nr", "A", "B"}, ID: 1, Date: -1, Header: 2, Rows: 2},
			[]string{"1", "9900000010", "9900000029"}},
		"references": {"cod partener;cui\nP-1;9900000010\n", Options{},
			Table{Columns: []string{"cod partener", "cui"}, ID: 1, Date: -1, Header: 1, Rows: 1},
			[]string{"P-1", "9900000010"}},
	} {
		t.Run(name, func(t *testing.T) {
			test.options.Media = CSV
			got := testkit.Must(readWith(test.file, test.options))
			if want := test.want; !slices.Equal(got.Columns, want.Columns) || got.ID != want.ID ||
				got.Date != want.Date ||
				got.Header != want.Header || got.Rows != want.Rows || !slices.Equal(got.rows[0], test.first) {
				t.Errorf("got %+v\n%q, want %+v", got.Table, got.rows, want)
			}
		})
	}
}

// A choice that would change the answers is never made silently.
func TestUnclearTables(t *testing.T) {
	for name, test := range map[string]struct {
		file      string
		options   Options
		parameter string
		says      string
	}{
		"days that are none": {"CUI;Data facturii\n9900000010;marți\n9900000100;miercuri\n", Options{}, "file",
			`the column "Data facturii" has the name of a day, but row 2 has "marți" there`},
		"two columns of days": {"CUI;Data;Data facturii\n9900000010;2026-01-01;2026-02-01\n", Options{}, "file",
			"?dateColumn=Data"},
		"chosen days that are none": {"CUI;x\n9900000010;1\n", Options{DateColumn: "x"}, "file", `row 2 has "1" there`},
		"no such column of days":    {"CUI;x\n9900000010;1\n", Options{DateColumn: "y"}, "dateColumn", "no such"},
		"no such column below a title": {"Listă;;\nNr;Cod fiscal;Sumă\n1;9900000010;5\n", Options{Column: "Cod"}, "column",
			`it has "Nr", "Cod fiscal", "Sumă"`},
		"two columns of ids": {"a;b\n9900000010;9900000029\n9900000100;9900000037\n", Options{}, "file",
			`"a" and "b" both look like tax ids`},
		"a sheet of a text": {"CUI\n9900000010\n", Options{Sheet: "a"}, "sheet", "not a workbook"},
	} {
		t.Run(name, func(t *testing.T) {
			test.options.Media = CSV
			_, err := readWith(test.file, test.options)
			refused, ok := errors.AsType[*problem.Problem](err)
			if !ok || !strings.Contains(refused.Detail, test.says) || refused.Errors[0].Parameter != test.parameter {
				t.Errorf("got %v, want %s: %q", err, test.parameter, test.says)
			}
			checkPlace(t, err)
		})
	}
}

// Objects may lack members; a column of days is found wherever its first member is.
func TestDaysOfObjects(t *testing.T) {
	late := strings.Repeat("{\"cui\":9900000010}\n", sampleRows+1) + `{"cui":9900000100,"Data facturii":"2026-01-02"}`
	got, err := read(late, NDJSON, "", Limits{})
	if err != nil || got.Date != 1 || !slices.Equal(got.rows[sampleRows+1], []string{"9900000100", "2026-01-02"}) {
		t.Errorf("%+v, %v", got.Table, err)
	}

	_, err = read(`[{"cui":9900000010,"data":"marți"}]`, JSON, "", Limits{})
	if err == nil || !strings.Contains(err.Error(), "has the name of a day") {
		t.Errorf("days that are none: %v", err)
	}
}

// Cells are passed on as they were sent, whatever program wrote them.
func TestCellsStayAsTheyWere(t *testing.T) {
	dos := testkit.Must(charmap.CodePage852.NewEncoder().String("cui;oraş\n9900000010;TÂRGU MUREŞ, str. Ţepeş şi Băii\n"))
	for name, test := range map[string]struct{ file, want string }{
		"line breaks in cells":             {"cui,x\n9900000010,\"a\nb\r\nc\"\r\n", "a\nb\r\nc"},
		"CR alone":                         {"cui,x\r9900000010,a\r", "a"},
		"CR in a cell":                     {"cui,x\n9900000010,a\rb\n", "a\rb"},
		"spaces before quotation marks":    {"\"cui\", \"x\"\n\"9900000010\", \"a, b\" \n", "a, b"},
		"spaces without quotation marks":   {"cui,x\n9900000010, a \n", " a "},
		"zeros that a formula keeps":       {"cui;x\n=\"9900000010\";=\"007\"\n", `="007"`},
		"one bad byte in UTF-8":            {"cui,x\n9900000010,\xFFșțăî\n", "\uFFFDșțăî"},
		"CP852":                            {dos, "TÂRGU MUREŞ, str. Ţepeş şi Băii"},
		"quotation marks that are doubled": {"cui,x\n9900000010,\"a\"\"b\"\n", `a"b`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(test.file, CSV, "", Limits{})
			if err != nil || len(got.rows) != 1 || got.rows[0][1] != test.want {
				t.Errorf("got %q, %v, want %q", got.rows, err, test.want)
			}
		})
	}
}

// sheets returns a workbook with two visible sheets and a hidden one.
func sheets(first, second, hidden string) string {
	return string(archive(map[string]string{
		"xl/workbook.xml": workbookHead + `<sheets><sheet name="Copertă" r:id="r1"/><sheet name="Furnizori" r:id="r2"/>` +
			`<sheet name="Vechi" state="hidden" r:id="r3"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/a.xml"/>` +
			`<Relationship Id="r2" Target="worksheets/b.xml"/><Relationship Id="r3" Target="worksheets/c.xml"/></Relationships>`,
		"xl/styles.xml":       styles,
		"xl/worksheets/a.xml": "<worksheet><sheetData>" + first + "</sheetData></worksheet>",
		"xl/worksheets/b.xml": "<worksheet><sheetData>" + second + "</sheetData></worksheet>",
		"xl/worksheets/c.xml": "<worksheet><sheetData>" + hidden + "</sheetData></worksheet>",
	}))
}

// texts returns a row of a sheet.
func sheetRow(cells ...string) string {
	for i, cell := range cells {
		cells[i] = `<c t="inlineStr"><is><t>` + cell + `</t></is></c>`
	}
	return "<row>" + strings.Join(cells, "") + "</row>"
}

// The sheet with the table is found, also below titles, unless the caller chooses one.
func TestSheets(t *testing.T) {
	file := sheets(sheetRow("Situația furnizorilor")+sheetRow("întocmită de", "X"),
		sheetRow("Lista")+sheetRow("Nr", "CUI")+sheetRow("1", "9900000010", "notă"),
		sheetRow("cui")+sheetRow("9900000100"))
	got, err := readWith(file, Options{Media: XLSX})
	if err != nil || got.Sheet != "Furnizori" || got.Header != 2 || got.ID != 1 ||
		!slices.Equal(got.rows[0], []string{"1", "9900000010", "notă"}) ||
		!slices.Equal(got.Columns, []string{"Nr", "CUI", "column 3"}) {
		t.Errorf("%+v %q, %v", got.Table, got.rows, err)
	}

	for _, choice := range []string{"vechi", "3"} {
		got, err := readWith(file, Options{Media: XLSX, Sheet: choice})
		if err != nil || got.Sheet != "Vechi" || got.rows[0][0] != "9900000100" {
			t.Errorf("sheet %s: %+v, %v", choice, got.Table, err)
		}
	}

	if _, err := readWith(file, Options{Media: XLSX, Sheet: "4"}); err == nil ||
		!strings.Contains(err.Error(), `"Copertă", "Furnizori", "Vechi"`) {
		t.Errorf("no such sheet: %v", err)
	}
	if _, err := readWith(sheets(sheetRow("a", "b"), sheetRow("c", "d"), ""), Options{Media: XLSX}); err == nil ||
		!strings.Contains(err.Error(), `"a", "b"`) {
		t.Errorf("no table: %v", err)
	}
}

// Of several sheets that may have the table, the one with the most tax ids is chosen.
func TestSheetWithMostTaxIDs(t *testing.T) {
	list := sheetRow("Nr", "CUI") + sheetRow("1", "9900000010") + sheetRow("2", "9900000100")
	for name, cover := range map[string]string{
		"one column of text":         sheetRow("Instrucțiuni") + sheetRow("Completați foaia Furnizori"),
		"the company's own number":   sheetRow("CUI") + sheetRow("9900000029"),
		"a label that names tax ids": sheetRow("Firma", "EXEMPLU SRL") + sheetRow("CUI", "9900000029"),
		"a cell far to the right":    `<row r="1"><c r="XFD1"><v>1</v></c></row>`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readWith(sheets(cover, list, ""), Options{Media: XLSX})
			if err != nil || got.Sheet != "Furnizori" || got.Header != 1 || got.ID != 1 || got.Rows != 2 {
				t.Errorf("%+v %q, %v", got.Table, got.rows, err)
			}
			got, err = readWith(sheets(list, cover, ""), Options{Media: XLSX})
			if err != nil || got.Sheet != "Copertă" || got.Rows != 2 {
				t.Errorf("as the second sheet: %+v %q, %v", got.Table, got.rows, err)
			}
		})
	}
}

// A problem with the sheet of the list is not hidden by a cover sheet, and none is reported of the cover sheet.
func TestProblemOfTheSheetWithTaxIDs(t *testing.T) {
	list := sheetRow("Nr", "CUI", "Data facturii") + sheetRow("1", "9900000010", "marți") +
		sheetRow("2", "9900000100", "joi")
	for name, cover := range map[string]string{
		"a text":           sheetRow("Raport") + sheetRow("a", "b"),
		"its own tax id":   sheetRow("CUI") + sheetRow("9900000029"),
		"an empty sheet":   "",
		"tables of others": sheetRow("Produs", "Cod") + sheetRow("a", "12345") + sheetRow("b", "9900000029"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, test := range []struct {
				options Options
				says    string
			}{
				{Options{}, `row 2 has "marți"`},
				{Options{Column: "Foo", DateColumn: "none"}, `it has "Nr", "CUI", "Data facturii"`},
			} {
				test.options.Media = XLSX
				if _, err := readWith(sheets(cover, list, ""), test.options); err == nil ||
					!strings.Contains(err.Error(), test.says) {
					t.Errorf("got %v, want %s", err, test.says)
				}
			}
		})
	}
}

// The types of columns, by which results are written, are those of all their cells.
func TestKindsOfColumns(t *testing.T) {
	got, err := read(string(book(`<row><c t="inlineStr"><is><t>cui</t></is></c><c t="inlineStr"><is><t>x_x000D_</t></is></c>`+
		`<c/><c/><c/></row><row><c><v>9900000010</v></c><c s="1"><v>45747</v></c><c t="b"><v>1</v></c><c><v>1</v></c>`+
		`<c t="inlineStr"><is><t>a_x000D_b_x005F_x000D_</t></is></c></row>`+
		`<row><c><v>9900000010</v></c><c/><c t="b"><v>0</v></c><c s="1"><v>45747</v></c><c/></row>`)), XLSX, "", Limits{})
	want := []table.Kind{table.Integer, table.Date, table.Flag, table.Text, table.Text}
	if err != nil || !slices.Equal(got.Kinds, want) || got.rows[0][4] != "a\rb_x000D_" {
		t.Errorf("%v %q, %v, want %v", got.Kinds, got.rows, err, want)
	}
}
