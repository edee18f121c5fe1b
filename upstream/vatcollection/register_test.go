package vatcollection

import (
	"log/slog"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
	"github.com/rodata/rodata/upstream"
)

// noon is the time of the stand-in.
var noon = time.Date(2026, time.November, 22, 12, 0, 0, 0, ro.Bucharest)

// open opens a register on the stand-in. It does not keep the register up to date.
func open(t *testing.T) (*Register, *standin.Registry) {
	t.Helper()
	now := func() time.Time { return noon }
	registries := standin.For(t, standin.Options{Now: now})
	client, err := upstream.NewClient(upstream.Options{Registry: Name, URL: registries.Files.URL,
		Timeout: time.Minute})
	testkit.NoError(t, err)

	t.Cleanup(client.Close)

	r := Open(Options{Host: client, Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler), Now: now})
	return r, registries.Files
}

// TestInventedCompanies compares the file with the companies' data, on days around all of their periods.
func TestInventedCompanies(t *testing.T) {
	r, _ := open(t)
	r.check(t.Context())
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	today, several, on := ro.DateIn(noon, ro.Bucharest), 0, 0
	for _, c := range companies {
		periods := r.Periods(c.CUI)
		if len(periods) > 1 {
			several++
		}

		days := []ro.Date{today, c.Registered}
		for _, p := range periods {
			days = append(days, p.From-1, p.From, p.From+5, p.To-31, p.To-1, p.To, p.To+1)
		}

		for _, d := range days {
			got := onCollection(periods, d, today)
			if got {
				on++
			}
			if d > 0 && got != c.CollectsVAT(d) {
				t.Errorf("%s on %s: %t, and %+v", c.CUI, d, got, periods)
			}
		}
	}

	if several < 10 || on < 50 {
		t.Errorf("%d companies have several lines, and %d days are on collection", several, on)
	}
}

// TestFaults injects invalid files, and checks that the previous register stays.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault standin.Fault
		want  Trouble
	}{
		{standin.Status(404, 0), Absent},
		{standin.Status(500, 0), Unreachable},
		{standin.Status(503, time.Minute), Unreachable},
		{standin.Reset, Unreachable},
		{standin.Truncate, Unreachable},
		{standin.Redirect, Unreachable},
		{standin.WAF, Unreachable},
		{standin.Maintenance, Unreachable},
		{standin.GzipBomb, Unreachable},
		{standin.Garbage, Refused},
		{standin.CutArchive, Refused},
		{standin.ChangedShape, Refused},
		{standin.ZipBomb, Refused},
		{standin.HalfRows, Refused},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			t.Parallel() // a broken connection is tried again after a pause
			r, files := open(t)
			r.check(t.Context())
			before := r.held.Load()
			if before == nil {
				t.Fatal("no file is loaded")
			}

			before.validators = upstream.Validators{} // otherwise the answer is 304
			files.Always(c.fault)
			r.check(t.Context())
			if s := r.Status(); s.Trouble != c.want || r.held.Load() != before {
				t.Errorf("the status is %+v", s)
			}

			files.Always(standin.Fault{})
			r.check(t.Context())
			if s := r.Status(); s.Trouble != None || s.Rows != len(before.rows) {
				t.Errorf("afterwards the status is %+v", s)
			}
		})
	}
}

// TestLateFile serves the previous day's file until today's is published.
func TestLateFile(t *testing.T) {
	r, files := open(t)
	files.Always(standin.LateFile)
	r.check(t.Context())
	today := ro.DateIn(noon, ro.Bucharest)
	if s := r.Status(); s.Day != today-1 || s.Trouble != None {
		t.Errorf("the status is %+v", s)
	}

	files.Always(standin.Fault{})
	r.check(t.Context())
	if s := r.Status(); s.Day != today || s.Trouble != None {
		t.Errorf("later the status is %+v", s)
	}
}
