package jobs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/jobs"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit"
)

// A preview tells what was recognised, without a job, a charge or a stored file. The job recognises the same.
func TestPreview(t *testing.T) {
	o := open(t, jobs.Limits{})
	ids := numbers(6)
	long := strings.Repeat("ș", 70)
	text := "Situația furnizorilor\n\nFurnizor;Nr.;Data facturii\n" + long + ";" + ids[0] + ";31.03.2026\n" +
		"Beta;RO" + ids[0] + ";31.03.2026\nGama;9900000011;31.03.2026\nDelta;–\n"
	rows := ""
	for i := range 20 {
		id := ids[1+i%5]
		text += "Alfa;" + id + ";31.03.2026\n"
		if i < 16 { // with the four above, the first 20
			rows += `,["Alfa","` + id + `","31.03.2026"]`
		}
	}

	order := func() job.Order { return job.Order{File: file(text), Media: upload.CSV, Name: "f.csv"} }
	p := testkit.Must(o.PreviewJob(t.Context(), caller, order()))
	want := `{"total":24,"invalid":1,"blank":1,"creditsReserved":6,"etaSeconds":3,"column":"Nr.",` +
		`"dateColumn":"Data facturii","sheet":null,"headerRow":3,"delimiter":";","sheets":[],` +
		`"columns":["Furnizor","Nr.","Data facturii"],"firstRows":[["` + strings.Repeat("ș", 60) + `…","` + ids[0] +
		`","31.03.2026"],["Beta","RO` + ids[0] + `","31.03.2026"],["Gama","9900000011","31.03.2026"],["Delta","–",""]` +
		rows + `],"rowNumbers":[4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23]}`
	if got := testkit.Must(json.Marshal(p)); string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if all := testkit.Must(o.Jobs(t.Context(), "acc", 10, 0)); len(all) != 0 || o.purse.left != 1_000_000 {
		t.Errorf("the preview left %d jobs and %d credits", len(all), o.purse.left)
	}

	if guest := testkit.Must(o.PreviewJob(t.Context(), account.Caller{}, order())); guest.Total != p.Total {
		t.Errorf("a caller without an account sees %+v", guest)
	}

	j := testkit.Must(o.CreateJob(t.Context(), caller, order()))
	had, has := testkit.Must(json.Marshal(p.Layout)), testkit.Must(json.Marshal(j.Layout))
	if string(had) != string(has) || j.Total != p.Total || j.CreditsReserved != p.CreditsReserved {
		t.Errorf("the preview has %+v, and the job %+v", p, j)
	}
}

// A preview of a workbook names the sheets that can be chosen. The chosen sheet is read.
func TestPreviewOfWorkbook(t *testing.T) {
	o := open(t, jobs.Limits{})
	ids := numbers(3)
	book := workbook(t, map[string][][]any{
		"Facturi": {{"Furnizori"}, {}, {"Furnizor", "CUI"}, {"Alfa", 9900000010}, {"Beta", 9900000029}},
		"Vechi":   {{"CUI", "Data"}, {ids[2], "2026-03-31"}},
	})
	for sheet, want := range map[string]string{"": "Facturi CUI none 3 2", "vechi": "Vechi CUI Data 1 1"} {
		order := job.Order{File: file(book), Media: upload.XLSX, Sheet: sheet}
		p := testkit.Must(o.PreviewJob(t.Context(), caller, order))
		if got := describe(p); got != want {
			t.Errorf("sheet %q: got %s, want %s", sheet, got, want)
		}
		if !slices.Equal(p.Sheets, []string{"Facturi", "Vechi"}) {
			t.Errorf("sheet %q: the sheets are %q", sheet, p.Sheets)
		}
	}
}

// A file in which the table is not recognised is refused with the columns and sheets that can be chosen; a file that
// the job refuses is refused alike.
func TestPreviewRefuses(t *testing.T) {
	o := open(t, jobs.Limits{Limits: upload.Limits{Rows: 2}})
	csv := func(text string) job.Order { return job.Order{File: file(text), Media: upload.CSV} }
	for name, c := range map[string]struct {
		order   job.Order
		choices job.Choices
	}{
		"no column of numbers": {csv("Lista\nNume;Oraș\nAlfa;Cluj\nBeta;Iași\n"),
			job.Choices{Columns: []string{"Nume", "Oraș"}}},
		"two columns of dates": {csv("CUI;Data;Data facturii\n9900000010;2026-03-31;2026-03-30\n"),
			job.Choices{Columns: []string{"CUI", "Data", "Data facturii"}}},
		"no sheet with numbers": {job.Order{Media: upload.XLSX, File: file(workbook(t, map[string][][]any{
			"Una": {{"Nume", "Oraș"}, {"Alfa", "Cluj"}}, "Zero": {{"x"}},
		})), Sheet: "1"}, job.Choices{Sheets: []string{"Una", "Zero"}, Columns: []string{"Nume", "Oraș"}}},
		"no such sheet": {job.Order{Media: upload.XLSX, Sheet: "9", File: file(workbook(t, map[string][][]any{
			"Una": {{"CUI"}, {9900000010}},
		}))}, job.Choices{Sheets: []string{"Una"}}},
		"too many rows": {csv("CUI\n9900000010\n9900000029\n9900000037\n"), job.Choices{}},
	} {
		_, err := o.PreviewJob(t.Context(), caller, c.order)
		p, ok := errors.AsType[*problem.Problem](err)
		if !ok || p.Status() != 400 {
			t.Errorf("%s: got %v", name, err)
			continue
		}

		choices, _ := p.Extensions.(job.Choices)
		if !slices.Equal(choices.Columns, c.choices.Columns) || !slices.Equal(choices.Sheets, c.choices.Sheets) {
			t.Errorf("%s: the choices are %+v, want %+v", name, choices, c.choices)
		}
		if _, other := o.CreateJob(t.Context(), caller, c.order); other == nil || other.Error() != err.Error() {
			t.Errorf("%s: the job says %v, and the preview %v", name, other, err)
		}
	}

	o.purse.left = 1
	_, err := o.PreviewJob(t.Context(), caller, csv("CUI\n9900000010\n9900000029\n"))
	if p, _ := errors.AsType[*problem.Problem](err); p == nil || p.Status() != 402 {
		t.Errorf("with too few credits: %v", err)
	}
}

func describe(p *job.Preview) string {
	date := "none"
	if p.DateColumn != nil {
		date = *p.DateColumn
	}
	return fmt.Sprint(*p.Sheet, " ", p.Column, " ", date, " ", *p.HeaderRow, " ", p.Total)
}

// workbook returns a workbook with these rows in its sheets, which are sorted by name.
func workbook(t *testing.T, sheets map[string][][]any) string {
	t.Helper()
	book := excelize.NewFile()
	for _, name := range slices.Sorted(maps.Keys(sheets)) {
		testkit.Must(book.NewSheet(name))
		for i, cells := range sheets[name] {
			testkit.NoError(t, book.SetSheetRow(name, fmt.Sprintf("A%d", i+1), &cells))
		}
	}

	testkit.NoError(t, book.DeleteSheet("Sheet1"))
	return testkit.Must(book.WriteToBuffer()).String()
}
