package service

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/testkit/standin"
)

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
