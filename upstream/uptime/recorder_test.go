package uptime

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/testkit"
)

// process records the availability of a registry.
type process struct {
	*Recorder
	t      *testing.T
	path   string
	ahead  time.Duration // of the calendar's clock
	status system.SourceStatus
	stall  time.Duration // the pause before its next sample
	unsee  func()
	log    bytes.Buffer
}

// start starts a process at noon of 2026-11-20, with the registry up.
func start(t *testing.T) *process {
	p := &process{t: t, path: filepath.Join(t.TempDir(), "uptime.json"),
		status: system.SourceStatus{Name: "anaf", State: ok}}
	p.ahead = time.Until(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	p.open()
	t.Cleanup(p.close)
	return p
}

func (p *process) open() {
	p.t.Helper()
	var err error
	p.Recorder, err = open(p.path, slog.New(slog.NewTextHandler(&p.log, nil)),
		func() time.Time { return time.Now().Add(p.ahead) })
	if err != nil {
		p.t.Fatal(err)
	}

	p.unsee = p.Watch(func() []system.SourceStatus {
		stall := p.stall
		p.stall = 0
		<-time.After(stall)
		return []system.SourceStatus{p.status}
	})
	synctest.Wait() // for the first sample
}

func (p *process) close() {
	p.unsee()
	if err := p.Close(); err != nil {
		p.t.Error(err)
	}
}

// is keeps the registry in a state for a duration.
func (p *process) is(state string, d time.Duration) {
	p.status.State = state
	p.Days(1)
	p.wait(d)
}

// wait advances the fake clock and waits until all due work is done.
func (p *process) wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// away stops the process for a duration.
func (p *process) away(d time.Duration) {
	p.t.Helper()
	p.close()
	<-time.After(d)
	p.open()
}

// want checks the last days, given as 2026-11-20: ok, stale, down, unknown, and the
// incidents in them, given as down 20T12:00:00-20T12:30:00.
func (p *process) want(days string, incidents ...string) {
	p.t.Helper()
	p.wantDays(days)
	var found []string
	for _, i := range p.Days(strings.Count(days, "\n") + 1)[0].Incidents {
		to := "now"
		if i.To != nil {
			to = i.To.Format("02T15:04:05")
		}

		found = append(found, i.State+" "+i.From.Format("02T15:04:05")+"-"+to)
	}

	if !slices.Equal(found, incidents) {
		p.t.Errorf("got the incidents %q, want %q", found, incidents)
	}
}

func (p *process) wantDays(days string) {
	p.t.Helper()
	seconds := func(n int64) string { return (time.Duration(n) * time.Second).String() }
	var lines []string
	for _, d := range p.Days(strings.Count(days, "\n") + 1)[0].Days {
		lines = append(lines, d.Date.String()+": "+strings.Join([]string{seconds(d.OK), seconds(d.Stale),
			seconds(d.Down), seconds(d.Unknown)}, ", "))
	}
	if text := strings.Join(lines, "\n"); text != days {
		p.t.Errorf("got\n%s\nwant\n%s", text, days)
	}
}

// run runs a test on a fake clock.
func run(t *testing.T, name string, test func(*testing.T, *process)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, start(t)) })
	})
}

