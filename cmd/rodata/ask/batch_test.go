package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// jobs is a gateway with one job, which ends after a few polls.
type jobs struct {
	mu        sync.Mutex
	looks     int
	uploaded  []byte
	query     string
	media     string
	cancelled bool
	formats   []string
	onLook    func()
	ends      string // the final state
	more      string // further members of the job
}

func (j *jobs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	status := "running"
	switch {
	case r.Method == http.MethodPost:
		j.uploaded, _ = io.ReadAll(r.Body)
		j.query, j.media = r.URL.RawQuery, r.Header.Get("Content-Type")
		status = "queued"
	case r.Method == http.MethodDelete:
		j.cancelled = true
		w.WriteHeader(http.StatusNoContent)
		return
	case strings.HasSuffix(r.URL.Path, "/result"):
		j.formats = append(j.formats, r.URL.Query().Get("format"))
		answer(200, "application/x-ndjson",
			`{"cui":"9900000010","name":"EXEMPLU S.R.L."}`+"\n"+`{"cui":"123","name":null}`+"\n")(w, r)
		return
	default:
		if j.looks++; j.onLook != nil {
			j.onLook()
		}
		if j.looks > 1 {
			status = j.ends
		}
	}

	answer(200, "application/json", fmt.Sprintf(
		`{"id": "job_1", "status": %q, "total": 2, "done": 1, "found": 1, "invalid": 1, "blank": 2, "creditsCost": 1, "problem": {"code": "x", "detail": "the plan has ended"}%s}`, status, j.more))(w, r)
}

// input is a file to look up.
func input(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	testkit.NoError(t, os.WriteFile(path, []byte(text), 0o600))

	return path
}

// With a key, a file becomes a job: the command uploads it unchanged, and writes the result to the requested file.
func TestJob(t *testing.T) {
	j := &jobs{ends: "completed"}
	serve(t, "key", j.ServeHTTP)
	in := input(t, "suppliers.csv", "Cod\n9900000010\n123\n")
	to := filepath.Join(t.TempDir(), "checked.json")
	out, errs, code := typed(t.Context(), "batch", in, "-o", to, "--column", "Cod", "--date", "2026-06-30", "--fields",
		"name,vatPayer")
	if code != 0 || out != "" || !strings.HasSuffix(errs, "\n2 rows: 1 found, 1 not found or not valid, 2 without a tax id, for 1 credit\n") {
		t.Fatalf("got %d, %q, %q", code, out, errs)
	}
	if string(j.uploaded) != "Cod\n9900000010\n123\n" ||
		j.query != "column=Cod&date=2026-06-30&fields=name%2CvatPayer" || j.media != "text/csv" {
		t.Errorf("uploaded %q as %s with %s", j.uploaded, j.media, j.query)
	}

	var rows []struct{ Name *string }
	text, err := os.ReadFile(to)
	if err != nil || json.Unmarshal(text, &rows) != nil || len(rows) != 2 || fmt.Sprint(j.formats) != "[ndjson]" {
		t.Errorf("got %s in the form %v, %v", text, j.formats, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(to), ".*")); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}

	if _, _, code := typed(t.Context(), "batch", in, "--column", "1", "-o",
		strings.TrimSuffix(to, "json")+"parquet"); code != 0 || j.formats[1] != "parquet" {
		t.Errorf("got %d, the form %v", code, j.formats)
	}
}

// A job that waits for a registry says so once, and until when.
func TestWaitingJob(t *testing.T) {
	j := &jobs{ends: "completed", more: `, "retrying": 1, "retryAt": "2026-11-10T08:00:00Z"`}
	serve(t, "key", j.ServeHTTP)
	_, errs, code := typed(t.Context(), "batch", input(t, "in.csv", "CUI\n9900000010\n"), "-o",
		filepath.Join(t.TempDir(), "checked.csv"))
	at := time.Date(2026, 11, 10, 8, 0, 0, 0, time.UTC).Local().Format("15:04 MST")
	want := "1 row: no answer from the registry; the result waits for another attempt at " + at + "\n"
	if code != 0 || strings.Count(errs, want) != 1 {
		t.Errorf("got %d, %q, want %q once", code, errs, want)
	}
}

