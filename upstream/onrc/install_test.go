package onrc

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/process"
)

// sourceServer serves a folder like another gateway, and records the requests: names, followed by ranges.
type sourceServer struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
	// cutAfter, if positive, breaks responses with archives after this many bytes.
	cutAfter int
}

func serveFolder(t *testing.T, folder string) *sourceServer {
	t.Helper()
	d := &sourceServer{}
	files := http.StripPrefix("/register/", http.FileServer(http.Dir(folder)))
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		d.asked = append(d.asked, strings.TrimSpace(path.Ext(r.URL.Path)+" "+r.Header.Get("Range")))
		after := d.cutAfter
		d.mu.Unlock()
		if path.Ext(r.URL.Path) != ".tar" {
			files.ServeHTTP(w, r)
			return
		}

		body, _ := os.ReadFile(filepath.Join(folder, path.Base(r.URL.Path)))
		if after > 0 {
			cut(string(body), `"a"`, after)(w, r)
		}

		whole(string(body), `"a"`)(w, r)
	}))
	t.Cleanup(d.Close)
	return d
}

func (d *sourceServer) requests() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.asked)
}

// taker opens a register that installs the index published at an address.
func taker(t *testing.T, address, dir string, p *Portal) *Register {
	t.Helper()
	d, err := NewSource(address)
	testkit.NoError(t, err)
	if d.host != nil {
		d.host.retry = time.Millisecond
	}

	t.Cleanup(d.Close)
	r := Open(RegisterOptions{Portal: p, Source: d, Dir: dir})
	t.Cleanup(func() { r.Close() })
	return r
}

func TestInstall(t *testing.T) {
	for _, kind := range []string{"a folder", "a web server"} {
		t.Run(kind, func(t *testing.T) {
			folder, dir, from := t.TempDir(), t.TempDir(), written(t, "firme-02-09-2026", 200, true)
			writeStatements(t, from, 200, 2025)
			loaded := t.TempDir()
			mustLoad(t, Options{From: from, Dir: loaded})
			publishes := mustOpen(t, loaded)
			publishes.o.Publish = folder
			mustOffer(t, publishes)
			server := serveFolder(t, folder)
			address := folder
			if kind == "a web server" {
				address = server.URL + "/register/"
			}

			r := taker(t, address, dir, nil)
			if wait := r.update(t.Context()); wait < checkEvery || r.Status().Companies != 200 ||
				r.DataThrough().String() != "2026-09-02" {
				t.Errorf("again after %s, %+v", wait, r.Status())
			}

			wantStatements(t, dir, 2025)
			if left, _ := filepath.Glob(filepath.Join(dir, "taking")); len(left) > 0 {
				t.Errorf("%v are left", left)
			}

			asked := len(server.requests())
			if r.update(t.Context()); r.Status().Err != nil || address != folder && len(server.requests()) != asked+1 {
				t.Errorf("with nothing new: %+v, asked for %q", r.Status(), server.requests())
			}

			mustOffer(t, publisher(t, folder, "firme-02-10-2026", 210))
			if r.update(t.Context()); r.Status().Companies != 210 || r.DataThrough().String() != "2026-10-02" {
				t.Errorf("with a later release: %+v", r.Status())
			}
			if all, err := listSegments(dir); err != nil || len(all) != 1 {
				t.Errorf("there are %d segments, %v", len(all), err)
			}
		})
	}
}

// TestInstallThroughTruncatedResponses installs an archive although every response is truncated.
func TestInstallThroughTruncatedResponses(t *testing.T) {
	folder := t.TempDir()
	p := mustOffer(t, publisher(t, folder, "firme-02-09-2026", 200))
	server := serveFolder(t, folder)
	server.cutAfter = int(p.Size/3) + 1
	r := taker(t, server.URL+"/register", t.TempDir(), nil)
	if r.update(t.Context()); r.Status().Companies != 200 {
		t.Errorf("the status is %+v after %q", r.Status(), server.requests())
	}
}

// packed writes an archive of given files and announces it.
func packed(t *testing.T, folder string, p publication, headers ...tar.Header) {
	t.Helper()
	var archive bytes.Buffer
	out := tar.NewWriter(&archive)
	for _, h := range headers {
		testkit.NoError(t, out.WriteHeader(&h))
	}

	out.Close()
	sum := sha256.Sum256(archive.Bytes())
	p.Size, p.SHA256 = int64(archive.Len()), hex.EncodeToString(sum[:])
	testkit.NoError(t, os.WriteFile(filepath.Join(folder, p.Archive), archive.Bytes(), 0o600))

	announce(t, folder, p)
}

