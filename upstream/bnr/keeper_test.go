package bnr

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/upstream/holidays"
)

// bubble is a bank, an archive and a running keeper on a fake clock.
type bubble struct {
	*testing.T
	bank  *standIn
	r     *Registry
	log   logbook
	shift atomic.Int64 // offset between the wall clock and the timers' clock, a Duration
}

// jump sets the wall clock forward or back, without the timers noticing.
func (b *bubble) jump(by time.Duration) { b.shift.Add(int64(by)) }

// pass advances the fake clock and waits until all due work is done.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// yearsBefore2026 are the files of the years 2005 to 2025.
var yearsBefore2026 = sync.OnceValue(func() map[string][]byte {
	files := map[string][]byte{}
	for year := 2005; year < 2026; year++ {
		begin, end := ro.NewDate(year, time.January, 1), ro.NewDate(year, time.December, 31)
		v := volume{year: year, known: []span{{begin, end}}}
		for day := max(v.known[0].from, firstDay); day <= v.known[0].to; day++ {
			if !holidays.BankDay(day) {
				continue
			}

			e := entry{rate.Fixing{Date: day}, day.UTC().Add(12 * time.Hour)}
			for _, q := range invented(day) {
				r, _, err := readRate(q.text, q.multiplier)
				if err != nil {
					panic(err)
				}

				e.Rates = append(e.Rates, rate.Rate{Currency: ro.Currency(q.currency), Rate: r})
			}

			if err := sortRates(e.Rates); err != nil {
				panic(err)
			}

			v.entries = append(v.entries, e)
		}

		files[filepath.Base(yearFiles{}.path(year))] = v.encode()
	}

	return files
})

// pastYears returns a directory with the years 2005 to 2025.
func pastYears(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range yearsBefore2026() {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}

	return dir
}

// inBubble runs a test from a time in Bucharest, with a keeper that has made its first check and has all years.
func inBubble(t *testing.T, start string, test func(*bubble)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{T: t}
		b.jump(time.Until(at(start)) - 10*time.Minute)
		now := func() time.Time { return time.Now().Add(time.Duration(b.shift.Load())) }
		b.bank = newStandIn(now).inventAll(date("2027-01-31"))
		b.r = open(t, Options{Client: b.bank, Dir: pastYears(t), Now: now, Logger: logTo(&b.log)})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go b.r.Run(ctx)
		pass(10 * time.Minute)
		b.bank.asked("")
		test(b)
		stop()
		synctest.Wait()
	})
}

// until advances the fake clock to a time.
func (b *bubble) until(clock string) {
	pass(at(clock).Sub(b.bank.now()))
}

func (b *bubble) wantLatest(want string) op.Freshness {
	b.Helper()
	f, fresh, err := b.r.On(b.Context(), 0)
	if err != nil || f.Date != date(want) || fresh.Cache != op.Hit {
		b.Errorf("%s: latest is of %s (%s), %v, want a HIT of %s", b.bank.now().In(ro.Bucharest), f.Date, fresh.Cache,
			err, want)
	}

	return fresh
}

func (b *bubble) wantPolls(least, most int) {
	b.Helper()
	n := b.bank.asked(dayPaper.path)
	if n < least || n > most {
		b.Errorf("%d polls until %s, want %d to %d", n, b.bank.now().In(ro.Bucharest), least, most)
	}
	if others := b.bank.asked(""); others != 0 {
		b.Errorf("%d requests for other documents", others)
	}
}

func TestKeeperOnAWeekday(t *testing.T) {
	inBubble(t, "2026-08-19 00:00", func(b *bubble) {
		b.until("2026-08-19 13:00")
		b.wantPolls(0, 0) // there cannot be a newer fixing
		fresh := b.wantLatest("2026-08-18")
		if d := fresh.FreshUntil.Sub(at("2026-08-19 13:00")); d < 0 || d > maxJitter+checkMayRun {
			b.Errorf("fresh until %s after 13:00", d)
		}

		b.until("2026-08-19 13:02")
		b.wantLatest("2026-08-18")
		b.until("2026-08-19 13:03")
		b.wantLatest("2026-08-19")
		b.wantPolls(5, 6)
		b.until("2026-08-20 00:00")
		b.wantPolls(0, 0) // there is one fixing a day
		if fresh := b.wantLatest("2026-08-19"); fresh.RetrievedAt.Before(at("2026-08-19 13:02")) {
			b.Errorf("retrieved at %s", fresh.RetrievedAt)
		}
	})
}

