package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
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

func TestFailedPagesAreNotKept(t *testing.T) {
	s := newSite(t)
	if _, err := s.renderOnce("a", func() ([]byte, error) { return nil, errors.New("no template") }); err == nil {
		t.Fatal("no error")
	}
	if page, err := s.renderOnce("a", func() ([]byte, error) { return []byte("html"), nil }); err != nil ||
		string(page.JSON) != "html" {
		t.Errorf("after an error: %v, %v", page, err)
	}
}

// A cached page is reused even if the search took a different time, because the duration is not part of the key.
func TestDurationOfASearchMakesNoOtherPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trade := newFakeTrade()
		s := listingSite(t, trade, &fakeFixings{})
		for _, path := range []string{"/companies?q=exemplu", "/caen/6210", "/places/54975"} {
			kept := s.rendered.Len()
			for trade.takes = 0; trade.takes < 30*time.Millisecond; trade.takes += 7 * time.Millisecond {
				get(s, path)
			}
			if made := s.rendered.Len() - kept; made != 1 {
				t.Errorf("%s: %d pages are kept", path, made)
			}
		}

		trade.total++
		kept := s.rendered.Len()
		if get(s, "/companies?q=exemplu"); s.rendered.Len() == kept {
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
			body = testkit.Must(io.ReadAll(testkit.Must(gzip.NewReader(w.Body))))
		}

		if c.coding == "zstd" {
			r := testkit.Must(zstd.NewReader(w.Body))
			defer r.Close()

			body = testkit.Must(io.ReadAll(r))
		}

		if !bytes.Equal(body, plain.Body.Bytes()) {
			t.Errorf("accepting %q: the page differs", c.accept)
		}
		if !slices.Contains(w.Header().Values("Vary"), "Accept-Encoding") {
			t.Errorf("accepting %q: Vary is %q", c.accept, w.Header().Values("Vary"))
		}
	}
}

func TestPartsOfARecentProfileAreNotAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		var missing []int
		known := &oneCompany{profile: &company.Company{TaxID: 9900000010, Name: "EXEMPLU CLUJ SRL"}}
		known.sheets = func(context.Context) ([]company.BalanceSheet, []int, error) {
			asked++
			return []company.BalanceSheet{{Year: 2024}}, missing, nil
		}
		s := liveSite(t, api.Registries{Companies: known}, unlimited)
		view := func(what string, want int) {
			t.Helper()
			shows(t, s, "/companies/9900000010", "2024")
			if asked != want {
				t.Errorf("%s: balance sheets were asked for %d times, want %d", what, asked, want)
			}
		}

		view("the first view", 1)
		view("another at once", 1)
		<-time.After(recentFor)
		view("one later", 2)
		known.profile = &company.Company{TaxID: 9900000010, Name: "EXEMPLU CLUJ SA"}
		view("a changed profile", 3)

		missing = []int{2023}
		<-time.After(recentFor)
		view("with a year missing", 4)
		view("the same, reloaded", 5)
	})
}
