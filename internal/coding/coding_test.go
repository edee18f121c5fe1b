package coding

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/rodata/rodata/testkit"
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
		"*":                              Identity, // the client accepts any coding, so the body is sent uncompressed
		",, ,gzip,":                      Gzip,
		strings.Repeat(";", 1000) + ",;": Identity,
	} {
		if got := Negotiate(http.Header{"Accept-Encoding": {accept}}); got != want {
			t.Errorf("%q: got %v, want %v", accept, got, want)
		}
	}

	if got := Negotiate(http.Header{"Accept-Encoding": {"br", "gzip"}}); got != Gzip {
		t.Errorf("with two header lines: got %v, want %v", got, Gzip)
	}
	if got := Negotiate(http.Header{}); got != Identity {
		t.Errorf("without the header: got %v, want %v", got, Identity)
	}
}

// unpack decompresses a body.
func unpack(t *testing.T, c Coding, body []byte) []byte {
	t.Helper()
	var r io.Reader
	var err error
	if c == Zstd {
		r, err = zstd.NewReader(bytes.NewReader(body))
	} else {
		r, err = gzip.NewReader(bytes.NewReader(body))
	}

	testkit.NoError(t, err)

	unpacked, err := io.ReadAll(r)
	testkit.NoError(t, err)

	return unpacked
}

var (
	repetitive = bytes.Repeat([]byte(`{"name":"EXEMPLU SRL"},`), 50)
	tag        = `"abc"`
)

// The second request for a body starts a thorough compression in the background, which later requests share. The first
// two requests each get a form compressed for them alone.
func TestFormsOfARepeatedBody(t *testing.T) {
	for c := range codings {
		synctest.Test(t, func(t *testing.T) {
			var f Forms
			seen := make(map[*Form]bool)
			for n := range 4 {
				form := f.In(c, repetitive, tag)
				if form == nil || !bytes.Equal(unpack(t, c, form.Body), repetitive) ||
					len(form.Body) >= len(repetitive) {
					t.Fatalf("answer %d in %s is %v", n, names[c], form)
				}
				if form.Encoding[0] != names[c][0] || form.ETag[0] != `"abc-`+names[c][0]+`"` ||
					form.Length[0] != strconv.Itoa(len(form.Body)) {
					t.Errorf("headers of answer %d: %v, %v, %v", n, form.Encoding, form.ETag, form.Length)
				}

				seen[form] = true
				synctest.Wait()
			}

			if len(seen) != 3 {
				t.Errorf("4 requests returned %d different forms, want 3", len(seen))
			}

			if weak := new(Forms).In(c, repetitive, `W/"abc"`); weak.ETag[0] != `W/"abc"` {
				t.Errorf("a weak tag becomes %s", weak.ETag)
			}
			if f.In((c+1)%codings, repetitive, tag).Encoding[0] == names[c][0] {
				t.Error("both codings return the same form")
			}
		})
	}
}

func TestBodiesThatAreNotCompressed(t *testing.T) {
	noise := make([]byte, 2*smallest)
	for i := range noise {
		noise[i] = byte(i * i * 2654435761 >> 7)
	}

	packed := Gzip.compress(quickly, Zstd.compress(quickly, noise))
	for name, body := range map[string][]byte{"short": repetitive[:smallest-1], "compressed": packed} {
		synctest.Test(t, func(t *testing.T) {
			var f Forms
			for range 4 {
				for c := range Identity + 1 {
					if f.In(c, body, tag) != nil {
						t.Errorf("a %s body is compressed", name)
					}
				}

				synctest.Wait()
			}
		})
	}
}

// Concurrent callers always get a complete form of the right body.
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
				if form := forms[i].In(Gzip, bodies[i], ""); form == nil ||
					!bytes.Equal(unpack(t, Gzip, form.Body), bodies[i]) {
					t.Errorf("the form for body %d has a different body", i)
					return
				}
			}
		})
	}

	group.Wait()
}
