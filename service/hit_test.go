package service

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/testkit/standin"
	"github.com/rodata/rodata/upstream/anaf"
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

	least := math.Inf(1) // of several runs, because other goroutines' allocations are counted, too
	for range 10 {
		least = min(least, testing.AllocsPerRun(10, hit))
	}
	if least > hitAllocations {
		t.Errorf("%v allocations", least)
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

// everyCompany is a register that knows every number.
func everyCompany(_ context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
	address := strings.Repeat("Strada Exemplului, ", 50)
	return anaf.NewRecord(fmt.Appendf(nil, `{"date_generale":{"cui":%d,"denumire":"EXEMPLU SRL",
		"stare_inregistrare":"INREGISTRAT","adresa":%q}}`, asked.CUI, address)), nil
}

// BenchmarkBatch measures our own part of a thousand stored companies: at most 10 ms.
func BenchmarkBatch(b *testing.B) {
	s := newService(b, everyCompany)
	s.serve(b, api.Registries{Companies: s.companies, Batch: company.BatchLimits{Keyed: 1000, Anonymous: 1000}})
	var cuis []string
	for _, cui := range invented.CUIs(100, 1000) {
		cuis = append(cuis, cui.String())
	}

	list := []byte(`{"taxIds":[` + strings.Join(cuis, ",") + `]}`)
	for _, form := range []string{"application/json", "application/x-ndjson"} {
		b.Run(form, func(b *testing.B) {
			w := &countingWriter{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				r := httptest.NewRequest("POST", "/v1/companies/batch", bytes.NewReader(list))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", form)
				s.ServeHTTP(w, r)
			}

			if w.found != 1000*b.N {
				b.Errorf("%d companies in %d answers", w.found, b.N)
			}
		})
	}
}

// countingWriter counts the companies found.
type countingWriter struct {
	header http.Header
	found  int
}

func (w *countingWriter) Header() http.Header { return w.header }
func (w *countingWriter) WriteHeader(int)     {}
func (w *countingWriter) Flush()              {}
func (w *countingWriter) Write(p []byte) (int, error) {
	w.found += bytes.Count(p, []byte(`"status":200`))
	return len(p), nil
}

// Keeping companies compressed in both codings, besides the uncompressed form, takes less than 40 % more memory.
func TestCompressedCompaniesTakeLittleMemory(t *testing.T) {
	o := newObserved(t, standin.Options{Everybody: true})
	o.registries.BNR.URL = "http://127.0.0.1:1" // the archive of rates would grow meanwhile
	o.start(t, "production")
	defer o.stop(t)
	ask := func(cui ro.CUI, coding string) http.Header {
		r, w := httptest.NewRequest("GET", "/v1/companies/"+cui.String(), nil), httptest.NewRecorder()
		r.Header.Set("Accept-Encoding", coding)
		if o.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Fatalf("got %d", w.Code)
		}

		return w.Header()
	}

	// compress makes requests until two answers share the same header value, which shows that the compressed form is
	// kept.
	compress := func(cui ro.CUI) {
		for _, coding := range []string{"gzip", "zstd"} {
			tag := func() *string { return &ask(cui, coding)["Etag"][0] }
			for previous, next := tag(), tag(); next != previous; {
				previous, next = next, tag()
			}
		}
	}
	companies := invented.CUIs(10_000, 301)
	compress(companies[300]) // one-time allocations must not count
	companies = companies[:300]
	empty := liveHeap()
	var callers sync.WaitGroup
	for part := range 10 {
		callers.Go(func() {
			for _, cui := range companies[30*part : 30*(part+1)] {
				o.get(t, cui)
				ask(cui, "identity")
			}
		})
	}

	callers.Wait()
	plain := liveHeap() - empty

	for _, cui := range companies {
		compress(cui)
	}

	compressed := liveHeap() - empty

	t.Logf("a company takes %d bytes, and %d with its compressed forms", plain/len(companies),
		compressed/len(companies))
	if compressed > plain*14/10 {
		t.Error("the compressed forms take too much memory")
	}
	if compressed < plain*11/10 {
		t.Error("the memory grew too little: the compressed forms are not kept")
	}
}

// liveHeap returns the size of all reachable objects, in bytes.
func liveHeap() int {
	runtime.GC()
	runtime.GC() // which also empties pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
