package coding

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func TestAccepted(t *testing.T) {
	for accept, want := range map[string]Coding{
		"":                               Identity,
		"gzip":                           Gzip,
		"gzip, deflate, br, zstd":        Zstd,
		"zstd, gzip":                     Zstd,
		"gzip;q=1.0, zstd;q=0.5":         Gzip,
		"br, GZIP;q=0.5":                 Gzip,
		"gzip;q=0":                       Identity,
		"gzip; q=0.000, br":              Identity,
		"gzip;q=0, zstd ; Q=0.1":         Zstd,
		"gzip;q=high":                    Identity,
		"gzip;level=9":                   Gzip,
		"x-gzipped":                      Identity,
		"identity":                       Identity,
		"*":                              Identity, // any would do, so the body as it is
		",, ,gzip,":                      Gzip,
		strings.Repeat(";", 1000) + ",;": Identity,
	} {
		if got := Accepted(http.Header{"Accept-Encoding": {accept}}); got != want {
			t.Errorf("%q: got %v, want %v", accept, got, want)
		}
	}

	if got := Accepted(http.Header{"Accept-Encoding": {"br", "gzip"}}); got != Gzip {
		t.Errorf("of two header lines: got %v, want %v", got, Gzip)
	}
	if got := Accepted(http.Header{}); got != Identity {
		t.Errorf("without the header: got %v, want %v", got, Identity)
	}
}

// unpack returns a compressed body, decompressed.
func unpack(t *testing.T, c Coding, body []byte) []byte {
	t.Helper()
	var r io.Reader
	var err error
	if c == Zstd {
		r, err = zstd.NewReader(bytes.NewReader(body))
	} else {
		r, err = gzip.NewReader(bytes.NewReader(body))
	}
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return unpacked
}

var (
	repetitive = bytes.Repeat([]byte(`{"name":"EXEMPLU SRL"},`), 50)
	tag        = `"abc"`
)

// A body is compressed in the background when it is asked for a second time, and from then on it is available.
func TestFormsOfARepeatedBody(t *testing.T) {
	for c := range codings {
		synctest.Test(t, func(t *testing.T) {
			var f Forms
			for range 2 {
				if form := f.In(c, repetitive, tag); form != nil {
					t.Fatalf("%s is available at once", names[c])
				}
				synctest.Wait()
			}

			form := f.In(c, repetitive, tag)
			if form == nil || !bytes.Equal(unpack(t, c, form.Body), repetitive) || len(form.Body) >= len(repetitive) {
				t.Fatalf("the third answer in %s is %v", names[c], form)
			}
			if form.Encoding[0] != names[c][0] || form.ETag[0] != `"abc-`+names[c][0]+`"` {
				t.Errorf("its headers: %v, %v", form.Encoding, form.ETag)
			}
			if weak := newForm(c, repetitive, `W/"abc"`); weak.ETag[0] != `W/"abc"` {
				t.Errorf("a weak tag becomes %s", weak.ETag)
			}
			if again := f.In(c, repetitive, tag); again != form {
				t.Error("it is compressed once more")
			}
		})
	}
}

func TestBodiesThatAreNotCompressed(t *testing.T) {
	noise := make([]byte, 2*smallest)
	for i := range noise {
		noise[i] = byte(i * i * 2654435761 >> 7)
	}
	packed := Gzip.compress(Zstd.compress(noise))
	for name, body := range map[string][]byte{"short": repetitive[:smallest-1], "compressed": packed} {
		synctest.Test(t, func(t *testing.T) {
			var f Forms
			for range 4 {
				for c := range Identity + 1 {
					if f.In(c, body, tag) != nil || f.Now(c, body, tag) != nil {
						t.Errorf("a %s body is compressed", name)
					}
				}
				synctest.Wait()
			}
		})
	}
}

func TestNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Forms
		form := f.Now(Gzip, repetitive, tag)
		if form == nil || !bytes.Equal(unpack(t, Gzip, form.Body), repetitive) {
			t.Fatalf("got %v", form)
		}
		if f.In(Gzip, repetitive, tag) != form {
			t.Error("it is not kept")
		}
		if f.In(Zstd, repetitive, tag) != nil {
			t.Error("the other coding is available too")
		}
	})
}

// Concurrent callers get no form or a complete one.
func TestFormsAreSharedByCallers(t *testing.T) {
	var bodies [8][]byte
	for i := range bodies {
		bodies[i] = bytes.Repeat([]byte{byte('a' + i), 'x'}, 2000)
	}
	var forms [len(bodies)]Forms
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 4000 {
				i %= len(bodies)
				if form := forms[i].In(Gzip, bodies[i], ""); form != nil && !bytes.Equal(unpack(t, Gzip, form.Body), bodies[i]) {
					t.Errorf("body %d is another", i)
					return
				}
			}
		})
	}
	group.Wait()
}
