package service

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rodata/rodata/metering"
)

// recycledWriter is a response writer that allocates nothing.
type recycledWriter struct{ header http.Header }

func (w recycledWriter) Header() http.Header         { return w.header }
func (w recycledWriter) WriteHeader(int)             {}
func (w recycledWriter) Write(p []byte) (int, error) { return len(p), nil }

// hitAllocations is the permitted number of allocations of a hit: the call's observation, which observers may keep.
var hitAllocations = 1.0

func TestHitAllocatesLittle(t *testing.T) {
	s := newService(t, oneCompany)
	s.gateway.Anonymous = metering.PerSecond(1000, 1000)
	r, w := httptest.NewRequest("GET", "/v1/companies/9900000010", nil), recycledWriter{http.Header{}}
	hit := func() { s.ServeHTTP(w, r) }
	hit()
	if n := testing.AllocsPerRun(100, hit); n > hitAllocations {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkHit measures our own part of a cached company: at most 2 us and 1 allocation.
func BenchmarkHit(b *testing.B) { benchmarkHit(b, "/v1/companies/9900000010") }

// BenchmarkPastHit measures a stored answer about a past day: at most 1.5 times a hit.
func BenchmarkPastHit(b *testing.B) { benchmarkHit(b, "/v1/companies/9900000010?date=2025-03-31") }

// BenchmarkVATHit measures a stored VAT number, which is a hit like any other.
func BenchmarkVATHit(b *testing.B) { benchmarkHit(b, "/v1/vat-numbers/FR46688637511") }

func benchmarkHit(b *testing.B, path string) {
	s := newService(b, oneCompany)
	s.gateway.Anonymous = metering.PerSecond(1000, 1000)
	addresses := make([]string, 1<<10) // so many that none is limited
	for i := range addresses {
		addresses[i] = fmt.Sprintf("192.0.%d.%d:1", i>>8, i&255)
	}
	// The benchmark reuses one request. A server would have just read it, so it would be in the processor's cache.
	r := httptest.NewRequest("GET", path, nil)
	if res := s.answer(r); res.StatusCode != 200 {
		b.Fatalf("got %d", res.StatusCode)
	}

	w := recycledWriter{http.Header{}}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		r.RemoteAddr = addresses[i%len(addresses)]
		s.ServeHTTP(w, r)
		i++
	}

	if header := fmt.Sprint(w.header); !strings.Contains(header, "x-cache:[HIT]") {
		b.Fatalf("not a hit: %s", header)
	}
}
