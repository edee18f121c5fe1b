package onrc

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/op"
)

const content = "COD_INMATRICULARE^COD\r\nJ12/1/2000^1048\r\n"

// fetched downloads a file and returns its content.
func fetched(t *testing.T, p *Portal, url string) (string, error) {
	t.Helper()
	file, err := p.open(t.Context(), resource{URL: url})
	if err != nil {
		return "", err
	}
	defer file.Close()

	body, err := io.ReadAll(file)
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

// TestDownloadContinues breaks the connection of a download after 20 bytes.
func TestDownloadContinues(t *testing.T) {
	tests := map[string]struct {
		then   http.HandlerFunc // the further responses
		ranges []string         // the further requests
		says   string           // the error; empty if the content arrives
	}{
		"the same file":    {whole(content, `"a"`), []string{"bytes=20-"}, ""},
		"another file":     {whole("other", `"b"`), []string{"bytes=20-"}, "was replaced"},
		"no ranges":        {ignoring(content), []string{"bytes=20-"}, ""},
		"another range":    {wrongRange, []string{"bytes=20-", ""}, ""},
		"beyond the end":   {refusing(content), []string{"bytes=20-", ""}, ""},
		"it breaks again":  {breaking(content), []string{"bytes=20-", "bytes=30-"}, ""},
		"a shorter answer": {lying(content), []string{"bytes=20-", "bytes=20-"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFiles(t)
			f.answer("/download/file.csv", func(w http.ResponseWriter, r *http.Request) {
				if len(f.ranges()) == 1 {
					cut(content, `"a"`, 20)(w, r)
				}
				test.then(w, r)
			})
			got, err := fetched(t, mustPortal(t, f.URL), f.URL+"/download/file.csv")
			if test.says == "" && (err != nil || got != content) ||
				test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
				t.Errorf("fetched %q, %v", got, err)
			}
			if asked := f.ranges(); !slices.Equal(asked[1:], test.ranges) {
				t.Errorf("requested %q, want %q", asked[1:], test.ranges)
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
			_, err := mustPortal(t, f.URL).fetch(t.Context(),
				&transfer{url: mustURL(f.URL + "/download/file.csv"), to: io.Discard, maxBytes: maxFile})
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
	_, err := p.fetch(t.Context(), &transfer{url: mustURL(f.URL + "/download/file.csv"), to: io.Discard,
		maxBytes: maxFile})
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
			if _, err := fetched(t, p, link); err == nil || !strings.Contains(err.Error(), "not followed") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
