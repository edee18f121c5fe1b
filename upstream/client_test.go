package upstream

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/loopback"
)

func TestNewClientChecksTheAddress(t *testing.T) {
	for _, c := range []struct{ name, url, problem string }{
		{"https", "https://registry.example", ""},
		{"https with a path and a slash", "https://registry.example/base/", ""},
		{"http on 127.0.0.1", "http://127.0.0.1:8080", ""},
		{"http on ::1", "http://[::1]:8080", ""},
		{"http on localhost", "http://localhost:8080", ""},
		{"http elsewhere", "http://registry.example", "use https"},
		{"http on a name that begins like loopback", "http://127.0.0.1.registry.example", "use https"},
		{"another scheme", "ftp://registry.example", "use https"},
		{"no scheme", "registry.example", "write it as"},
		{"a password", "https://user:pass@registry.example", "write it as"},
		{"a query", "https://registry.example?a=b", "write it as"},
		{"nothing", "", "write it as"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewClient(Options{Registry: "anaf", URL: c.url})
			switch {
			case c.problem == "" && err != nil:
				t.Errorf("%q is refused: %v", c.url, err)
			case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
				t.Errorf("%q: error %v does not name the fix %q", c.url, err, c.problem)
			}
		})
	}
}

// serve starts a registry and a client for it.
func serve(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	return dial(t, Options{URL: listen(t, h)})
}

// listen starts a registry and returns its address.
func listen(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func dial(t *testing.T, o Options) *Client {
	t.Helper()
	o.Registry, o.MaxBody = "bnr", 1000
	c, err := NewClient(o)
	testkit.NoError(t, err)

	t.Cleanup(c.Close)
	return c
}

func TestDoAnswers(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Echo", r.Method+" "+r.URL.String()+" "+r.UserAgent()+" "+r.Header.Get("X-Sent"))
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "body")
	})
	res, err := c.Do(t.Context(), Request{Path: "/a?b=c", Header: http.Header{"X-Sent": {"x"}}})
	testkit.NoError(t, err)
	if got, want := res.Header.Get("Echo"), "GET /a?b=c Mozilla/5.0 x"; got != want {
		t.Errorf("the registry saw %q, want %q", got, want)
	}
	if res.Status != http.StatusTeapot || string(res.Body) != "body" {
		t.Errorf("got %d %q", res.Status, res.Body)
	}
}

func TestDoClassifiesFailures(t *testing.T) {
	abort := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, c := range []struct {
		name   string
		serve  http.HandlerFunc
		kind   op.FailureKind
		is     error
		bounds Options
	}{
		{"reset", abort, op.Broken, ErrConnection, Options{}},
		{"cut in the middle", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "only this")
		}, op.Broken, ErrConnection, Options{}},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
		}, op.Broken, nil, Options{}},
		{"too large", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, strings.Repeat("x", 1001))
		}, op.Broken, nil, Options{}},
		{"too large after decompression", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			fmt.Fprint(z, strings.Repeat("x", 1<<20))
			z.Close()
		}, op.Broken, nil, Options{}},
		{"nothing at all", hang, op.TimedOut, nil, Options{Timeout: 50 * time.Millisecond}},
		{"no header", hang, op.TimedOut, nil, Options{HeaderTimeout: 50 * time.Millisecond}},
		{"no further byte", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "x")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, op.TimedOut, errIdle, Options{IdleTimeout: 50 * time.Millisecond}},
		{"too many requests", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
		}, op.Closed, nil, Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.bounds.URL = listen(t, c.serve)
			_, err := dial(t, c.bounds).Do(t.Context(), Request{Path: "/"})
			var f *op.Failure
			if !errors.As(err, &f) {
				t.Fatalf("error %v is no failure", err)
			}
			if f.Kind != c.kind || f.Registry != "bnr" {
				t.Errorf("kind %d of %q, want %d: %v", f.Kind, f.Registry, c.kind, err)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
			if f.Kind == op.Closed && f.RetryAfter < time.Second {
				t.Errorf("retry after %s", f.RetryAfter)
			}
		})
	}
}

func TestDoNobodyListens(t *testing.T) {
	_, err := dial(t, Options{URL: "http://" + loopback.FreeAddress()}).Do(t.Context(), Request{Path: "/"})
	if !errors.Is(err, ErrConnection) {
		t.Errorf("got %v", err)
	}
}

func TestDoForeignCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	_, err := dial(t, Options{URL: server.URL}).Do(t.Context(), Request{Path: "/"})
	if !errors.Is(err, ErrConnection) {
		t.Errorf("an unknown authority was trusted: %v", err)
	}
}

func TestDoCallersEnd(t *testing.T) {
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := serve(t, hang).Do(ctx, Request{Path: "/"}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		var f *op.Failure
		if _, err := serve(t, hang).Do(ctx, Request{Path: "/"}); !errors.As(err, &f) || f.Kind != op.TimedOut {
			t.Errorf("got %v", err)
		}
	})
}

func TestDoStaysAtItsHost(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	for _, path := range []string{"@elsewhere.example/", "", ":80/"} {
		if _, err := c.Do(t.Context(), Request{Path: path}); err == nil {
			t.Errorf("path %q was accepted", path)
		}
	}
}

func TestDoNotModifiedIsAnAnswer(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotModified) })
	res, err := c.Do(t.Context(), Request{Path: "/"})
	if err != nil || res.Status != http.StatusNotModified {
		t.Errorf("got %v, %v", res, err)
	}
}

func TestFreshConnections(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		t.Run(fmt.Sprint(fresh), func(t *testing.T) {
			var opened atomic.Int32
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
				if s == http.StateNew {
					opened.Add(1)
				}
			}
			server.Start()
			defer server.Close()
			c := dial(t, Options{URL: server.URL, FreshConnections: fresh})
			for range 3 {
				if _, err := c.Do(t.Context(), Request{Path: "/"}); err != nil {
					t.Fatal(err)
				}
			}

			want := int32(1)
			if fresh {
				want = 3
			}
			if opened.Load() != want {
				t.Errorf("%d connections, want %d", opened.Load(), want)
			}
		})
	}
}

func TestWatchSparesABodyThatKeepsComing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		cancelled := make(chan error, 1)
		body := watch(r, 5*time.Second, func(err error) { cancelled <- err })
		go io.Copy(io.Discard, body)
		for range 10 {
			pass(4 * time.Second)
			w.Write([]byte("x"))
		}

		select {
		case err := <-cancelled:
			t.Fatalf("cancelled although bytes arrived: %v", err)
		default:
		}

		pass(5 * time.Second)
		if err := <-cancelled; !errors.Is(err, errIdle) {
			t.Errorf("cancelled with %v", err)
		}
	})
}
