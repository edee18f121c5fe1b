package site

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/testkit"
)

func TestRenderedPagesAreBounded(t *testing.T) {
	p := newRenderedPages()
	p.limit = 1000
	rendered := 0
	page := func(key string) string {
		t.Helper()
		got, err := p.through(key, func() ([]byte, error) {
			rendered++
			return fmt.Append(nil, key, string(make([]byte, 80))), nil
		})
		testkit.NoError(t, err)

		return string(got.body[:len(key)])
	}

	for i := range 100 {
		key := fmt.Sprintf("page %d", i)
		if got := page(key); got != key {
			t.Fatalf("%q was answered with %q", key, got)
		}

		page("in use")
		if size := len(p.young) + len(p.old); size > 24 {
			t.Fatalf("%d pages are kept", size)
		}
	}

	if rendered != 101 {
		t.Errorf("%d pages were rendered; the page in use should be rendered once", rendered)
	}
}

func TestFailedPagesAreNotKept(t *testing.T) {
	p := newRenderedPages()
	if _, err := p.through("a", func() ([]byte, error) { return nil, errors.New("no template") }); err == nil {
		t.Fatal("no error")
	}
	if page, err := p.through("a", func() ([]byte, error) { return []byte("html"), nil }); err != nil ||
		string(page.body) != "html" {
		t.Errorf("after an error: %v, %v", page, err)
	}
}

// A cached page is reused even if the search took a different time, because the duration is not part of the key.
func TestDurationOfASearchMakesNoOtherPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trade := newFakeTrade()
		s := listingSite(t, trade, &fakeFixings{})
		for _, path := range []string{"/companies?q=exemplu", "/caen/6210", "/places/54975"} {
			kept := len(s.rendered.young)
			for trade.takes = 0; trade.takes < 30*time.Millisecond; trade.takes += 7 * time.Millisecond {
				get(s, path)
			}
			if made := len(s.rendered.young) - kept; made != 1 {
				t.Errorf("%s: %d pages are kept", path, made)
			}
		}

		trade.total++
		kept := len(s.rendered.young)
		if get(s, "/companies?q=exemplu"); len(s.rendered.young) == kept {
			t.Error("a different result is answered with the cached page")
		}
	})
}

func TestCompressedPages(t *testing.T) {
	known := &oneCompany{profile: &company.Company{TaxID: 9900000010, Name: "EXEMPLU CLUJ SRL"}}
	s := liveSite(t, api.Registries{Companies: known}, unlimited)
	plain := get(s, "/companies/9900000010")
	for _, c := range []struct {
		accept string
		coding string
	}{
		{"gzip", "gzip"}, {"br, GZIP;q=0.5", "gzip"}, {"zstd, gzip", "zstd"}, {"", ""}, {"gzip;q=0", ""},
	} {
		w := get(s, "/companies/9900000010", "Accept-Encoding", c.accept)
		body := w.Body.Bytes()
		if w.Header().Get("Content-Encoding") != c.coding {
			t.Errorf("accepting %q: Content-Encoding is %q", c.accept, w.Header().Get("Content-Encoding"))
			continue
		}
		if c.coding != "" && w.Header().Get("Etag") == plain.Header().Get("Etag") {
			t.Errorf("accepting %q: the entity tag of the plain page", c.accept)
		}

		if c.coding == "gzip" {
			r, err := gzip.NewReader(w.Body)
			testkit.NoError(t, err)
			if body, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}

		if c.coding == "zstd" {
			r, err := zstd.NewReader(w.Body)
			testkit.NoError(t, err)
			defer r.Close()

			if body, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}

		if !bytes.Equal(body, plain.Body.Bytes()) {
			t.Errorf("accepting %q: the page differs", c.accept)
		}
		if !slices.Contains(w.Header().Values("Vary"), "Accept-Encoding") {
			t.Errorf("accepting %q: Vary is %q", c.accept, w.Header().Values("Vary"))
		}
	}
}