// What was recognised in a file is printed, and what is chosen instead is sent.
func TestRecognisedColumns(t *testing.T) {
	j := &jobs{ends: "completed"}
	serve(t, "key", j.ServeHTTP)
	in := input(t, "in.csv", "Furnizori;;\nCUI;Data facturii;Scadenta\n9900000010;05.12.2020;06.12.2020\n")
	to := filepath.Join(t.TempDir(), "checked.csv")
	for _, c := range []struct {
		flags       []string
		says, query string
	}{
		{nil, `: 1 row; tax ids in "CUI", dates in "Data facturii", header in row 2, delimiter ";"` + "\n", ""},
		{[]string{"--date-column", "3", "--column", "cui"}, `dates in "Scadenta"`, "column=cui&dateColumn=3"},
		{[]string{"--date-column", "none"}, "no column of dates", "dateColumn=none"},
	} {
		_, errs, code := typed(t.Context(), append([]string{"batch", in, "-o", to}, c.flags...)...)
		if code != 0 || !strings.HasPrefix(errs, in+": ") || !strings.Contains(errs, c.says) || j.query != c.query {
			t.Errorf("%v: got %d, %q, sent %q", c.flags, code, errs, j.query)
		}
	}

	_, errs, code := typed(t.Context(), "batch", in, "--sheet", "2")
	if code != 2 || !strings.Contains(errs, "not a workbook") {
		t.Errorf("a sheet of CSV: got %d, %q", code, errs)
	}
}

func TestFailedJob(t *testing.T) {
	serve(t, "key", (&jobs{ends: "failed"}).ServeHTTP)
	to := filepath.Join(t.TempDir(), "checked.csv")
	_, errs, code := typed(t.Context(), "batch", input(t, "in.csv", "cui\n9900000010\n"), "-o", to)
	if code != 1 || !strings.HasSuffix(errs, "\nError: the job is failed: the plan has ended\n") {
		t.Errorf("got %d, %q", code, errs)
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("there is a file")
	}
}

// Ctrl-C cancels the job, and prints its progress and cost.
func TestInterruptedJob(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	j := &jobs{onLook: interrupt}
	serve(t, "key", j.ServeHTTP)
	_, errs, code := typed(ctx, "batch", input(t, "in.csv", "cui\n9900000010\n"))
	if !j.cancelled || code != 1 || !strings.HasSuffix(errs, "\nError: the job is cancelled after 1 of 2 rows, for 1 credit\n") {
		t.Errorf("cancelled: %v, got %d, %q", j.cancelled, code, errs)
	}
}

// A file that no gateway would accept is rejected before anything is sent, with or without a key.
func TestRefusedFiles(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"too many lines":   {"in.csv", "cui\n" + strings.Repeat("9900000010\n", 200_001), "more than 200000 rows"},
		"as JSON":          {"in.json", "[" + strings.Repeat("1,", 200_000) + "1]", "more than 200000 rows"},
		"as NDJSON":        {"in.ndjson", strings.Repeat("{\"cui\":1}\n", 200_001), "more than 200000 rows"},
		"21 MiB":           {"in.xlsx", strings.Repeat(" ", 21<<20), "is larger than 20 MiB: split it"},
		"nothing":          {"in.csv", "\n\n", "is empty"},
		"no column":        {"in.csv", "a,b\n1,2\n", "--column"},
		"two columns":      {"in.csv", "CUI client,cif\n1,2\n", `choose one, as --column "CUI client"`},
		"JSON that is not": {"in.json", "[{\"cui\": 1}\n", "cannot be taken: "},
		"no workbook":      {"in.xlsx", "cui", "is not an XLSX workbook"},
	} {
		for _, key := range []string{"key", ""} {
			t.Run(name+" "+key, func(t *testing.T) {
				serve(t, key, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked %s", r.URL) })
				path := input(t, c.file, c.text)
				_, errs, code := typed(t.Context(), "batch", path)
				if code != 2 || !strings.HasPrefix(errs, "Error: "+path+" ") || !strings.Contains(errs, c.want) ||
					strings.Contains(errs, "?") {
					t.Errorf("got %d, %q", code, errs)
				}
			})
		}
	}
}

