package rest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/release"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// oneRelease lists one release, with one file of ten bytes.
type oneRelease struct{ path string }

func (oneRelease) List() []release.Release { return []release.Release{{Date: ro.NewDate(2026, 10, 2)}} }

func (r oneRelease) File(published ro.Date, name string) (*op.Document, error) {
	if published != 0 && published != ro.NewDate(2026, 10, 2) || name != release.Parquet.Name {
		return nil, op.ErrUnknown
	}
	return op.NewStoredFile(r.path, release.Parquet.Type, "2026-10-02-companies.parquet", "abc",
		time.Unix(1_790_000_000, 0)), nil
}

func releaseHandler(t *testing.T) *Handler {
	t.Helper()
	path := filepath.Join(t.TempDir(), "companies.parquet")
	testkit.NoError(t, os.WriteFile(path, []byte("0123456789"), 0o600))

	o := newHandler(t).Options
	o.Operations = api.Operations(api.Registries{Releases: oneRelease{path}}, nil, system.About{})
	return New(o)
}

func TestFilesAreReadInRanges(t *testing.T) {
	const path = "/v1/releases/2026-10-02/companies.parquet"
	h := releaseHandler(t)
	for _, test := range []struct {
		name, method, path, header, value string
		status                            int
		body, contentRange                string
	}{
		{"whole", "GET", path, "", "", 200, "0123456789", ""},
		{"the newest", "GET", "/v1/releases/latest/companies.parquet", "", "", 200, "0123456789", ""},
		{"a range", "GET", path, "Range", "bytes=2-4", 206, "234", "bytes 2-4/10"},
		{"the end", "GET", path, "Range", "bytes=-3", 206, "789", "bytes 7-9/10"},
		{"only the headers", "HEAD", path, "", "", 200, "", ""},
		{"the same tag", "GET", path, "If-None-Match", `"abc"`, 304, "", ""},
		{"another tag", "GET", path, "If-None-Match", `"def"`, 200, "0123456789", ""},
		{"a range beyond the end", "GET", path, "Range", "bytes=10-", 416, "range-not-satisfiable", "bytes */10"},
		{"a malformed range", "GET", path, "Range", "bytes=x", 416, "range-not-satisfiable", ""},
		{"another release", "GET", "/v1/releases/2026-09-02/companies.parquet", "", "", 404,
			"available are: 2026-10-02", ""},
		{"a release without changes", "GET", "/v1/releases/latest/changes.parquet", "", "", 404,
			"to compare it with", ""},
		{"a malformed date", "GET", "/v1/releases/newest/companies.parquet", "", "", 400, "or latest", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRequest(test.method, test.path, nil)
			if test.header != "" {
				r.Header.Set(test.header, test.value)
			}

			res := answer(h, r)
			body, _ := io.ReadAll(res.Body)
			if res.StatusCode != test.status || res.Header.Get("Content-Range") != test.contentRange {
				t.Errorf("%d, range %q", res.StatusCode, res.Header.Get("Content-Range"))
			}
			if got := string(body); test.status < 400 && got != test.body || !strings.Contains(got, test.body) {
				t.Errorf("the body is %s", got)
			}

			if test.status < 300 && (res.Header.Get("Etag") != `"abc"` || res.Header.Get("Accept-Ranges") != "bytes" ||
				res.Header.Get("Content-Type") != "application/vnd.apache.parquet" ||
				res.Header.Get("Cache-Control") != "public, max-age=300, stale-if-error=86400") {
				t.Errorf("the headers are %v", res.Header)
			}

			if test.status >= 400 && (res.Header.Get("Content-Type") != "application/problem+json" ||
				res.Header.Get("Content-Disposition") != "") {
				t.Errorf("the headers of the problem are %v", res.Header)
			}
		})
	}
}

