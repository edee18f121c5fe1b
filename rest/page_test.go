package rest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The API description contains the requested host. It is encoded only once for all hosts, because encoding takes 25 ms.
func TestDescriptionIsEncodedOnce(t *testing.T) {
	h := newHandler(t)
	n := 0
	describe := func() string {
		n++
		r := newRequest("GET", "/openapi.json", nil)
		r.Host = fmt.Sprintf("host-%d.example.ro", n)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	first, second := describe(), describe()
	if !strings.Contains(first, `"url":"https://host-1.example.ro"`) ||
		second != strings.Replace(first, "host-1.", "host-2.", 1) {
		t.Errorf("descriptions for two hosts differ in more than the address:\n%.300s\n%.300s", first, second)
	}
	if allocations := testing.AllocsPerRun(20, func() { describe() }); allocations > 200 {
		t.Errorf("a description for a new host takes %v allocations, want at most 200", allocations)
	}
}

// Requests other than operations are limited separately for each address: /health always answers, and other addresses
// are not affected.
func TestPagesAreLimitedByAddress(t *testing.T) {
	for _, path := range []string{"/openapi.json", "/problems/not-found", "/", "/docs/"} {
		t.Run(path, func(t *testing.T) {
			h := newHandler(t)
			synctest.Test(t, func(t *testing.T) { limitedByAddress(t, h, path) })
		})
	}
}

func limitedByAddress(t *testing.T, h *Handler, path string) {
	get := func(path, address string) *http.Response {
		r := newRequest("GET", path, nil)
		r.RemoteAddr = address + ":443"
		if Handles(path) {
			return answer(h, r)
		}

		w := httptest.NewRecorder()
		h.ServePage(w, r, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		return w.Result()
	}
	const flooder, other = "192.0.2.7", "192.0.2.8"
	for n := range pageRate.Burst {
		if res := get(path, flooder); res.StatusCode >= 400 {
			t.Fatalf("request %d got %d", n+1, res.StatusCode)
		}
	}

	res := get(path, flooder)
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") != "1" ||
		!strings.Contains(string(body), "/problems/rate-limited") {
		t.Errorf("beyond the burst: got %d %v %s", res.StatusCode, res.Header, body)
	}
	if res := get(path, other); res.StatusCode >= 400 {
		t.Errorf("another address got %d", res.StatusCode)
	}
	if res := get("/health", flooder); res.StatusCode != http.StatusOK {
		t.Errorf("/health got %d", res.StatusCode)
	}

	<-time.After(time.Second) // on the bubble's clock
	if res := get(path, flooder); res.StatusCode >= 400 {
		t.Errorf("after Retry-After: got %d", res.StatusCode)
	}
}