func TestKeeperSeesALatePublicationWithinAMinute(t *testing.T) {
	inBubble(t, "2026-08-19 12:50", func(b *bubble) {
		b.bank.publishAt.Store(int64(13*time.Hour + 4*time.Minute))
		b.until("2026-08-19 13:04")
		b.wantLatest("2026-08-18")
		b.until("2026-08-19 13:05")
		b.wantLatest("2026-08-19")
	})
}

func TestKeeperWithoutAPublication(t *testing.T) {
	inBubble(t, "2026-08-19 12:50", func(b *bubble) {
		b.bank.publish(date("2026-08-19"), nil)
		b.until("2026-08-19 14:00")
		b.wantPolls(119, 120)
		b.until("2026-08-19 17:00")
		b.wantPolls(35, 37)
		b.until("2026-08-20 00:00")
		b.wantPolls(6, 8)
		if s := b.r.Status(); s.MissedPublications != 1 || s.AsOf != date("2026-08-18") {
			b.Errorf("status %+v, want one missed", s)
		}

		b.until("2026-08-20 13:00")
		b.wantPolls(12, 14) // the missed fixing may still be published
		b.until("2026-08-20 13:03")
		b.wantLatest("2026-08-20")
		wantDay(b.T, b.r, "2026-08-19", "2026-08-18")
		if n := b.bank.asked(tenDaysPaper.path); n != 1 {
			b.Errorf("%d requests for the last ten fixings, want 1 because of the gap", n)
		}
		if s := b.r.Status(); s.MissedPublications != 0 {
			b.Errorf("status %+v, want none missed", s)
		}
	})
}

func TestKeeperOnDaysWithoutPublication(t *testing.T) {
	for name, test := range map[string]struct{ from, to, latest string }{
		"weekend":            {"2026-08-22 00:00", "2026-08-24 00:00", "2026-08-21"},
		"holiday":            {"2026-06-01 00:00", "2026-06-02 00:00", "2026-05-29"},
		"clocks go forward":  {"2026-03-29 00:00", "2026-03-30 00:00", "2026-03-27"},
		"clocks go back":     {"2026-10-25 00:00", "2026-10-26 00:00", "2026-10-23"},
		"New Year's holiday": {"2026-01-01 00:00", "2026-01-05 00:00", "2025-12-31"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, test.from, func(b *bubble) {
				b.until(test.to)
				hours := int(at(test.to).Sub(at(test.from)) / time.Hour)
				b.wantPolls(1, hours)
				if fresh := b.wantLatest(test.latest); !fresh.FreshUntil.After(b.bank.now()) {
					b.Errorf("stale: %+v", fresh)
				}
			})
		})
	}
}

// The keeper polls at 13:00 in Bucharest across daylight-saving changes and the end of a year.
func TestKeeperOverClockChanges(t *testing.T) {
	for name, test := range map[string]struct{ start, before, after, was, is string }{
		"summer time": {"2026-03-28 12:00", "2026-03-30 13:02", "2026-03-30 13:03", "2026-03-27", "2026-03-30"},
		"winter time": {"2026-10-24 12:00", "2026-10-26 13:02", "2026-10-26 13:03", "2026-10-23", "2026-10-26"},
		"year end":    {"2025-12-31 20:00", "2026-01-05 13:02", "2026-01-05 13:03", "2025-12-31", "2026-01-05"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, test.start, func(b *bubble) {
				b.until(test.before)
				b.wantLatest(test.was)
				b.until(test.after)
				b.wantLatest(test.is)
				wantDay(b.T, b.r, test.was, test.was)
			})
		})
	}
}

func TestKeeperAfterAClockJump(t *testing.T) {
	t.Run("forward over the publication", func(t *testing.T) {
		inBubble(t, "2026-08-19 12:20", func(b *bubble) {
			b.jump(time.Hour)
			b.until("2026-08-19 13:22")
			b.wantLatest("2026-08-19")
		})
	})
	t.Run("back before it", func(t *testing.T) {
		inBubble(t, "2026-08-19 12:20", func(b *bubble) {
			b.jump(time.Hour)
			b.until("2026-08-19 13:21")
			b.jump(-time.Hour) // the latest now belongs to a day whose 13:02 is still ahead
			b.until("2026-08-19 13:10")
			b.wantLatest("2026-08-19")
			b.until("2026-08-20 13:04")
			b.wantLatest("2026-08-20")
		})
	})
	t.Run("back while the fixing is awaited", func(t *testing.T) {
		inBubble(t, "2026-08-19 12:10", func(b *bubble) {
			usual := b.bank.publishAt.Load()
			b.bank.publishAt.Store(usual + int64(time.Hour)) // on our clock, which is an hour ahead
			b.jump(time.Hour)
			b.until("2026-08-19 13:20")
			b.wantLatest("2026-08-18")
			b.jump(-time.Hour)
			b.bank.publishAt.Store(usual)
			b.until("2026-08-19 13:02")
			b.wantLatest("2026-08-18")
			b.until("2026-08-19 13:03")
			b.wantLatest("2026-08-19")
		})
	})
}