func TestTimeIsCountedByState(t *testing.T) {
	run(t, "all states", func(t *testing.T, p *process) {
		p.is(ok, 4*time.Minute)
		p.is(down, 2*time.Minute)
		p.is(stale, time.Minute)
		p.is(ok, 6*time.Minute)
		p.is(stale, 10*time.Second)
		p.want("2026-11-20: 10m0s, 1m10s, 2m0s, 12h0m0s",
			"stale 20T12:13:00-now", "stale 20T12:06:00-20T12:07:00", "down 20T12:04:00-20T12:06:00")
	})
	run(t, "a registry that was not asked yet", func(t *testing.T, p *process) {
		p.is(unknown, time.Minute)
		p.is(ok, time.Minute)
		p.want("2026-11-20: 1m0s, 0s, 0s, 12h1m0s")
		p.is(down, time.Minute)
		p.is(unknown, time.Minute)
		p.want("2026-11-20: 1m0s, 0s, 1m0s, 12h2m0s", "down 20T12:02:00-20T12:03:00")
	})
	run(t, "over midnight", func(t *testing.T, p *process) {
		p.is(ok, time.Minute)
		p.ahead += 11*time.Hour + 58*time.Minute // to 23:59
		p.is(down, 3*time.Minute)
		p.is(ok, time.Minute)
		p.want("2026-11-18: 0s, 0s, 0s, 24h0m0s\n2026-11-19: 0s, 0s, 0s, 24h0m0s\n"+
			"2026-11-20: 1m0s, 0s, 1m0s, 23h58m0s\n2026-11-21: 1m0s, 0s, 2m0s, 0s",
			"down 20T23:59:00-21T00:02:00")
	})
	run(t, "seconds add up", func(t *testing.T, p *process) {
		for range 10 {
			p.is(ok, 700*time.Millisecond)
			p.is(stale, 300*time.Millisecond)
		}

		p.wantDays("2026-11-20: 7s, 3s, 0s, 12h0m0s")
	})
	run(t, "still down while it is being tried", func(t *testing.T, p *process) {
		p.is(down, 20*time.Second)
		p.status.Breaker = "half-open"
		p.is(ok, 2*time.Minute)
		p.status.Breaker = "closed"
		p.is(ok, time.Minute)
		p.want("2026-11-20: 1m0s, 0s, 2m20s, 12h0m0s", "down 20T12:00:00-20T12:02:20")
	})
}

func TestUnseenStatusIsUnknown(t *testing.T) {
	run(t, "a restart while it is down", func(t *testing.T, p *process) {
		p.is(down, time.Minute)
		p.away(2 * time.Hour)
		p.is(down, time.Minute)
		p.want("2026-11-20: 0s, 0s, 2m0s, 14h0m0s", "down 20T14:01:00-now", "down 20T12:00:00-20T12:01:00")
	})
	run(t, "a restart after which it is well", func(t *testing.T, p *process) {
		p.is(down, time.Minute)
		p.status.State = ok
		p.away(14 * time.Hour)
		p.is(ok, time.Minute)
		p.want("2026-11-20: 0s, 0s, 1m0s, 23h59m0s\n2026-11-21: 1m0s, 0s, 0s, 2h1m0s",
			"down 20T12:00:00-20T12:01:00")
	})
	run(t, "a restart in seconds does not end what goes on", func(t *testing.T, p *process) {
		p.is(down, time.Minute)
		p.away(5 * time.Second)
		p.is(down, time.Minute)
		p.want("2026-11-20: 0s, 0s, 2m0s, 12h0m5s", "down 20T12:00:00-now")
	})
	run(t, "a process that stood still", func(t *testing.T, p *process) {
		p.is(down, time.Minute)
		p.mu.Lock()
		p.stall = time.Hour
		p.mu.Unlock()
		p.wait(time.Hour + time.Second)
		p.is(down, time.Minute)
		p.want("2026-11-20: 0s, 0s, 2m1s, 13h0m0s", "down 20T13:01:01-now", "down 20T12:00:00-20T12:01:01")
	})
	run(t, "a crash loses a minute", func(t *testing.T, p *process) {
		p.is(ok, 90*time.Second)
		saved, err := os.ReadFile(p.path)
		testkit.NoError(t, err)

		p.close()
		testkit.NoError(t, os.WriteFile(p.path, saved, 0o600))

		p.open()
		p.want("2026-11-20: 1m0s, 0s, 0s, 12h0m30s")
	})
}

func TestClockThatIsSet(t *testing.T) {
	run(t, "forward: the hour between was not seen", func(t *testing.T, p *process) {
		p.is(down, time.Minute)
		p.ahead += time.Hour
		p.is(down, time.Minute)
		p.want("2026-11-20: 0s, 0s, 2m0s, 13h0m0s", "down 20T13:01:00-now", "down 20T12:00:00-20T12:01:00")
	})
	run(t, "back: no time is counted twice", func(t *testing.T, p *process) {
		p.is(ok, 2*time.Minute)
		p.ahead -= time.Minute
		p.is(down, 90*time.Second)
		p.want("2026-11-20: 2m0s, 0s, 30s, 12h0m0s", "down 20T12:02:00-now")
	})
	run(t, "back over midnight: days to come are forgotten", func(t *testing.T, p *process) {
		p.is(ok, time.Hour)
		p.ahead += 10 * time.Hour
		p.is(down, 2*time.Hour)
		p.ahead += 70 * 24 * time.Hour
		p.is(down, time.Minute)
		p.ahead -= 70*24*time.Hour + 91*time.Minute // to 23:30 on the 20th
		p.is(ok, time.Hour)
		p.want("2026-11-20: 1h0m0s, 0s, 1h0m0s, 22h0m0s\n2026-11-21: 30m0s, 0s, 0s, 0s", "down 20T23:00:00-21T00:00:00")
	})
}