// Without a key, the rows of a file are copied to the result, whatever its format.
func TestLists(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		flags      []string
		want       string
	}{
		"commas": {"in.csv", "Nume,CUI\nȘtefan,9900000010\n\"a,b\",123\n", nil,
			"Nume,CUI,status,problem,asOf,name\r\nȘtefan,9900000010,200,,TODAY,N0\r\n\"a,b\",123,404,no such company,TODAY,\r\n"},
		"semicolons and a mark": {"in.csv", "\ufeffCod fiscal;Date\nRO 9900000010;10.06.2026\n123;\n", nil,
			"\ufeffCod fiscal;Date;status;problem;asOf;name\r\nRO 9900000010;10.06.2026;200;;TODAY;N0\r\n" +
				"123;;404;no such company;TODAY;\r\n"},
		"only numbers": {"in.txt", "9900000010\n123\n", nil,
			"taxId,status,problem,asOf,name\r\n9900000010,200,,TODAY,N0\r\n123,404,no such company,TODAY,\r\n"},
		"a column that is named": {"in.csv", "supplier,name\n9900000010,=1+1\n123,b\n",
			[]string{"--column", "supplier"},
			"supplier,name,status,problem,asOf,name (2)\r\n9900000010,'=1+1,200,,TODAY,N0\r\n123,b,404,no such company,TODAY,\r\n"},
		"JSON": {"in.json", `[{"cui": 9900000010}, {"cui": "123"}]`, nil,
			"cui,status,problem,asOf,name\r\n9900000010,200,,TODAY,N0\r\n123,404,no such company,TODAY,\r\n"},
		"JSON numbers": {"in.json", `[9900000010, "123"]`, nil,
			"taxId,status,problem,asOf,name\r\n9900000010,200,,TODAY,N0\r\n123,404,no such company,TODAY,\r\n"},
		"members in their order": {"in.json",
			`[{"z": "Z", "cui": 9900000010, "a": null}, {"cui": 123, "b": true, "z": "=1"}]`, nil,
			"z,cui,a,b,status,problem,asOf,name\r\nZ,9900000010,,,200,,TODAY,N0\r\n'=1,123,,true,404,no such company,TODAY,\r\n"},
		"NDJSON": {"in.ndjson", "{\"cif\": \"9900000010\"}\n{\"cif\": 123}\n", nil,
			"cif,status,problem,asOf,name\r\n9900000010,200,,TODAY,N0\r\n123,404,no such company,TODAY,\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, "", batchOf)
			out, errs, code := typed(t.Context(),
				append([]string{"batch", input(t, c.file, c.text), "--fields", "name"}, c.flags...)...)
			want := strings.ReplaceAll(c.want, "TODAY", ro.Today().String())
			if code != 0 || out != want || !strings.HasSuffix(errs, "\n2 rows: 1 found, 1 not found or not valid\n") {
				t.Errorf("got %d, %q, %q", code, out, errs)
			}
		})
	}
}

// batchOf answers a batch of two companies. It finds only the first one.
func batchOf(w http.ResponseWriter, r *http.Request) {
	var sent struct{ Items []struct{ TaxID string } }
	_ = json.NewDecoder(r.Body).Decode(&sent)
	if len(sent.Items) != 2 || !strings.HasSuffix(sent.Items[0].TaxID, "9900000010") ||
		sent.Items[1].TaxID != "123" {
		answer(400, problemType, `{"status": 400, "code": "invalid-request", "detail": "other items were expected"}`)(w,
			r)
		return
	}

	answer(200, "application/x-ndjson", `{"index": 1, "status": 404, "problem": {"detail": "no such company"}}
{"index": 0, "status": 200, "company": {"name": "N0"}}
{"summary": {"count": 2, "found": 1, "notFound": 1}}
`)(w, r)
}

// A row without a valid day has a problem, as in a job, and does not hold back the others.
func TestListWithInvalidDay(t *testing.T) {
	var sent []byte
	serve(t, "", func(w http.ResponseWriter, r *http.Request) {
		sent, _ = io.ReadAll(r.Body)
		answer(200, "application/x-ndjson", `{"index": 0, "date": "2026-06-10", "status": 200, "company": {"name": "N0"}}
{"summary": {"count": 1, "found": 1}}
`)(w, r)
	})
	out, errs, code := typed(t.Context(), "batch",
		input(t, "in.csv", "cui,date\n123,31.02.2026\n9900000010,10.06.2026\n"), "--fields", "name")
	want := "cui,date,status,problem,asOf,name\r\n" +
		"123,31.02.2026,400,\"\"\"31.02.2026\"\" is not a day; write it as 2026-06-10 or 10.06.2026\",,\r\n" +
		"9900000010,10.06.2026,200,,2026-06-10,N0\r\n"
	if code != 0 || out != want || !strings.HasSuffix(errs, "\n2 rows: 1 found, 1 not found or not valid\n") ||
		strings.Contains(string(sent), "123") {
		t.Errorf("got %d, %q, %q, sent %s", code, out, errs, sent)
	}
}