func TestKeeperCatchesUp(t *testing.T) {
	for name, test := range map[string]struct {
		gone     string
		tenDays  bool
		wantYear bool
	}{
		"a day":           {"2026-08-20 18:00", true, false},
		"a week":          {"2026-08-26 18:00", true, false},
		"a month":         {"2026-09-21 18:00", true, true},
		"over a new year": {"2027-01-20 18:00", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, "2026-08-18 18:00", func(b *bubble) {
				dir := b.r.files.dir
				b.bank.asked("")
				b.bank.fail(failing)
				b.jump(at(test.gone).Sub(b.bank.now()))
				b.wantStale("2026-08-18")
				b.bank.fail(nil)
				b.bank.asked("")
				pass(70 * time.Minute)
				today := ro.DateIn(b.bank.now(), ro.Bucharest)
				b.wantLatest(today.String())
				if got := b.bank.asked(tenDaysPaper.path) > 0; got != test.tenDays {
					b.Errorf("ten days fetched: %v", got)
				}
				if got := b.bank.asked("/files/") > 0; got != test.wantYear {
					b.Errorf("a year fetched: %v", got)
				}
				if known := b.r.archive.runs(0, date("2100-01-01")); len(known) != 1 {
					b.Errorf("known are %v", known)
				}

				wantDays(b.T, b.r, date("2026-08-18"), today)
				b.bank.fail(failing)
				again := open(b.T, Options{Client: b.bank, Dir: dir, Now: b.bank.now})
				wantDay(b.T, again, "2005-06-30", "2005-06-30")
				wantDay(b.T, again, "latest", today.String())
			})
		})
	}
}

// If the bank repeats an outdated document, it appears to have no fixing for some days. The keeper finds the missed
// fixings once the bank publishes again, even if the ten-day document does not reach back far enough or is unavailable.
func TestKeeperAfterAFrozenBankLong(t *testing.T) {
	for name, test := range map[string]struct{ from, to, broken string }{
		"three weeks":                      {"2026-08-18 18:00", "2026-09-08 18:00", "none"},
		"over a new year":                  {"2026-12-15 18:00", "2027-01-12 18:00", "none"},
		"three days, without the last ten": {"2026-08-18 18:00", "2026-08-21 18:00", tenDaysPaper.path},
	} {
		t.Run(name, func(t *testing.T) {
			if test.broken == "none" {
				long.Only(t, "weeks of a keeper's work take seconds")
			}

			inBubble(t, test.from, func(b *bubble) {
				frozen, dir := ro.DateIn(b.bank.now(), ro.Bucharest), b.r.files.dir
				b.bank.fail(b.bank.repeat(frozen))
				b.until(test.to)
				b.wantLatest(frozen.String())
				b.bank.fail(func(w http.ResponseWriter, r *http.Request) bool {
					return r.URL.Path == test.broken && failing(w, r)
				})
				pass(70 * time.Minute)
				today := ro.DateIn(b.bank.now(), ro.Bucharest)
				b.wantLatest(today.String())
				wantDays(b.T, b.r, frozen, today)
				b.bank.fail(failing)
				wantDays(b.T, open(b.T, Options{Client: b.bank, Dir: dir, Now: b.bank.now}), frozen,
					today)
			})
		})
	}
}

func (b *bubble) wantStale(want string) {
	b.Helper()
	f, fresh, err := b.r.On(b.Context(), 0)
	if err != nil || f.Date != date(want) || fresh.FreshUntil.After(b.bank.now()) {
		b.Errorf("latest is of %s (%+v), %v, want a stale one of %s", f.Date, fresh, err, want)
	}
}

