package onrc

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/process"
)

// TestLoadIsInterrupted cancels a load at every step. The previous release is still served, and the next load succeeds.
func TestLoadIsInterrupted(t *testing.T) {
	after := written(t, "firme-02-09-2026", 420, false)
	for step := range 12 {
		t.Run(strconv.Itoa(step), func(t *testing.T) {
			t.Parallel()
			dir := loaded(t, "firme-08-07-2026", 400, false)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r, err := folderRelease(after)
			testkit.NoError(t, err)

			l := &interrupted{cancel: cancel}
			l.left.Store(int64(step))
			for name, file := range r.files {
				open := file.open
				file.open = func(ctx context.Context) (io.ReadCloser, error) { l.tick(); return open(ctx) }
				r.files[name] = file
			}

			o := Options{From: after, Dir: dir, Progress: func(Progress) { l.tick() }}
			if _, err := o.load(ctx, r); err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if n, day := served(t, dir); n != 400 || day != "2026-07-08" {
					t.Errorf("%d companies of %s are served after the interruption", n, day)
				}
			}

			if s := mustLoad(t, Options{From: after, Dir: dir}); s.Companies != 420 || s.Rows["OD_FIRME"] < 420 {
				t.Errorf("the load after it gave %+v", s)
			}
			if n, day := served(t, dir); n != 420 || day != "2026-09-02" {
				t.Errorf("%d companies of %s are served", n, day)
			}
			if all, err := listSegments(dir); err != nil || len(all) != 1 {
				t.Errorf("there are %d segments, %v", len(all), err)
			}
		})
	}
}

// interrupted is a context that cancels itself after a number of steps. Concurrent readers share the steps.
type interrupted struct {
	left   atomic.Int64
	cancel func()
}

func (i *interrupted) tick() {
	if i.left.Add(-1) < 0 {
		i.cancel()
	}
}

// TestLoadIsKilled kills loading processes at various times of a load. Either the previous release is served whole, or
// the new one.
func TestLoadIsKilled(t *testing.T) {
	if from := os.Getenv("LOAD_AND_BE_KILLED"); from != "" {
		if _, err := Load(t.Context(), Options{From: from, Dir: os.Getenv("LOAD_INTO")}); err != nil {
			t.Fatal(err)
		}
		return
	}

	const firms = 8000
	after, dir := written(t, "firme-02-09-2026", firms, true), loaded(t, "firme-08-07-2026", 400, false)
	for _, wait := range []time.Duration{20, 60, 120, 200, 300} {
		child := process.Start(t, process.Test(t, "TestLoadIsKilled", "LOAD_AND_BE_KILLED="+after, "LOAD_INTO="+dir))
		err := child.WaitFor(wait * time.Millisecond)
		n, _ := served(t, dir)
		if n != firms && (err == nil || n != 400) {
			t.Fatalf("%d companies are served after %v", n, err)
		}
		if n == firms { // it was killed after the installation, or not at all
			dir = loaded(t, "firme-08-07-2026", 400, false)
		}
	}

	if s := mustLoad(t, Options{From: after, Dir: dir}); s.Companies != firms {
		t.Errorf("%d companies were loaded", s.Companies)
	}
}

// release publishes a release on the portal.
func (f *files) release(t *testing.T, slug string, firms int) {
	t.Helper()
	dir := written(t, slug, firms, false)
	var names []string
	for _, name := range []string{"od_firme.csv", "od_stare_firma.csv", "od_caen_autorizat.csv",
		"od_reprezentanti_legali.csv", "od_reprezentanti_if.csv"} {
		body, err := os.ReadFile(filepath.Join(dir, name))
		testkit.NoError(t, err)

		f.put("/"+slug+"/download/"+name, string(body))
		names = append(names, name)
	}

	f.publish(slug, names...)
}

func TestLoadResumes(t *testing.T) {
	f, dir := newFiles(t), t.TempDir()
	f.release(t, "firme-02-09-2026", 500)
	p := mustPortal(t, f.URL)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := Options{Portal: p, Dir: dir, Progress: func(p Progress) {
		if p.Unit == "rows" {
			cancel()
		}
	}}
	if _, err := Load(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	asked := len(f.ranges())
	if s := mustLoad(t, Options{Portal: p, Dir: dir}); s.Companies != 500 || s.Dropped[joinedRow] == 0 {
		t.Errorf("the summary is %+v", s)
	}
	if n := len(f.ranges()); asked != 5 || n != asked {
		t.Errorf("%d files were requested, then %d more", asked, n-asked)
	}
}

func TestOneLoadAtATime(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lock(dir)
	testkit.NoError(t, err)

	o := Options{From: written(t, "firme-02-09-2026", 10, true), Dir: dir}
	if _, err := Load(t.Context(), o); !errors.Is(err, ErrBusy) {
		t.Errorf("the error is %v", err)
	}

	unlock()
	mustLoad(t, o)
}

func TestDamagedParts(t *testing.T) {
	dir, from := t.TempDir(), written(t, "firme-02-09-2026", 400, true)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := Options{From: from, Dir: dir, Progress: func(p Progress) {
		if p.Unit == "rows" {
			cancel()
		}
	}}
	if _, err := Load(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}

	path := partPath(stateTable, filepath.Join(dir, "loading"), 3)
	for _, damage := range []func() error{
		func() error { return os.Truncate(path, 0) }, // at the end of a record
		func() error { return os.Truncate(path, 5) }, // inside one
		func() error { return os.Remove(path) },
	} {
		testkit.NoError(t, damage())
		if _, err := Load(t.Context(), Options{From: from, Dir: dir}); !errors.Is(err, errDamagedParts) {
			t.Fatalf("the error is %v", err)
		}
		if s := mustLoad(t, Options{From: from, Dir: dir}); s.Companies != 400 {
			t.Errorf("%d companies were loaded", s.Companies)
		}

		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		if _, err := Load(ctx, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("the error is %v", err)
		}
	}
}
