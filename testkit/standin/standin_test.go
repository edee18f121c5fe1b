package standin_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// noon is a time before the day's fixing is published.
var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, ro.Bucharest)

func start(t *testing.T, o standin.Options) *standin.Registries {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return noon }
	}

	return standin.For(t, o)
}

func client(t *testing.T) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type answer struct {
	status int
	header http.Header
	body   string
}

// send makes a request; headers are name, value, name, value.
func send(t *testing.T, c *http.Client, method, url, body string, headers ...string) (answer, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	testkit.NoError(t, err)

	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}

	resp, err := c.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()

	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<30))
	return answer{resp.StatusCode, resp.Header, string(data)}, err
}

func get(t *testing.T, url string, headers ...string) answer {
	t.Helper()
	a, err := send(t, client(t), http.MethodGet, url, "", headers...)
	testkit.NoError(t, err)

	return a
}

func ask(numbers ...ro.CUI) string {
	var items []string
	for _, n := range numbers {
		items = append(items, fmt.Sprintf(`{"cui":%d,"data":"2026-11-20"}`, n))
	}
	return "[" + strings.Join(items, ",") + "]"
}

const taxpayers = "/api/PlatitorTvaRest/v9/tva"

func post(t *testing.T, r *standin.Registries, body string, headers ...string) (answer, error) {
	t.Helper()
	return send(t, client(t), http.MethodPost, r.ANAF.URL+taxpayers, body, headers...)
}

// TestFaults requests each fault by the header and checks what arrives.
func TestFaults(t *testing.T) {
	r := start(t, standin.Options{})
	right, err := post(t, r, ask(9900000010))
	testkit.NoError(t, err)

	same := func(a answer, _ error) bool { return a.body == right.body }
	says := func(status int, part string) func(answer, error) bool {
		return func(a answer, err error) bool {
			return err == nil && a.status == status && strings.Contains(a.body, part)
		}
	}
	for _, c := range []struct {
		fault string
		holds func(answer, error) bool
	}{
		{"none", same},
		{"delay=1ms", same},
		{"slow-drip=1us", same},
		{"reset", func(a answer, err error) bool { return err != nil && !errors.Is(err, io.ErrUnexpectedEOF) }},
		{"truncate", func(a answer, err error) bool {
			return errors.Is(err, io.ErrUnexpectedEOF) && a.status == 200 && a.body == right.body[:len(right.body)/2]
		}},
		{"status=503", func(a answer, _ error) bool { return a.status == 503 && a.header.Get("Retry-After") == "" }},
		{"status=429;30s", func(a answer, _ error) bool {
			return a.status == 429 && a.header.Get("Retry-After") == "30"
		}},
		{"html-waf", says(200, "Request Rejected")},
		{"html-maint", says(200, "Mentenanta")},
		{"html-maintenance", says(200, "<html")},
		{"garbage-json", func(a answer, _ error) bool { return a.status == 200 && !json.Valid([]byte(a.body)) }},
		{"error-envelope", says(200, `"cod":500`)},
		{"lacks-vat", func(a answer, _ error) bool {
			return a.status == 200 && strings.Contains(a.body, `"date_generale"`) && !strings.Contains(a.body, "scpTVA")
		}},
		{"changed-shape", func(a answer, _ error) bool {
			return json.Valid([]byte(a.body)) && !strings.Contains(a.body, "found")
		}},
		{"redirect", func(a answer, _ error) bool { return a.status == 302 && a.header.Get("Location") == "/" }},
		{"oversize", func(a answer, _ error) bool { return len(a.body) == 50<<20 }},
		{"bogus", says(400, "")},
		{"reset=2s", says(400, "")},
		{"delay", says(400, "")},
		{"status=99", says(400, "")},
	} {
		t.Run(c.fault, func(t *testing.T) {
			a, err := post(t, r, ask(9900000010), "X-Sim-Fault", c.fault)
			if !c.holds(a, err) {
				t.Errorf("got %d, %d bytes, %v, error %v", a.status, len(a.body), a.header, err)
			}
		})
	}
}

// TestGzipBomb sends a small body that unpacks to a large one.
func TestGzipBomb(t *testing.T) {
	r := start(t, standin.Options{})
	a, err := post(t, r, ask(9900000010), "X-Sim-Fault", "gzip-bomb", "Accept-Encoding", "gzip")
	if err != nil || a.header.Get("Content-Encoding") != "gzip" || len(a.body) > 1<<20 {
		t.Fatalf("%v, %d bytes, error %v", a.header, len(a.body), err)
	}

	z, err := gzip.NewReader(strings.NewReader(a.body))
	testkit.NoError(t, err)

	const much = 5 << 20
	if n, err := io.CopyN(io.Discard, z, much); err != nil {
		t.Errorf("unpacks to %d bytes only: %v", n, err)
	}
}

// TestClose closes the stand-ins while answers hang and drip, and checks that no goroutine is left.
func TestClose(t *testing.T) {
	r := start(t, standin.Options{})
	r.BNR.Queue(standin.Hang, standin.SlowDrip(time.Hour), standin.Delay(time.Hour))
	ended := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := send(t, client(t), http.MethodGet, r.BNR.URL+"/nbrfxrates.xml", "")
			ended <- err
		}()
	}

	testkit.Until(t, "the requests have arrived", func() bool { return r.BNR.Requests().Requests == 3 })
	testkit.NoError(t, r.Close())

	for range 3 {
		if err := <-ended; err == nil {
			t.Error("a request was answered by a closed registry")
		}
	}
	// A goroutine may take a moment to exit after reporting its end.
	testkit.Until(t, "no goroutine is left", func() bool {
		var stacks bytes.Buffer
		testkit.NoError(t, pprof.Lookup("goroutine").WriteTo(&stacks, 1))
		return !strings.Contains(stacks.String(), "standin.(*") &&
			!strings.Contains(stacks.String(), "net/http.(*conn).serve")
	})
}
