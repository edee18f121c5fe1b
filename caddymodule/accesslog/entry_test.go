package accesslog

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/testkit"
)

// sink is a response writer that accepts any status, including informational ones.
type sink http.Header

func (s sink) Header() http.Header       { return http.Header(s) }
func (sink) WriteHeader(int)             {}
func (sink) Write(p []byte) (int, error) { return len(p), nil }

// logged runs handlers as Caddy does, the error routes after an error, and returns the lines.
func logged(t *testing.T, vars map[string]any, site, errorRoutes caddyhttp.HandlerFunc) string {
	t.Helper()
	p := newPaper()
	h := &Handler{log: NewLog(p)}
	r := httptest.NewRequest("GET", "/", nil)
	r = r.WithContext(context.WithValue(r.Context(), caddyhttp.VarsCtxKey, vars))
	w := sink{}
	func() {
		defer func() { recover() }() // as net/http does
		if err := h.ServeHTTP(w, r, site); err != nil {
			failed := r.WithContext(context.WithValue(r.Context(), caddyhttp.ErrorCtxKey, err))
			h.ServeHTTP(w, failed, errorRoutes)
		}
	}()
	testkit.NoError(t, h.log.Close())

	return p.String()
}

// Every request results in exactly one line, whatever its outcome.
func TestEveryRequestIsOneLine(t *testing.T) {
	write := func(status int) caddyhttp.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(status)
			_, err := w.Write([]byte("12345"))
			return err
		}
	}
	fail := func(err error) caddyhttp.HandlerFunc {
		return func(http.ResponseWriter, *http.Request) error { return err }
	}
	missing := caddyhttp.Error(http.StatusNotFound, nil)
	for name, c := range map[string]struct {
		site, errorRoutes caddyhttp.HandlerFunc
		want              string
	}{
		"answer":             {write(201), nil, `"status":201,"bytes":5,`},
		"nothing written":    {fail(nil), nil, `"status":200,"bytes":0,`},
		"answered error":     {fail(missing), write(404), `"status":404,"bytes":5,`},
		"error of the error": {fail(missing), fail(errors.New("x")), `"status":404,"bytes":0,`},
		"plain error":        {fail(errors.New("x")), fail(errors.New("y")), `"status":500,"bytes":0,`},
		"aborted": {
			func(http.ResponseWriter, *http.Request) error {
				panic(http.ErrAbortHandler)
			}, nil, `"status":0,"bytes":0,`,
		},
	} {
		got := logged(t, map[string]any{}, c.site, c.errorRoutes)
		if strings.Count(got, "\n") != 1 || !strings.Contains(got, c.want) {
			t.Errorf("%s is logged as %q, want %s", name, got, c.want)
		}
	}

	if got := logged(t, map[string]any{caddyhttp.LogSkipVar: true}, write(200), nil); got != "" {
		t.Errorf("log_skip is logged as %q", got)
	}
}

// Files are sent by the kernel through the log, and counted.
func TestReadFromIsCounted(t *testing.T) {
	e := &entry{ResponseWriter: sink{}}
	if n, err := e.ReadFrom(strings.NewReader("12345")); n != 5 || err != nil || e.bytes != 5 || e.status != 200 {
		t.Errorf("got %d %v, %d bytes with status %d", n, err, e.bytes, e.status)
	}
}
