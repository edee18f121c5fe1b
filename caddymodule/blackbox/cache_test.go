package blackbox

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func TestSecondCallIsAHit(t *testing.T) {
	g := start(t)
	path := "/v1/companies/" + company(t)
	first := g.get(t, path)
	if first.StatusCode != 200 || first.Header.Get("x-cache") != "MISS" {
		t.Fatalf("got %d %v", first.StatusCode, first.Header)
	}

	for range 20 {
		again := g.get(t, path)
		if again.Header.Get("x-cache") != "HIT" || again.Header.Get("Age") == "" ||
			again.Header.Get("ETag") != first.Header.Get("ETag") {
			t.Fatalf("got %v", again.Header)
		}
	}

	if n := g.registries.ANAF.Requests().Numbers; n != 1 {
		t.Errorf("the registry was asked %d times", n)
	}
}

func conditionalRequest(t *testing.T, g *gateway) {
	path := "/v1/companies/" + company(t)
	tag := g.get(t, path).Header.Get("ETag")
	for name, value := range map[string]string{"the tag": tag, "a list": `"x", ` + tag} {
		got := g.do(t, "GET", path, request{header: map[string]string{"If-None-Match": value}})
		if got.StatusCode != http.StatusNotModified || len(got.body) > 0 || got.Header.Get("ETag") != tag ||
			got.Header.Get("Content-Type") != "" {
			t.Errorf("%s: got %d %v", name, got.StatusCode, got.Header)
		}
	}

	if got := g.do(t, "GET", path,
		request{header: map[string]string{"If-None-Match": `"x"`}}); got.StatusCode != http.StatusOK {
		t.Errorf("another tag: got %d", got.StatusCode)
	}
}

// The first responses are compressed for each request, and later ones share a kept compressed form. Clients cannot
// tell the difference.
func hitIsCompressed(t *testing.T, g *gateway) {
	path := "/v1/companies/" + company(t)
	g.get(t, path)
	plain := g.do(t, "GET", path, request{header: map[string]string{"Accept-Encoding": "identity"}})

	for encoding, unpack := range map[string]func(io.Reader) (io.Reader, error){
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	} {
		tag := plain.Header.Get("Etag") // weak, so it is the same for all codings
		for n := range 50 {
			got := g.do(t, "GET", path, request{header: map[string]string{"Accept-Encoding": encoding}})
			r, err := unpack(bytes.NewReader(got.body))
			if err != nil {
				t.Fatalf("%v: %v", err, got.Header)
			}
			if body, err := io.ReadAll(r); err != nil || !bytes.Equal(body, plain.body) {
				t.Fatalf("%s, answer %d: %v\n%s", encoding, n, err, body)
			}

			if got.Header.Get("Content-Encoding") != encoding || got.Header.Get("Etag") != tag ||
				got.Header.Get("x-cache") != "HIT" ||
				!slices.ContainsFunc(got.Header["Vary"], func(v string) bool {
					return strings.Contains(v, "Accept-Encoding")
				}) {
				t.Fatalf("answer %d has %v", n, got.Header)
			}
		}

		again := g.do(t, "GET", path, request{header: map[string]string{"Accept-Encoding": encoding,
			"If-None-Match": tag}})
		if again.StatusCode != http.StatusNotModified || len(again.body) > 0 || again.Header.Get("Etag") != tag {
			t.Errorf("If-None-Match in %s: got %d %v", encoding, again.StatusCode, again.Header)
		}
	}
}

func TestRateLimit(t *testing.T) {
	g := start(t, func(g *gateway) { delete(g.app(), "anonymous") }) // the shipped limit: 1 a second, 10 at once
	var limited int
	for range 15 {
		got := g.get(t, "/v1/plans")
		if got.Header.Get("RateLimit-Limit") != "1" {
			t.Errorf("RateLimit-Limit is %q", got.Header.Get("RateLimit-Limit"))
		}
		if got.StatusCode == http.StatusOK {
			continue
		}

		limited++
		got.problem(t, http.StatusTooManyRequests, "rate-limited")
		if got.Header.Get("Retry-After") != "1" || got.Header.Get("RateLimit-Remaining") != "0" {
			t.Errorf("got %v", got.Header)
		}
	}

	if limited < 4 || limited > 5 { // the bucket may have gained a token during the loop
		t.Errorf("%d of 15 calls were limited", limited)
	}
}

func TestRestartWithoutTheBank(t *testing.T) {
	g := start(t)
	day, history := "/v1/fx-rates?date=2026-06-13&currency=EUR",
		"/v1/fx-rates/history?currency=EUR&from=2026-06-01&to=2026-06-30"
	before, beforeHistory := g.get(t, day), g.get(t, history)
	if got := before.object(t); got["date"] != "2026-06-12" || got["requestedDate"] != "2026-06-13" {
		t.Errorf("got %v", got)
	}

	company := "/v1/companies/" + company(t)
	g.get(t, company)

	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}

	g.registries.BNR.SetDown(true)
	g.registries.ANAF.SetDown(true)
	if err := g.load(); err != nil {
		t.Fatal(err)
	}
	if after := g.get(t, day); string(after.body) != string(before.body) || after.Header.Get("x-cache") != "HIT" {
		t.Errorf("got %d %s", after.StatusCode, after.body)
	}
	if after := g.get(t, history); string(after.body) != string(beforeHistory.body) {
		t.Errorf("got %d %s", after.StatusCode, after.body)
	}
	if after := g.get(t, company); after.StatusCode != 200 || after.Header.Get("x-cache") != "HIT" {
		t.Errorf("got %d %s", after.StatusCode, after.body)
	}
}