func TestRangeOfChangedFileIsWhole(t *testing.T) {
	r := newRequest("GET", "/v1/releases/2026-10-02/companies.parquet", nil)
	r.Header.Set("Range", "bytes=2-4")
	r.Header.Set("If-Range", `"before"`)
	if res := answer(releaseHandler(t), r); res.StatusCode != http.StatusOK {
		t.Errorf("%d", res.StatusCode)
	}
}

// A stored table is compressed for clients that accept a content coding. Ranges of it are sent uncompressed.
func TestStoredTableIsCompressed(t *testing.T) {
	table := strings.Repeat("EXEMPLU SRL,9900000010\n", 100)
	path := filepath.Join(t.TempDir(), "table.csv")
	testkit.NoError(t, os.WriteFile(path, []byte(table), 0o600))

	ask := func(header ...string) (*http.Response, string) {
		t.Helper()
		r, w := newRequest("GET", "/v1/jobs/1/result", nil), httptest.NewRecorder()
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}

		x := newHandler(t).exchange(w, r)
		x.sendStored(op.NewStoredFile(path, "text/csv; charset=utf-8", "table.csv", "abc",
			time.Unix(1_790_000_000, 0)))
		res := w.Result()
		var body io.Reader = res.Body
		if res.Header.Get("Content-Encoding") == "gzip" {
			unpacked, err := gzip.NewReader(body)
			testkit.NoError(t, err)

			body = unpacked
		}

		text, err := io.ReadAll(body)
		testkit.NoError(t, err)

		return res, string(text)
	}

	if res, text := ask("Accept-Encoding", "gzip"); text != table || res.Header.Get("Content-Encoding") != "gzip" ||
		res.Header.Get("Etag") != `"abc-gzip"` || res.Header.Get("Accept-Ranges") != "" ||
		res.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("compressed: %v", res.Header)
	}

	for _, tag := range []string{`"abc-gzip"`, `"abc"`} {
		if res, text := ask("Accept-Encoding", "gzip", "If-None-Match",
			tag); res.StatusCode != http.StatusNotModified || text != "" || res.Header.Get("Etag") != tag {
			t.Errorf("If-None-Match %s: got %s %v, want 304", tag, res.Status, res.Header)
		}
	}

	if res, text := ask("Accept-Encoding", "gzip", "Range", "bytes=-11"); res.StatusCode != http.StatusPartialContent ||
		text != table[len(table)-11:] || res.Header.Get("Content-Encoding") != "" || res.Header.Get("Etag") != `"abc"` {
		t.Errorf("a range: %s, %v", res.Status, res.Header)
	}
	if res, text := ask(); text != table || res.Header.Get("Content-Encoding") != "" ||
		res.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("without Accept-Encoding: %v", res.Header)
	}

	if res, _ := ask("Accept-Encoding", "gzip", "Range",
		"bytes=9999-"); res.StatusCode != http.StatusRequestedRangeNotSatisfiable ||
		res.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("a range beyond the end: %s, %v", res.Status, res.Header)
	}
}

// A client may read a Parquet file in many ranges. These requests do not count against the limit of one request per
// second for callers without a key, but they are limited at the higher rate of pages.
func TestDownloadsAreLimitedAsPages(t *testing.T) {
	h := releaseHandler(t)
	h.Gateway.Anonymous.Burst, h.Gateway.Anonymous.N = 1, 1
	refused := 0
	for range 2 * pageRate.Burst {
		r := newRequest("GET", "/v1/releases/2026-10-02/companies.parquet", nil)
		r.Header.Set("Range", "bytes=0-0")
		switch res := answer(h, r); res.StatusCode {
		case http.StatusPartialContent:
		case http.StatusTooManyRequests:
			if refused++; res.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		default:
			t.Fatalf("%d", res.StatusCode)
		}
	}

	if refused == 0 || refused > pageRate.Burst {
		t.Errorf("%d of %d requests were refused", refused, 2*pageRate.Burst)
	}
}
