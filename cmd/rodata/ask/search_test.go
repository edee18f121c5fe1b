package ask

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// A table that is not all of the matches says so where it does not disturb a program.
func TestCutTable(t *testing.T) {
	for total, output := range map[int]string{
		2: "", 1: "", 1234: "These are 1 of 1,234 matches; --all writes every one\n",
	} {
		serve(t, "", answer(200, "application/json", fmt.Sprintf(
			`{"totalCount": %d, "offset": 1, "items": [{"taxId": 9900000010, "name": "EXEMPLU SRL"}]}`, total)))
		out, errs, code := typed(t.Context(), "search", "exemplu", "--csv", "--offset", "1")
		if code != 0 || errs != output || !strings.Contains(out, "\n9900000010,EXEMPLU SRL,") {
			t.Errorf("%d matches: got %d, %q, %q; want %q", total, code, errs, out, output)
		}
	}
}

// An export follows the gateway's links, and is one table.
func TestExport(t *testing.T) {
	const header = "taxId,name\r\n"
	pages := map[string]string{
		"": "9900000010,\"EXEMPLU\nDOI\"\r\n", "2026-10-02.1": "9900000028,EXEMPLU\r\n",
		"2026-10-02.2": "9900000036,EXEMPLU\r\n",
	}
	next := map[string]string{"": "2026-10-02.1", "2026-10-02.1": "2026-10-02.2"}
	serve(t, "rodata_live_key", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		after := query.Get("after")
		if after := next[after]; after != "" {
			query.Set("after", after)
			w.Header().Set("Link", "<https://example.ro/v1/companies?"+query.Encode()+`>; rel="next"`)
		}

		query.Del("after")
		if got := query.Encode(); got != "county=CJ&format=csv" {
			t.Errorf("asked for %s", got)
		}
		answer(200, "text/csv; charset=utf-8", header+pages[after])(w, r)
	})
	out, errs, code := typed(t.Context(), "search", "--county", "CJ", "--csv", "--all")
	want := header + pages[""] + pages["2026-10-02.1"] + pages["2026-10-02.2"]
	if code != 0 || errs != "" || out != want {
		t.Errorf("got %d, %q, %q; want %q", code, errs, out, want)
	}

	serve(t, "", answer(200, "text/csv", header))
	out, errs, code = typed(t.Context(), "search", "exemplu", "--csv", "--all")
	if code != 3 || out != header || errs != "Error: no company matches; try fewer words or filters\n" {
		t.Errorf("nothing found: got %d, %q, %q", code, errs, out)
	}
}

// The flags of figures become ranges, of which zero is one. The table then has the figures and their year.
func TestSearchByFigures(t *testing.T) {
	serve(t, "", func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.Query().Encode(); got != "limit=25&netResultMin=-5&sortBy=employees&statement=filed&turnoverMin=0" {
			t.Errorf("asked for %s", got)
		}
		answer(200, "application/json", `{"totalCount": 1, "statementsYear": 2025,
			"items": [{"name": "EXEMPLU SRL", "turnover": 1500000, "netResult": -3}]}`)(w, r)
	})
	out, errs, code := typed(t.Context(), "search", "--turnover-min", "0", "--result-min", "-5", "--statement", "filed",
		"--sort", "employees")
	if code != 0 || !strings.Contains(out, "1500000") || !strings.Contains(out, "statements of 2025") {
		t.Errorf("got %d, %q, %q", code, errs, out)
	}

	_, errs, code = typed(t.Context(), "search", "--turnover-min", "1e6")
	if code != 2 || !strings.Contains(errs, "--turnover-min is a whole number without separators") {
		t.Errorf("got %d, %q", code, errs)
	}
}

// The flag --seat-expired becomes a filter. The page of a company mentions its seat only if the right to use it has
// expired.
func TestSeatExpired(t *testing.T) {
	serve(t, "", func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.Query().Get("seatExpired"); got != "false" {
			t.Errorf("asked for %s", r.URL)
		}
		answer(200, "application/json", `{"totalCount": 1, "items": [{"name": "EXEMPLU SRL"}]}`)(w, r)
	})
	if out, errs, code := typed(t.Context(), "search", "exemplu", "--seat-expired", "no"); code != 0 {
		t.Errorf("got %d, %q, %q", code, errs, out)
	}

	for value, want := range map[string]bool{"true": true, "false": false, "null": false} {
		serve(t, "", answer(200, "application/x-ndjson",
			`{"index": 0, "status": 200, "company": {"name": "EXEMPLU SRL", "seatExpired": `+value+`}}
{"summary": {"count": 1, "found": 1}}
`))
		out, errs, code := typed(t.Context(), "get", "9900000010")
		if code != 0 || strings.Contains(out, "right of use expired") != want {
			t.Errorf("%s: got %d, %q, %q", value, code, errs, out)
		}
	}
}

// A part of an export that is cut off is not written, so that its rows are whole.
func TestCutExport(t *testing.T) {
	url := serve(t, "", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/csv")
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "taxId,name\r\n9900000010,EXEM")
	})
	out, errs, code := typed(t.Context(), "search", "exemplu", "--csv", "--all")
	want := "Error: the answer of " + url + " was cut off, so that rows may be missing: try again\n"
	if code != 4 || out != "" || errs != want {
		t.Errorf("got %d, %q, %q; want %q", code, errs, out, want)
	}
}

// get - looks up the lines of standard input.
func TestGetReadsStandardInput(t *testing.T) {
	asked := ""
	serve(t, "", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked = string(body)
		answer(200, "application/x-ndjson", `{"index": 0, "input": "19", "status": 200, "company": {"taxId": 19}}`+
			"\n"+`{"index": 1, "input": "27", "status": 200, "company": {"taxId": 27}}`+"\n"+`{"summary": {}}`+"\n")(w, r)
	})
	typeIn := func(text string) {
		path := filepath.Join(t.TempDir(), "numbers")
		testkit.NoError(t, os.WriteFile(path, []byte(text), 0o600))

		file, err := os.Open(path)
		testkit.NoError(t, err)

		before := os.Stdin
		os.Stdin = file
		t.Cleanup(func() { os.Stdin = before; file.Close() })
	}

	typeIn("RO 19\r\n\n 27")
	_, errs, code := typed(t.Context(), "get", "-", "--csv")
	if code != 0 || !strings.Contains(asked, `"RO 19"`) || !strings.Contains(asked, `"27"`) {
		t.Errorf("got %d, %q, asked for %s", code, errs, asked)
	}

	typeIn("\n")
	if _, errs, code := typed(t.Context(), "get", "-"); code != 2 || errs != "Error: standard input is empty\n" {
		t.Errorf("nothing: got %d, %q", code, errs)
	}
}
