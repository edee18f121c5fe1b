package blackbox

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

const batchPath = "/v1/companies/batch"

// numbers returns the ids of n companies known to the tax authority.
func numbers(t *testing.T, n int) []string {
	t.Helper()
	paths := companies(t)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = strings.TrimPrefix(paths[i], "/v1/companies/")
	}

	return ids
}

func listOf(ids ...string) string { return `{"taxIds":[` + strings.Join(ids, ",") + `]}` }

// Stored companies arrive at once, before companies that wait for the registry. A company that arrives too late is a
// 504 now and a HIT later.
func TestBatchStreamsStoredCompaniesFirst(t *testing.T) {
	g := start(t)
	ids := numbers(t, 3)
	g.get(t, "/v1/companies/"+ids[2])
	g.registries.ANAF.Always(standin.Hang)
	resume := func() {
		g.registries.ANAF.Always(standin.Fault{})
		g.registries.ANAF.Release()
	}
	defer resume()

	r, err := http.NewRequestWithContext(t.Context(), "POST", g.url+batchPath, strings.NewReader(
		`{"waitSeconds":1,`+strings.TrimPrefix(listOf(ids...), "{")))
	testkit.NoError(t, err)

	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/x-ndjson")
	res, err := http.DefaultClient.Do(r)
	testkit.NoError(t, err)
	defer res.Body.Close()

	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/x-ndjson" ||
		res.Header.Get("x-credits-cost") != "" {
		t.Errorf("got %d %v", res.StatusCode, res.Header)
	}

	var lines []string
	for in := bufio.NewScanner(res.Body); in.Scan(); {
		lines = append(lines, in.Text())
	}

	if len(lines) != 4 || !strings.HasPrefix(lines[0], `{"index":2,"taxId":`+ids[2]+`,"status":200,`) ||
		!strings.Contains(lines[1], `"status":504`) || !strings.Contains(lines[1], `"retryAfterSeconds":`) ||
		!strings.HasPrefix(lines[3], `{"summary":{"count":3,"found":1,"notFound":0,"invalid":0,"failed":2,`) {
		t.Errorf("got %d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}

	resume()
	for deadline := time.Now().Add(10 * time.Second); ; {
		a := g.do(t, "POST", batchPath, request{header: map[string]string{"Content-Type": "application/json"},
			body: listOf(ids...)})
		if a.Header.Get("x-cache") == "HIT" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("what was given up is not fetched: %s", a.body)
		}
	}
}

// A client that disconnects is charged for the rows in transit, and the service continues.
func TestBrokenOffStream(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 100))
	ids := numbers(t, 10)
	for _, id := range ids[:5] {
		w.get(t, g, "/v1/companies/"+id)
	}

	g.registries.ANAF.Always(standin.Hang)
	resume := func() {
		g.registries.ANAF.Always(standin.Fault{})
		g.registries.ANAF.Release()
	}
	defer resume()

	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, "POST", g.url+batchPath, strings.NewReader(listOf(ids...)))
	testkit.NoError(t, err)

	for name, value := range w.header() {
		r.Header.Set(name, value)
	}

	r.Header.Set("Accept", "application/x-ndjson")
	res, err := http.DefaultClient.Do(r)
	testkit.NoError(t, err)
	defer res.Body.Close()

	if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}

	leave()
	io.Copy(io.Discard, res.Body)
	resume()
	if used := w.used(t, g); used != 10 {
		t.Errorf("%d credits are used, want 5 for the single look-ups and 5 for the stored companies of the stream",
			used)
	}
}
