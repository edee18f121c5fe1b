package onrc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/traderegister"
)

func TestNotLoadedYet(t *testing.T) {
	tests := map[string]struct {
		status Status
		says   string
		wait   time.Duration
	}{
		"nothing has begun": {Status{}, "not loaded yet", time.Minute},
		"loading": {Status{Loading: true, Progress: Progress{Step: "reading the files", Done: 37, Total: 100}},
			"loaded for the first time: reading the files, 37 % done", time.Minute},
		"it failed": {Status{Err: errors.New("the portal is down")}, "could not be loaded", 15 * time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := mustOpen(t, t.TempDir())
			r.status = test.status
			err := r.Read(func(*search.Index, ro.Date) error { return nil })
			var p *problem.Problem
			if !errors.Is(err, ErrNotLoaded) || !errors.As(err, &p) {
				t.Fatalf("the error is %v", err)
			}
			if p.Kind != problem.Unavailable || !strings.Contains(p.Detail, test.says) || p.RetryAfter != test.wait {
				t.Errorf("the problem is %q, again after %s", p.Detail, p.RetryAfter)
			}
			if strings.Contains(p.Detail, "the portal is down") {
				t.Error("the problem shows the cause to callers")
			}
		})
	}
}

func TestQuestions(t *testing.T) {
	dir := loaded(t, "firme-02-09-2026", 200, true)
	r := mustOpen(t, dir)
	page, day, err := r.Search(t.Context(), search.Query{Limit: 10})
	if err != nil || page.Total != 200 || len(page.Firms) != 10 || day.String() != "2026-09-02" {
		t.Errorf("found %d of %d of %s, %v", len(page.Firms), page.Total, day, err)
	}

	for f := range traderegister.Firms(200, 1) {
		number, _ := tradenumber.Parse(f.Number)
		firms, day, err := r.ByNumber(number)
		if err != nil || len(firms) != 1 || firms[0].Number != f.Number || day.String() != "2026-09-02" {
			t.Fatalf("%s is %+v of %s, %v", f.Number, firms, day, err)
		}
		if f.CUI == 0 {
			continue
		}

		firms, day, err = r.ByTaxID(f.CUI)
		if err != nil || len(firms) == 0 || firms[0].TaxID != f.CUI || day.String() != "2026-09-02" {
			t.Fatalf("%s is %+v of %s, %v", f.CUI, firms, day, err)
		}
	}

	if firms, _, err := r.ByTaxID(99); err != nil || len(firms) > 0 {
		t.Errorf("an unused number is %+v, %v", firms, err)
	}

	nobody := tradenumber.Number{Letter: 'C', County: 12, Serial: 5, Year: 1899}
	if firms, _, err := r.ByNumber(nobody); err != nil || len(firms) > 0 {
		t.Errorf("an unused register number is %+v, %v", firms, err)
	}
}

func TestProgress(t *testing.T) {
	began := time.Now()
	p := Progress{Done: 250, Total: 1000, Began: began}
	now := began.Add(5 * time.Second)
	if p.Percent() != 25 || p.Rate(now) != 50 || p.Left(now) != 15*time.Second {
		t.Errorf("%d %%, %v a second, %v left", p.Percent(), p.Rate(now), p.Left(now))
	}
	if p := (Progress{}); p.Percent() != 0 || p.Rate(now) != 0 || p.Left(now) != 0 {
		t.Error("progress without a total is not 0")
	}
	if p := (Progress{Done: 20, Total: 10}); p.Percent() != 100 {
		t.Errorf("more than the total is %d %%", p.Percent())
	}
}