func TestInstallRejects(t *testing.T) {
	tests := map[string]struct {
		spoil func(t *testing.T, folder string, p publication)
		says  string
	}{
		"another checksum": {func(t *testing.T, folder string, p publication) {
			p.SHA256 = strings.Repeat("0", 64)
			announce(t, folder, p)
		}, "its checksum is"},
		"a damaged archive": {func(t *testing.T, folder string, p publication) {
			file, err := os.OpenFile(filepath.Join(folder, p.Archive), os.O_WRONLY, 0)
			if err == nil {
				_, err = file.WriteAt([]byte("damage"), p.Size/2)
			}
			if err = errors.Join(err, file.Close()); err != nil {
				t.Fatal(err)
			}
		}, "its checksum is"},
		"another format": {func(t *testing.T, folder string, p publication) {
			p.Format++
			announce(t, folder, p)
		}, fmt.Sprintf("format %d, this program reads format %d", search.Format+1, search.Format)},
		"another release": {func(t *testing.T, folder string, p publication) {
			p.Release++
			announce(t, folder, p)
		}, "not of 2026-10-03"},
		"too large": {func(t *testing.T, folder string, p publication) {
			p.Size = maxFile + 1
			announce(t, folder, p)
		}, "the limit"},
		"a path out of the folder": {func(t *testing.T, folder string, p publication) {
			p.Archive = "../" + p.Archive
			announce(t, folder, p)
		}, "does not say what is published"},
		"no publication": {func(t *testing.T, folder string, _ publication) {
			testkit.NoError(t, os.WriteFile(filepath.Join(folder, publicationFile), []byte("<html>"), 0o600))
		}, "reading register.json"},
		"no index in it": {func(t *testing.T, folder string, p publication) { packed(t, folder, p) }, "index.json"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			folder, dir, f := t.TempDir(), loaded(t, "firme-08-07-2026", 50, true), newFiles(t)
			test.spoil(t, folder, mustOffer(t, publisher(t, folder, "firme-02-10-2026", 60)))

			alone := taker(t, folder, dir, nil)
			wait := alone.update(t.Context())
			if err := alone.Status().InstallErr; !errors.Is(err, errUnusable) ||
				!strings.Contains(err.Error(), test.says) || wait != lastRetry {
				t.Errorf("the error is %v, again after %s", err, wait)
			}
			if n, day := served(t, dir); n != 50 || day != "2026-07-08" {
				t.Errorf("%d companies of %s are served", n, day)
			}

			f.release(t, "firme-02-09-2026", 100)
			builds := taker(t, folder, dir, mustPortal(t, f.URL))
			if builds.update(t.Context()); builds.DataThrough().String() != "2026-09-02" ||
				builds.Status().Err != nil || builds.Status().InstallErr == nil {
				t.Errorf("with a portal: %+v", builds.Status())
			}
		})
	}
}

func TestInstallUnpacksNothingElse(t *testing.T) {
	for name, h := range map[string]tar.Header{
		"out of the directory": {Name: "../out", Typeflag: tar.TypeReg},
		"out of a folder":      {Name: "index/../../out", Typeflag: tar.TypeReg},
		"an absolute path":     {Name: "/tmp/out", Typeflag: tar.TypeReg},
		"a link":               {Name: "index/records", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink},
		"a folder":             {Name: "index/more/", Typeflag: tar.TypeDir},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			packed(t, folder, mustOffer(t, publisher(t, folder, "firme-02-09-2026", 10)), h)
			r := taker(t, folder, t.TempDir(), nil)
			if err := r.install(t.Context()); err == nil ||
				!strings.Contains(err.Error(), "does not belong in an archive") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestPatience waits a day for an empty source, and then loads releases itself.
func TestPatience(t *testing.T) {
	folder, f := t.TempDir(), newFiles(t)
	f.release(t, "firme-02-09-2026", 100)
	r := taker(t, folder, t.TempDir(), mustPortal(t, f.URL))
	began := time.Now()
	for _, at := range []struct {
		after time.Duration
		loads bool
	}{{0, false}, {patience - time.Minute, false}, {patience, true}} {
		r.o.Now = func() time.Time { return began.Add(at.after) }
		r.update(t.Context())
		if s := r.Status(); s.InstallErr == nil || (s.Release != 0) != at.loads || (s.Err == nil) != at.loads {
			t.Errorf("after %s: %+v", at.after, s)
		}
	}

	mustOffer(t, publisher(t, folder, "firme-02-10-2026", 110))
	if r.update(t.Context()); r.Status().Companies != 110 || r.Status().InstallErr != nil || !r.failingSince.IsZero() {
		t.Errorf("once something is published: %+v", r.Status())
	}
}

// TestInstallIsKilled kills installing processes at various times of an installation.
func TestInstallIsKilled(t *testing.T) {
	if folder := os.Getenv("TAKE_AND_BE_KILLED"); folder != "" {
		testkit.NoError(t, taker(t, folder, os.Getenv("TAKE_INTO"), nil).install(t.Context()))
		return
	}

	const firms = 8000
	folder, dir := t.TempDir(), loaded(t, "firme-08-07-2026", 400, true)
	mustOffer(t, publisher(t, folder, "firme-02-09-2026", firms))
	killed := 0
	for _, wait := range []time.Duration{5, 10, 20, 30, 40, 60} {
		child := process.Start(t,
			process.Test(t, "TestInstallIsKilled", "TAKE_AND_BE_KILLED="+folder, "TAKE_INTO="+dir))
		if child.WaitFor(wait*time.Millisecond) != nil {
			killed++
		}
		if n, _ := served(t, dir); n != 400 && n != firms {
			t.Fatalf("%d companies are served", n)
		}
	}

	t.Logf("%d were killed before the end", killed)
	r := taker(t, folder, dir, nil)
	if r.update(t.Context()); r.Status().Companies != firms || r.Status().Err != nil {
		t.Errorf("the status is %+v", r.Status())
	}
}

func TestSourceAddress(t *testing.T) {
	for name, test := range map[string]struct{ address, says string }{
		"a folder":          {"/srv/rodata/register", ""},
		"a URL":             {"https://edge.example/register/", ""},
		"this machine":      {"http://127.0.0.1:8080/register", ""},
		"a relative folder": {"register", "absolute path"},
		"not encrypted":     {"http://edge.example/register", "not encrypted"},
		"a signed URL":      {"https://bucket.example/register?signature=1", "not a plain URL"},
		"another scheme":    {"s3://bucket/register", "use https"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := NewSource(test.address)
			if test.says == "" && err != nil || test.says != "" &&
				(err == nil || !strings.Contains(err.Error(), test.says)) {
				t.Fatalf("the error is %v", err)
			}
			if err == nil {
				d.Close()
			}
		})
	}
}
