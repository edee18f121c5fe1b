package onrc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/testkit"
)

// publisher opens a register with a release of invented firms that is published
// to a folder.
func publisher(t *testing.T, folder, slug string, firms int) *Register {
	t.Helper()
	dir := loaded(t, slug, firms, true)
	r := Open(RegisterOptions{Dir: dir, Publish: folder})
	t.Cleanup(func() { r.Close() })
	return r
}

// mustOffer publishes what a register serves.
func mustOffer(t *testing.T, r *Register) publication {
	t.Helper()
	r.publishServed(t.Context())
	testkit.NoError(t, r.Status().PublishErr)

	return published(t, r.o.Publish)
}

// published returns the publication in a folder, and checks its archive.
func published(t *testing.T, folder string) publication {
	t.Helper()
	d, err := NewSource(folder)
	testkit.NoError(t, err)

	p, err := d.publication(t.Context())
	testkit.NoError(t, err)
	if info, err := os.Stat(filepath.Join(folder, p.Archive)); err != nil || info.Size() != p.Size ||
		info.Mode().Perm() != 0o640 {
		t.Errorf("the archive is %v, %v", info, err)
	}

	return p
}

// announce replaces the publication in a folder.
func announce(t *testing.T, folder string, p publication) {
	t.Helper()
	testkit.NoError(t, writeJSON(filepath.Join(folder, publicationFile), p))
}

func TestPublish(t *testing.T) {
	folder := t.TempDir()
	first := publisher(t, folder, "firme-08-07-2026", 50)
	old := mustOffer(t, first)
	if old.Release.String() != "2026-07-08" || old.Format != search.Format ||
		!strings.HasPrefix(old.Archive, "2026-07-08-"+old.SHA256[:16]) {
		t.Errorf("published is %+v", old)
	}

	second := publisher(t, folder, "firme-02-09-2026", 60)
	news := mustOffer(t, second)
	if news.Release.String() != "2026-09-02" {
		t.Errorf("published is %+v", news)
	}

	first.published = "" // as on the next day
	if p := mustOffer(t, first); p != news {
		t.Errorf("an older release replaced a later one: %+v", p)
	}
	testkit.NoError(t, os.Remove(filepath.Join(folder, news.Archive)))

	second.published = ""
	if p := mustOffer(t, second); p != news {
		t.Errorf("published again is %+v, want the same as before, %+v", p, news)
	}
}

func TestPublishLeavesALaterFormat(t *testing.T) {
	folder := t.TempDir()
	r := publisher(t, folder, "firme-02-09-2026", 50)
	p := mustOffer(t, r)
	p.Format, p.Release = search.Format+1, p.Release-1
	announce(t, folder, p)
	r.published = ""
	r.publishServed(t.Context())
	if body, err := os.ReadFile(filepath.Join(folder, publicationFile)); err != nil ||
		!strings.Contains(string(body), p.Release.String()) {
		t.Errorf("published is %s, %v", body, err)
	}
}

func TestPublishPrunesTheFolder(t *testing.T) {
	folder := t.TempDir()
	day := time.Now().Add(-leftover - time.Minute)
	for name, at := range map[string]time.Time{
		"2026-01-01-0123456789abcdef.tar": day, "2026-01-02-0123456789abcdef.tar": time.Now(),
		unfinished + "1": day, unfinished + "2": time.Now(), "index.html": day,
	} {
		path := filepath.Join(folder, name)
		testkit.NoError(t, errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)))
	}

	p := mustOffer(t, publisher(t, folder, "firme-02-09-2026", 50))
	for name, want := range map[string]bool{
		"2026-01-01-0123456789abcdef.tar": false, "2026-01-02-0123456789abcdef.tar": true,
		unfinished + "1": false, unfinished + "2": true, "index.html": true, p.Archive: true,
	} {
		if _, err := os.Stat(filepath.Join(folder, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPublishFails(t *testing.T) {
	r := publisher(t, filepath.Join(t.TempDir(), "away"), "firme-02-09-2026", 50)
	r.publishServed(t.Context())
	if err := r.Status().PublishErr; !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	testkit.NoError(t, os.Mkdir(r.o.Publish, 0o700))
	if r.publishServed(t.Context()); r.Status().PublishErr == nil {
		t.Error("publishing was retried at once")
	}

	r.o.Now = func() time.Time { return time.Now().Add(firstRetry) }
	mustOffer(t, r)
}

// TestTwoPublishAtOnce verifies that every announced archive exists and is complete, even if two gateways with
// different loads of a release keep replacing each other's publication.
func TestTwoPublishAtOnce(t *testing.T) {
	folder := t.TempDir()
	var at sync.WaitGroup
	for _, r := range []*Register{publisher(t, folder, "firme-02-09-2026", 50),
		publisher(t, folder, "firme-02-09-2026", 60)} {
		e := r.served.Load()
		at.Go(func() {
			for range 20 {
				summary := *e.summary
				summary.Loaded = time.Now()
				if _, err := r.publishSegment(t.Context(), &segment{path: e.path, summary: &summary}); err != nil {
					t.Errorf("publishing: %v", err)
				}

				taker := mustOpen(t, t.TempDir())
				taker.o.Source = &Source{dir: folder}
				if err := taker.install(t.Context()); err != nil || taker.Status().Companies < 50 {
					t.Errorf("installing gave %d companies, %v", taker.Status().Companies, err)
				}
			}
		})
	}

	at.Wait()
	published(t, folder)
	if left, _ := filepath.Glob(filepath.Join(folder, unfinished+"*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