// TestChangeOver switches to a new release while the previous one is being read.
func TestChangeOver(t *testing.T) {
	dir := loaded(t, "firme-08-07-2026", 100, true)
	r := mustOpen(t, dir)
	err := r.Read(func(x *search.Index, day ro.Date) error {
		mustLoad(t, Options{From: written(t, "firme-02-09-2026", 120, true), Dir: dir})
		r.refresh()
		if r.DataThrough().String() != "2026-09-02" {
			t.Errorf("%s is served after the change", r.DataThrough())
		}
		if n := len(x.ByTaxID(0)); n != 0 || x.Len() != 100 || day.String() != "2026-07-08" {
			t.Errorf("a running reader has %d companies of %s", x.Len(), day)
		}

		return nil
	})
	testkit.NoError(t, err)

	err = r.Read(func(x *search.Index, day ro.Date) error {
		if x.Len() != 120 || day.String() != "2026-09-02" {
			t.Errorf("a later reader has %d companies of %s", x.Len(), day)
		}
		return nil
	})
	testkit.NoError(t, err)
	if s := r.Status(); s.Companies != 120 || s.Release.String() != "2026-09-02" || s.Loaded.IsZero() {
		t.Errorf("the status is %+v", s)
	}
}

func TestReadsWhileChangingOver(t *testing.T) {
	dir := loaded(t, "firme-08-07-2026", 100, true)
	r := mustOpen(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		defer close(failed)
		for ctx.Err() == nil {
			if err := r.Read(func(x *search.Index, _ ro.Date) error {
				x.ByNumber(tradenumber.Number{Letter: 'J', County: 12, Serial: 1, Year: 2000})
				return nil
			}); err != nil {
				failed <- err
				return
			}
		}
	}()
	for range 5 {
		mustLoad(t, Options{From: written(t, "firme-02-09-2026", 100, true), Dir: dir})
		r.refresh()
	}

	cancel()
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

// keeper opens the register of a directory on a test portal, with an observable log.
func keeper(t *testing.T, f *files, dir string) (*Register, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	r := Open(RegisterOptions{Portal: mustPortal(t, f.URL), Dir: dir, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	t.Cleanup(func() { r.Close() })
	return r, &log
}

func TestUpdate(t *testing.T) {
	f, dir := newFiles(t), t.TempDir()
	r, log := keeper(t, f, dir)

	if wait := r.update(t.Context()); wait != firstRetry || r.Status().Failures != 1 ||
		!errors.Is(r.Status().Err, errNoRelease) {
		t.Errorf("without a release: again after %s, %+v", wait, r.Status())
	}
	if wait := r.update(t.Context()); wait != 2*firstRetry {
		t.Errorf("without a release twice: again after %s", wait)
	}
	if !strings.Contains(log.String(), "none is served yet") || strings.Contains(log.String(), "still served") {
		t.Errorf("without a release, the log is %s", log)
	}

	f.release(t, "firme-08-07-2026", 200)
	if wait := r.update(t.Context()); wait < checkEvery || r.DataThrough().String() != "2026-07-08" {
		t.Errorf("with the first: again after %s, %s is served", wait, r.DataThrough())
	}

	asked := len(f.ranges())
	r.update(t.Context())
	if len(f.ranges()) != asked {
		t.Error("the loaded release was fetched again")
	}
	if s := r.Status(); s.Loading || s.Err != nil || s.Failures != 0 || s.Checked.IsZero() || s.Companies != 200 {
		t.Errorf("the status is %+v", s)
	}

	f.release(t, "firme-02-09-2026", 100)
	if wait := r.update(t.Context()); wait != checkEvery || !errors.Is(r.Status().Err, ErrRefused) ||
		r.DataThrough().String() != "2026-07-08" {
		t.Errorf("with far fewer: again after %s, %+v", wait, r.Status())
	}
	if !strings.Contains(log.String(), "the previous release is still served") {
		t.Errorf("with a release, the log is %s", log)
	}
	if !strings.Contains(log.String(), "release refused: OD_") {
		t.Errorf("the log says %s", log)
	}

	asked = len(f.ranges())
	r.update(t.Context())
	if len(f.ranges()) != asked {
		t.Error("the refused release was fetched again")
	}
	if !errors.Is(r.Status().Err, ErrRefused) {
		t.Errorf("the error disappeared although nothing has changed: %v", r.Status().Err)
	}

	f.release(t, "firme-02-10-2026", 201)
	if r.update(t.Context()); r.DataThrough().String() != "2026-10-02" || r.Status().Err != nil {
		t.Errorf("with the next release: %+v", r.Status())
	}
}

func TestReleaseLoadedByOperatorStays(t *testing.T) {
	f, dir := newFiles(t), t.TempDir()
	mustLoad(t, Options{From: written(t, "firme-02-09-2026", 100, true), Dir: dir})
	f.release(t, "firme-02-09-2026", 100)
	r, _ := keeper(t, f, dir)
	if r.update(t.Context()); len(f.ranges()) != 0 {
		t.Error("the same release was fetched")
	}
}

func TestRunServesWhatAnotherProcessLoads(t *testing.T) {
	dir, from := t.TempDir(), written(t, "firme-02-09-2026", 50, true)
	synctest.Test(t, func(t *testing.T) {
		r := Open(RegisterOptions{Dir: dir})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { r.Run(ctx); close(done) }()
		synctest.Wait()
		if r.DataThrough() != 0 {
			t.Errorf("%s is served before anything was loaded", r.DataThrough())
		}
		if _, err := Load(t.Context(), Options{From: from, Dir: dir}); err != nil {
			t.Fatal(err)
		}

		<-time.After(wake)
		synctest.Wait()
		if r.DataThrough().String() != "2026-09-02" {
			t.Errorf("%s is served after it was loaded", r.DataThrough())
		}

		cancel()
		<-done
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestRetryCountsFromTheFailure verifies that a load that fails after a long time is not retried at once.
func TestRetryCountsFromTheFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began []time.Time
		portal := &Portal{ask: func(ctx context.Context, _ string) (json.RawMessage, error) {
			began = append(began, time.Now())
			return nil, errors.Join(work.Sleep(ctx, time.Hour), errNoRelease)
		}}

		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Minute)
		defer cancel()
		Open(RegisterOptions{Portal: portal, Dir: t.TempDir()}).Run(ctx)
		if len(began) != 2 || began[1].Sub(began[0]) < time.Hour+firstRetry {
			t.Errorf("the portal was asked at %s", began)
		}
	})
}

// TestDamagedIndex verifies that a release is loaded again if its index cannot be opened, as after a disk failure or a
// change of its format.
func TestDamagedIndex(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(segment string) error
		want   string // in the log
	}{
		"cut": {func(segment string) error { return os.Truncate(filepath.Join(segment, "records"), 10) },
			"is damaged"},
		"another format": {func(segment string) error {
			path := filepath.Join(segment, "index.json")
			manifest, err := os.ReadFile(path)
			current := fmt.Appendf(nil, `"format": %d`, search.Format)
			earlier := fmt.Appendf(nil, `"format": %d`, search.Format-1)
			return cmp.Or(err, os.WriteFile(path, bytes.Replace(manifest, current, earlier, 1), 0o600))
		}, "load the register again"},
	} {
		t.Run(name, func(t *testing.T) {
			f, dir := newFiles(t), t.TempDir()
			f.release(t, "firme-02-09-2026", 100)
			mustLoad(t, Options{Portal: mustPortal(t, f.URL), Dir: dir})
			s, err := newestSegment(dir)
			testkit.NoError(t, err)
			testkit.NoError(t, c.damage(s.path))

			r, log := keeper(t, f, dir)
			r.refresh()
			if r.DataThrough() != 0 || strings.Count(log.String(), "opening the index of the trade register failed") != 1 ||
				!strings.Contains(log.String(), c.want) {
				t.Errorf("%s is served, and the log says %s", r.DataThrough(), log)
			}

			r.status.Loading = true
			var p *problem.Problem
			if !errors.As(r.notLoaded(), &p) || !strings.Contains(p.Detail, "is being loaded again: ") {
				t.Errorf("while it is loaded, callers are told %q", p.Detail)
			}

			r.status.Loading = false
			if r.update(t.Context()); r.Status().Companies != 100 {
				t.Errorf("the status is %+v", r.Status())
			}
		})
	}
}
