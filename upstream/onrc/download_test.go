package onrc

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/op"
)

const content = "COD_INMATRICULARE^COD\r\nJ12/1/2000^1048\r\n"

// fetched downloads the file at a path and returns its content.
func fetched(t *testing.T, p *Portal, f *files, dir string) (string, error) {
	t.Helper()
	var counted int64
	path := filepath.Join(dir, "file.csv")
	err := p.download(t.Context(), resource{Name: "FILE.CSV", URL: f.URL + "/download/file.csv"}, path,
		func(n int64) { counted += n })
	body, reading := os.ReadFile(path)
	if err == nil && counted != int64(len(body)) {
		t.Errorf("%d bytes were counted of %d", counted, len(body))
	}
	if err != nil && !errors.Is(reading, fs.ErrNotExist) {
		t.Errorf("a failed download left a file: %v", reading)
	}

	return string(body), err
}

// cut sends a number of bytes of the requested file and breaks the connection.
func cut(body, etag string, after int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		http.ServeContent(&short{w, after}, r, "", time.Time{}, strings.NewReader(body))
		panic(http.ErrAbortHandler)
	}
}

type short struct {
	http.ResponseWriter
	left int
}

func (s *short) Write(p []byte) (int, error) {
	n := min(len(p), s.left)
	s.left -= n
	if _, err := s.ResponseWriter.Write(p[:n]); err != nil {
		return 0, err
	}

	http.NewResponseController(s.ResponseWriter).Flush()
	return len(p), nil
}

func TestDownload(t *testing.T) {
	f := newFiles(t)
	f.put("/download/file.csv", content)
	if got, err := fetched(t, mustPortal(t, f.URL), f, t.TempDir()); err != nil || got != content {
		t.Errorf("fetched %q, %v", got, err)
	}
}

// TestDownloadResumes interrupts a download and resumes it, as after a restart.
func TestDownloadResumes(t *testing.T) {
	tests := map[string]struct {
		then   http.HandlerFunc // the response for the file after the break; nil for the usual one
		ranges []string         // the request
		want   string
	}{
		"the same file":    {nil, []string{"", "bytes=20-"}, content},
		"another file":     {whole("other", `"b"`), []string{"", "bytes=20-"}, "other"},
		"no ranges":        {ignoring(content), []string{"", "bytes=20-"}, content},
		"another range":    {wrongRange, []string{"", "bytes=20-", ""}, content},
		"beyond the end":   {refusing(content), []string{"", "bytes=20-", ""}, content},
		"it breaks again":  {breaking(content), []string{"", "bytes=20-", "bytes=30-"}, content},
		"a shorter answer": {lying(content), []string{"", "bytes=20-", "bytes=20-"}, content},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, dir := newFiles(t), t.TempDir()
			p := mustPortal(t, f.URL)
			f.answer("/download/file.csv", cut(content, `"a"`, 20))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			path := filepath.Join(dir, "file.csv")
			err := p.download(ctx, resource{URL: f.URL + "/download/file.csv"}, path, func(int64) { cancel() })
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("the first download ended with %v", err)
			}
			if test.then == nil {
				test.then = whole(content, `"a"`)
			}

			f.answer("/download/file.csv", test.then)
			got, err := fetched(t, p, f, dir)
			if err != nil || got != test.want {
				t.Errorf("fetched %q, %v", got, err)
			}
			if asked := f.ranges(); !slices.Equal(asked, test.ranges) {
				t.Errorf("requested %q, want %q", asked, test.ranges)
			}

			left, _ := filepath.Glob(filepath.Join(dir, "*"))
			if len(left) != 1 {
				t.Errorf("there are %v", left)
			}
		})
	}
}

func whole(body, etag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
	}
}

func ignoring(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Range")
		whole(body, `"a"`)(w, r)
	}
}

func wrongRange(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Range") == "" {
		whole(content, `"a"`)(w, r)
		return
	}

	w.Header().Set("Content-Range", "bytes 0-4/5")
	w.WriteHeader(http.StatusPartialContent)
	io.WriteString(w, "12345")
}

func refusing(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") != "" {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}

		whole(body, `"a"`)(w, r)
	}
}

func breaking(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") == "bytes=20-" {
			cut(body, `"a"`, 10)(w, r)
		}
		whole(body, `"a"`)(w, r)
	}
}

// lying announces the whole remaining file but ends early, once.
func lying(body string) http.HandlerFunc {
	first := true
	return func(w http.ResponseWriter, r *http.Request) {
		if first {
			first = false
			cut(body, `"a"`, 0)(w, r)
		}

		whole(body, `"a"`)(w, r)
	}
}

func TestDownloadFails(t *testing.T) {
	tests := map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"there is no such file": {http.NotFound, "status 404"},
		"it moved elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.2:1/file.csv", http.StatusFound)
		}, "not followed"},
		"it is far too large": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9000000000")
			w.WriteHeader(http.StatusOK)
		}, "more than the"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFiles(t)
			f.answer("/download/file.csv", test.answer)
			p := mustPortal(t, f.URL)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond) // it keeps retrying
			defer cancel()
			_, err := p.fetch(ctx, &transfer{url: mustURL(f.URL + "/download/file.csv"),
				path: filepath.Join(t.TempDir(), "file.csv"), read: func(int64) {}, maxBytes: maxFile})
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestDownloadStalls(t *testing.T) {
	f := newFiles(t)
	f.answer("/download/file.csv", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "some")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	p := mustPortal(t, f.URL)
	p.idle = 20 * time.Millisecond
	_, err := p.fetch(t.Context(), &transfer{url: mustURL(f.URL + "/download/file.csv"),
		path: filepath.Join(t.TempDir(), "file.csv"), read: func(int64) {}, maxBytes: maxFile})
	var failure *op.Failure
	if !errors.As(err, &failure) || failure.Kind != op.TimedOut {
		t.Errorf("the error is %v", err)
	}
}

func TestLinkToElsewhere(t *testing.T) {
	p := mustPortal(t, "http://127.0.0.1:1")
	for name, link := range map[string]string{
		"another host": "https://elsewhere.example/od_firme.csv", "another scheme": "https://127.0.0.1:1/od_firme.csv",
		"a file": "file:///etc/passwd",
	} {
		t.Run(name, func(t *testing.T) {
			err := p.download(t.Context(), resource{URL: link}, filepath.Join(t.TempDir(), "x"), func(int64) {})
			if err == nil || !strings.Contains(err.Error(), "not followed") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