func TestOnlyTheNewestIsKept(t *testing.T) {
	run(t, "90 days", func(t *testing.T, p *process) {
		for range 100 {
			p.is(ok, time.Second)
			p.ahead += 24 * time.Hour
		}
		if kept := len(p.timeline.Sources["anaf"].Days); kept != 90 {
			t.Errorf("%d days are kept", kept)
		}

		days := p.Days(90)[0].Days
		if len(days) != 90 || days[0].OK != 1 || days[0].Date != days[89].Date-89 {
			t.Errorf("got %d days, from %+v to %+v", len(days), days[0], days[len(days)-1])
		}
	})
	run(t, "50 incidents", func(t *testing.T, p *process) {
		for range 60 {
			p.is(down, time.Second)
			p.is(ok, time.Second)
		}
		if kept := p.Days(1)[0].Incidents; len(kept) != 50 || kept[0].From.Before(kept[49].From) {
			t.Errorf("%d incidents are kept, the first of %v", len(kept), kept[0].From)
		}
	})
	run(t, "incidents of the days asked for", func(t *testing.T, p *process) {
		p.is(down, time.Hour)
		p.ahead += 11 * time.Hour
		p.is(ok, time.Hour)
		p.want("2026-11-21: 1h0m0s, 0s, 0s, 0s")
	})
}

// The function of a new configuration is called. Once it is stopped, the previous function is called again.
func TestLastRegisteredWatchIsCalled(t *testing.T) {
	run(t, "", func(t *testing.T, p *process) {
		p.is(down, time.Minute)
		end := p.Watch(func() []system.SourceStatus { return []system.SourceStatus{{Name: "anaf", State: ok}} })
		p.wait(time.Minute)
		end()
		p.wait(time.Minute)
		p.want("2026-11-20: 1m0s, 0s, 2m0s, 12h0m0s", "down 20T12:02:00-now", "down 20T12:00:00-20T12:01:00")
	})
}

func TestDamagedFileIsMovedAside(t *testing.T) {
	for name, text := range map[string]string{
		"empty":       ``,
		"cut off":     `{"through":"2026-11-20T12:0`,
		"no such day": `{"sources":{"anaf":{"days":{"2026-02-30":{"ok":1}}}}}`,
	} {
		run(t, name, func(t *testing.T, p *process) {
			p.is(down, time.Minute)
			p.close()
			testkit.NoError(t, os.WriteFile(p.path, []byte(text), 0o600))

			p.status.State = ok
			p.open()
			p.is(ok, time.Minute)
			p.want("2026-11-20: 1m0s, 0s, 0s, 12h1m0s")
			if aside, err := os.ReadFile(p.path + ".damaged"); err != nil || string(aside) != text {
				t.Errorf("the damaged file was renamed to %q, %v", aside, err)
			}
			if !strings.Contains(p.log.String(), "damaged file "+p.path) {
				t.Errorf("the log does not mention it: %s", &p.log)
			}
		})
	}
}

func TestUnreadableFileIsAnError(t *testing.T) {
	if h, err := Open(t.TempDir(), slog.New(slog.DiscardHandler)); err == nil {
		h.Close()
		t.Error("a directory was read as a history")
	}
}

// A file that cannot be written is logged, and serving continues.
func TestUnwritableFileIsLogged(t *testing.T) {
	run(t, "", func(t *testing.T, p *process) {
		testkit.NoError(t, os.Mkdir(p.path, 0o700))

		p.is(ok, 90*time.Second)
		if !strings.Contains(p.log.String(), "writing the availability of the registries") {
			t.Errorf("the log says %q", &p.log)
		}

		p.want("2026-11-20: 1m30s, 0s, 0s, 12h0m0s")
		testkit.NoError(t, os.Remove(p.path))
	})
}