// The total at the foot of a journal has no tax id, and is not counted as a wrong number.
func TestListWithBlankRow(t *testing.T) {
	serve(t, "", answer(200, "application/x-ndjson", `{"index": 0, "status": 200, "company": {"name": "N0"}}
{"index": 1, "status": 400, "problem": {"code": "invalid-request", "detail": "taxId is missing"}}
{"summary": {"count": 2, "found": 1, "invalid": 1}}
`))
	_, errs, code := typed(t.Context(), "batch", input(t, "in.csv", "cui,total\n9900000010,1\n,1\n"))
	want := "\n2 rows: 1 found, 0 not found or not valid, 1 without a tax id\n"
	if code != 0 || !strings.HasSuffix(errs, want) {
		t.Errorf("got %d, %q", code, errs)
	}
}

// Nothing is looked up and paid for if its result cannot be written.
func TestOutputWithoutFolder(t *testing.T) {
	for _, key := range []string{"key", ""} {
		serve(t, key, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked %s", r.URL) })
		folder := filepath.Join(t.TempDir(), "none")
		_, errs, code := typed(t.Context(), "batch", input(t, "in.csv", "cui\n9900000010\n"), "-o",
			filepath.Join(folder, "checked.csv"))
		if code != 2 || errs != "Error: there is no folder "+folder+"\n" {
			t.Errorf("got %d, %q", code, errs)
		}
	}
}

// A list that is too long without a key is rejected with a hint about keys.
func TestLongList(t *testing.T) {
	serve(t, "", answer(400, problemType,
		`{"status": 400, "code": "invalid-request", "errors": [{"parameter": "items", "code": "too_many"}]}`))
	path := input(t, "in.csv", "cui\n1\n2\n")
	want := "\nError: " + path + " has 2 rows, more than the gateway looks up without a key; with one in RODATA_KEY it takes up to 200,000\n"
	if _, errs, code := typed(t.Context(), "batch", path); code != 1 || !strings.HasSuffix(errs, want) {
		t.Errorf("got %d, %q", code, errs)
	}
}

// A list can be written in every format.
func TestFormsOfLists(t *testing.T) {
	serve(t, "", batchOf)
	in := input(t, "in.csv", "cui;a,b\n9900000010;1\n123;2\n")
	for ending, begins := range map[string]string{
		"csv":  "\ufeffcui;a,b;status",
		"json": "[\n{\"index\":0", "ndjson": "{\"index\":0", "jsonl": "{\"index\":0", "xlsx": "PK",
		"parquet": "PAR1",
	} {
		to := filepath.Join(t.TempDir(), "out."+ending)
		if _, errs, code := typed(t.Context(), "batch", in, "-o", to); code != 0 {
			t.Errorf("%s: got %d, %s", ending, code, errs)
		}
		if text, err := os.ReadFile(to); err != nil || !bytes.HasPrefix(text, []byte(begins)) {
			t.Errorf("%s: got %.80q, %v", ending, text, err)
		}
	}
}

// In Parquet, the names of columns have no commas, and are distinct.
func TestColumnsOfParquetLists(t *testing.T) {
	serve(t, "", batchOf)
	to := filepath.Join(t.TempDir(), "out.parquet")
	if _, errs, code := typed(t.Context(), "batch", input(t, "in.csv", "cui;a,b;a;b;\"a;b\"\n9900000010;1;2;3;4\n123;;;;\n"),
		"-o", to, "--fields", "name"); code != 0 {
		t.Fatalf("got %d, %s", code, errs)
	}

	file := testkit.Must(os.Open(to))
	defer file.Close()
	parquet := testkit.Must(table.OpenParquet(file, testkit.Must(file.Stat()).Size()))
	defer parquet.Close()

	var names []string
	for _, c := range parquet.Columns() {
		names = append(names, c.Name)
	}

	row, err := parquet.Read()
	if want := []string{"cui", "a;b", "a", "b", "a;b (2)", "status", "problem", "asOf", "name"}; err != nil ||
		!slices.Equal(names, want) || !slices.Equal(row[:5], []string{"9900000010", "1", "2", "3", "4"}) {
		t.Errorf("%q, %q, %v, want %q", names, row, err, want)
	}
}

// A truncated answer leaves an existing file unchanged.
func TestCutList(t *testing.T) {
	url := serve(t, "", answer(200, "application/x-ndjson", `{"index": 0, "status": 404}`+"\n"))
	to := input(t, "checked.csv", "from before")
	_, errs, code := typed(t.Context(), "batch", input(t, "in.csv", "cui\n9900000010\n123\n"), "-o", to)
	if code != 4 || !strings.HasSuffix(errs, "\nError: the answer of "+url+
		" was cut off, so that rows may be missing: try again\n") {
		t.Errorf("got %d, %q", code, errs)
	}
	if text, err := os.ReadFile(to); err != nil || string(text) != "from before" {
		t.Errorf("the file has %q, %v", text, err)
	}
}
