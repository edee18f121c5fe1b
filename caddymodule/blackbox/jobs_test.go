package blackbox

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit/standin"
)

// A list is answered for the days of its invoices, whatever the layout of its table and whatever its program calls CSV,
// and its cells are returned unchanged.
func TestListAsAccountantsHaveIt(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 100))
	id := numbers(t, 1)[0]
	file := "Lista facturilor;;\n\nNr;CUI furnizor;Data facturii;Note\n" +
		"1;RO" + id + ";05.12.2020;\"a\nb\"\n2;" + id + ".0;2021-01-31 00:00:00;\"c\r\nd\"\n"
	for _, media := range []string{"text/plain", "application/vnd.ms-excel", "text/csv"} {
		created := w.upload(t, g, "?fields=taxId", media, file)
		if created.StatusCode >= 300 {
			t.Fatalf("%s: %d %s", media, created.StatusCode, created.body)
		}

		for name, want := range map[string]any{"column": "CUI furnizor", "dateColumn": "Data facturii", "sheet": nil,
			"headerRow": 3.0, "delimiter": ";"} {
			if got := created.object(t)[name]; got != want {
				t.Errorf("%s: %s is %v, want %v", media, name, got, want)
			}
		}

		j := w.ended(t, g, created)
		rows := w.get(t, g, "/v1/jobs/"+j.ID+"/result?format=ndjson")
		for _, part := range []string{`"date":"2020-12-05"`, `"date":"2021-01-31"`, `"a\nb"`, `"c\r\nd"`, `"RO` + id + `"`} {
			if !strings.Contains(string(rows.body), part) {
				t.Errorf("%s: the result has no %s: %s", media, part, rows.body)
			}
		}

		table := w.get(t, g, "/v1/jobs/"+j.ID+"/result")
		if text := string(table.body); !strings.Contains(text, "\"a\nb\"") || !strings.Contains(text, "\"c\r\nd\"") {
			t.Errorf("%s: line breaks are changed: %q", media, text)
		}
	}

	w.upload(t, g, "", "text/csv", "CUI;Data facturii\n"+id+";marți\n").problem(t, http.StatusBadRequest,
		"invalid-request")
}

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

// A result has the registers' data about the file's companies, each charged once, in every format.
func TestJob(t *testing.T) {
	var w, other wallet
	g := start(t, paying(t, &w, 100), paying(t, &other, 100))
	ids := numbers(t, 12)
	var file strings.Builder
	file.WriteString("Furnizor;C.U.I.;Suma\n")
	for i, id := range ids {
		fmt.Fprintf(&file, "A%d;RO%s;-1\n", i, id)
	}

	fmt.Fprintf(&file, "again;%s;=1+1\nunknown;%s;\nwrong;123;\n", ids[0], standin.NumberUnknown)

	created := w.upload(t, g, "?fields=taxId,name,seat.city", "text/csv", file.String())
	j := w.ended(t, g, created)
	if created.Header.Get("Location") != "/v1/jobs/"+j.ID || j.Status != "completed" || j.Column != "C.U.I." ||
		j.Total != 15 || j.Done != 15 ||
		j.Found != 13 || j.NotFound != 1 || j.Invalid != 1 || j.CreditsCost != 12 || j.CreditsReserved != 0 ||
		j.ExpiresAt <= j.CompletedAt {
		t.Errorf("got %+v, at %s", j, created.Header.Get("Location"))
	}

	if used := w.used(t, g); used != 12 {
		t.Errorf("%d credits are used, want 12", used)
	}

	end := `"job":{"id":"` + j.ID + `","status":"completed","total":15,"found":13,"creditsCost":12}`
	for deadline := time.Now().Add(time.Minute); ; {
		events := w.get(t, g, "/v1/events?type=job.completed")
		if strings.Contains(string(events.body), end) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the event is missing: %s", events.body)
		}
	}

	path := "/v1/jobs/" + j.ID + "/result"
	// A compressed file has a different tag, and no ranges.
	table := g.do(t, "GET", path, request{header: map[string]string{"X-Api-Key": w.key, "Accept-Encoding": "identity"}})
	read := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(table.body, []byte("\ufeff"))))
	read.Comma = ';'
	rows, err := read.ReadAll()
	if err != nil || len(rows) != 16 || !slices.Equal(rows[0],
		[]string{"Furnizor", "C.U.I.", "Suma", "status", "problem", "asOf", "taxId", "name", "seat.city"}) {
		t.Fatalf("%v, %q", err, table.body)
	}
	if row := rows[13]; row[0] != "again" || row[2] != "'=1+1" || row[3] != "200" || row[6] != ids[0] || row[7] == "" {
		t.Errorf("got %q", row)
	}
	if rows[14][3] != "404" || rows[15][3] != "400" || rows[15][4] == "" {
		t.Errorf("got %q", rows[14:])
	}

	for format, begins := range map[string]string{"xlsx": "PK\x03\x04", "parquet": "PAR1",
		"ndjson": `{"index":0,"input":{"Furnizor":"A0",`, "csv": "\ufeffFurnizor;"} {
		if a := w.get(t, g, path+"?format="+format); a.StatusCode != 200 || !bytes.HasPrefix(a.body, []byte(begins)) ||
			!strings.HasSuffix(a.Header.Get("Content-Disposition"), "."+format+`"`) {
			t.Errorf("%s: %d %v %.80q", format, a.StatusCode, a.Header, a.body)
		}
	}

	byAccept := g.do(t, "GET", path, request{header: map[string]string{"X-Api-Key": w.key,
		"Accept": "application/x-ndjson"}})
	if byAccept.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("by Accept: %v", byAccept.Header)
	}

	for _, hidden := range []string{path, "/v1/jobs/" + j.ID} {
		other.get(t, g, hidden).problem(t, http.StatusNotFound, "not-found")
	}

	if a := g.do(t, "DELETE", "/v1/jobs/"+j.ID,
		request{header: map[string]string{"X-Api-Key": w.key}}); a.StatusCode != http.StatusNoContent {
		t.Errorf("cancelling a job that has ended: %d %s", a.StatusCode, a.body)
	}

	w.get(t, g, path)
	if a := g.do(t, "DELETE", "/v1/jobs/"+j.ID+"?erase=true",
		request{header: map[string]string{"X-Api-Key": w.key}}); a.StatusCode != http.StatusNoContent {
		t.Errorf("deleting it: %d %s", a.StatusCode, a.body)
	}

	w.get(t, g, path).problem(t, http.StatusNotFound, "not-found")
}