// Fixings that are fetched while the disk is not writable are saved within a minute after it becomes writable. The log
// has one line for the beginning and one for the end.
func TestKeeperWritesWhenDiskIsWritable(t *testing.T) {
	inBubble(t, "2026-08-19 13:00", func(b *bubble) {
		dir := b.r.files.dir
		testkit.NoError(b, os.Rename(dir, dir+".away"))

		b.until("2026-08-19 13:30")
		b.wantLatest("2026-08-19")
		if n := b.log.count("writing fixings failed"); n != 1 {
			b.Errorf("the failure is logged %d times, want once", n)
		}
		testkit.NoError(b, os.Rename(dir+".away", dir))

		pass(time.Minute)
		if got := open(b.T, Options{Client: b.bank, Dir: dir}).archive.newest(); got != date("2026-08-19") {
			b.Errorf("the latest on disk is of %s", got)
		}

		pass(10 * time.Minute)
		if n := b.log.count("writable again"); n != 1 {
			b.Errorf("the recovery is logged %d times, want once", n)
		}
	})
}

func TestKeeperLeavesAFailingBankAlone(t *testing.T) {
	inBubble(t, "2026-08-22 00:00", func(b *bubble) {
		b.bank.fail(failing)
		b.until("2026-08-23 13:00")
		b.bank.asked("")
		b.until("2026-08-24 00:00")
		b.wantPolls(8, 12)
		b.bank.asked("")
		b.until("2026-08-24 13:00")
		b.bank.asked("")
		b.until("2026-08-24 14:00")
		b.wantPolls(8, 20) // a fixing is expected
		b.bank.fail(nil)
		b.until("2026-08-24 14:10")
		b.wantLatest("2026-08-24")
	})
}

func TestKeeperFillsYears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shift := time.Until(at("2026-08-20 10:00"))
		bank := newStandIn(func() time.Time { return time.Now().Add(shift) }).inventAll(date("2026-08-19"))
		broken := yearPaper(2015).path
		bank.fail(func(w http.ResponseWriter, r *http.Request) bool { return r.URL.Path == broken && failing(w, r) })
		r := open(t, Options{Client: bank, Now: bank.now, FillEvery: 5 * time.Second})
		ctx, stop := context.WithCancel(t.Context())
		go r.Run(ctx)
		pass(31 * time.Second)
		if n := bank.asked("/files/"); n < 6 || n > 7 {
			t.Errorf("%d years in the first half minute, want one every 5 s", n)
		}

		pass(3 * time.Minute)
		known := func() []span { return r.archive.runs(0, date("2100-01-01")) }
		if !r.archive.knows(date("2005-01-03")) {
			t.Errorf("not filled: %v", known())
		}

		bank.asked("")
		bank.fail(nil)
		pass(10 * time.Minute)
		if n := bank.asked("/files/"); n != 1 || len(known()) != 1 {
			t.Errorf("%d requests for the year that failed, known %v", n, known())
		}

		pass(time.Hour)
		if n := bank.asked("/files/"); n != 0 {
			t.Errorf("%d requests for years that are complete", n)
		}

		stop()
		synctest.Wait()
	})
}

// A call that needs several documents of a slow bank waits at most for its patience in total. The fetches in progress
// continue, so the next call finds their results.
func TestSlowBank(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shift := time.Until(at("2026-08-20 10:00"))
		bank := newStandIn(func() time.Time { return time.Now().Add(shift) }).inventAll(date("2026-08-19"))
		bank.fail(func(_ http.ResponseWriter, r *http.Request) bool {
			select {
			case <-time.After(3 * time.Second):
			case <-r.Context().Done():
			}
			return false
		})
		r := open(t, Options{Client: bank, Now: bank.now})
		started := time.Now()
		var failure *op.Failure
		_, _, err := r.On(t.Context(), date("2019-01-01")) // needs the latest, the last ten, 2019 and 2018
		if took := time.Since(started); !errors.As(err, &failure) || failure.Kind != op.TimedOut ||
			took != 8*time.Second {
			t.Errorf("%v after %s, want a timeout after 8 s", err, took)
		}

		pass(time.Minute)
		wantDay(t, r, "2019-01-01", "2018-12-31")
	})
}

// A call waits for an unresponsive bank at most for its patience, and closing the archive cancels the fetches.
func TestHangingBank(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine is leaked
		shift := time.Until(at("2026-08-20 10:00"))
		bank := newStandIn(func() time.Time { return time.Now().Add(shift) }).inventAll(date("2026-08-19"))
		bank.fail(func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
		r := open(t, Options{Client: bank, Now: bank.now})
		started := time.Now()
		_, _, err := r.On(t.Context(), 0)
		if took := time.Since(started); err == nil || took > 8*time.Second {
			t.Errorf("%v after %s", err, took)
		}

		r.Close()
		if _, _, err := r.On(t.Context(), date("2020-01-15")); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("after Close: %v", err)
		}
	})
}
