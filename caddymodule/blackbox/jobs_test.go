package blackbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	companyapi "github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

// job is the state of a job.
type job struct {
	ID, Name, Status               string
	Total, Done, Found, NotFound   int
	Invalid, Failed                int
	CreditsReserved, CreditsCost   int
	Column, CompletedAt, ExpiresAt string
}

func (a answer) job(t *testing.T) (j job) {
	t.Helper()
	if err := json.Unmarshal(a.body, &j); err != nil || j.ID == "" {
		t.Fatalf("got %d %s", a.StatusCode, a.body)
	}
	return j
}

func (w *wallet) upload(t *testing.T, g *gateway, query, media, body string, more ...string) answer {
	t.Helper()
	header := map[string]string{"X-Api-Key": w.key, "Content-Type": media, "Prefer": "wait=30"}
	for i := 0; i+1 < len(more); i += 2 {
		header[more[i]] = more[i+1]
	}

	return g.do(t, "POST", "/v1/jobs"+query, request{header: header, body: body})
}

// ended waits until a job has ended.
func (w *wallet) ended(t *testing.T, g *gateway, a answer) job {
	t.Helper()
	j := a.job(t)
	for deadline := time.Now().Add(time.Minute); j.Status == "queued" || j.Status == "running"; {
		if time.Now().After(deadline) {
			t.Fatalf("%+v has not ended", j)
		}
		j = w.get(t, g, "/v1/jobs/"+j.ID).job(t)
	}

	return j
}

// A field has the same type and value in JSON, in the Parquet file of a job, and in that of a release.
func TestParquetHasTheTypesOfJSON(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 10), withTradeRegister(t))
	g.loaded(t)
	names := []string{"taxId", "registrationDate", "mainNaceCode", "seat.sirutaCode", "seat.postalCode", "vatPayer"}
	j := w.ended(t, g, w.upload(t, g, "?fields="+strings.Join(names, ","), "text/csv", "cui\n9900000010\n"))
	result := "/v1/jobs/" + j.ID + "/result?format="
	ofJob := rowOf(t, w.get(t, g, result+"parquet").body, 9900000010)
	ofRelease := rowOf(t, g.get(t, "/v1/releases/latest/companies.parquet").body, 9900000010)

	var line struct{ Company, Seat map[string]json.RawMessage }
	testkit.NoError(t, json.Unmarshal(w.get(t, g, result+"ndjson").body, &line))
	testkit.NoError(t, json.Unmarshal(line.Company["seat"], &line.Seat))
	for _, name := range names {
		short := strings.TrimPrefix(name, "seat.")
		want := cmp.Or(string(line.Company[name]), string(line.Seat[short]))
		if got := ofJob[name]; got != want {
			t.Errorf("%s is %s in the job's file, and %s in JSON", name, got, want)
		}
		if got := ofRelease[short]; got != want && name != "vatPayer" { // which the trade register does not know
			t.Errorf("%s is %s in the release's file, and %s in JSON", short, got, want)
		}
	}
}

// A job with the view of verdicts has the outcome and the ids of rules for the date of each row, in every format.
func TestJobWithVerdicts(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 10), withTradeRegister(t))
	g.loaded(t)
	dissolved := invented.CUI(5)
	file := fmt.Sprintf("cui,data\n%d,2022-02-23\n%[1]d,2022-02-24\n", dissolved)
	j := w.ended(t, g, w.upload(t, g, "?view=verdict", "text/csv", file))
	result := "/v1/jobs/" + j.ID + "/result?format="

	rows := string(w.get(t, g, result+"csv").body)
	for _, want := range []string{"cui,data,status,problem,asOf,taxId,name,verdict.outcome,verdict.failed,verdict.unknown",
		`,stop,"[""not_inactive""]",[]`, `,stop,"[""not_inactive"",""in_operation""]",[]`} {
		if !strings.Contains(rows, want) {
			t.Errorf("there is no %s in %s", want, rows)
		}
	}

	lines := string(w.get(t, g, result+"ndjson").body)
	want := `"verdict":{"outcome":"stop","failed":["not_inactive","in_operation"],"unknown":[],` +
		`"reasons":["inactive","dissolved"]}`
	if !strings.Contains(lines, want) {
		t.Errorf("there is no %s in %s", want, lines)
	}

	first := rowOf(t, w.get(t, g, result+"parquet").body, int(dissolved))
	if first["verdict.failed"] != `"[\"not_inactive\"]"` {
		t.Errorf("in Parquet: %v", first)
	}
	workbook := w.get(t, g, result+"xlsx").body
	var second []string
	_, err := companyapi.ReadTable(t.Context(), io.NewSectionReader(bytes.NewReader(workbook), 0, int64(len(workbook))),
		upload.Options{Media: upload.XLSX, Column: "cui"}, func(_ *upload.Table, row *upload.Row) error {
			second = slices.Clone(row.Cells)
			return nil
		})
	if n := len(second); err != nil || n < 4 || !slices.Equal(second[n-4:],
		[]string{"stop", `["not_inactive","in_operation"]`, "[]", `["inactive","dissolved"]`}) {
		t.Errorf("in XLSX the second row is %q, %v", second, err)
	}

	if n := w.used(t, g); n != 2 {
		t.Errorf("the job cost %d credits, not 2", n)
	}
}

// rowOf returns the row of a company in a Parquet file: the values of the columns as JSON.
func rowOf(t *testing.T, file []byte, company int) map[string]string {
	t.Helper()
	parquet := testkit.Must(table.OpenParquet(bytes.NewReader(file), int64(len(file))))
	defer parquet.Close()
	for {
		cells, values := testkit.Must(parquet.Read()), make(map[string]string)
		for i, column := range parquet.Columns() {
			values[column.Name] = cells[i]
			if column.Kind == table.Text || column.Kind == table.Date {
				values[column.Name] = strconv.Quote(cells[i])
			}
		}

		if values["taxId"] == strconv.Itoa(company) {
			return values
		}
	}
}
