package bnr

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// Every published rate known from public sources is answered exactly: from the bank, then from memory, then from disk
// without a bank.
func TestPublishedFacts(t *testing.T) {
	bank := newStandIn(fixed("2026-10-02 18:00"))
	all := facts(t)
	if len(all) != 361 {
		t.Fatalf("%d facts, want 361", len(all))
	}

	for _, f := range all {
		bank.fixings[f.day] = append(bank.fixings[f.day], quote{f.currency, f.multiplier, f.published})
	}

	dir := t.TempDir()
	answersAll := func(t *testing.T, r *Registry) {
		for _, f := range all {
			fixing, _, err := r.On(t.Context(), f.day)
			if err != nil || fixing.Date != f.day {
				t.Fatalf("fixing of %s: %v, %v", f.day, fixing.Date, err)
			}

			want := mustDecimal(f.unit)
			if rate, ok := rateOf(fixing, ro.Currency(f.currency)); !ok || rate.Cmp(want) != 0 {
				t.Errorf("%s of %s is %s, want %s", f.currency, f.day, rate, want)
			}

			series, _, err := r.Between(t.Context(), ro.Currency(f.currency), f.day, f.day)
			if err != nil || len(series) != 1 || series[0].Date != f.day || series[0].Rate.Cmp(want) != 0 {
				t.Errorf("history of %s on %s: %v, %v", f.currency, f.day, series, err)
			}
		}
	}
	r := open(t, Options{Client: connect(t, bank), Dir: dir, Now: bank.now})
	t.Run("from the bank", func(t *testing.T) { answersAll(t, r) })
	bank.fail(down)
	t.Run("from memory", func(t *testing.T) { answersAll(t, r) })
	t.Run("from disk", func(t *testing.T) {
		answersAll(t, open(t, Options{Client: connect(t, bank), Dir: dir, Now: bank.now}))
	})
}

func TestOnGaps(t *testing.T) {
	bank := newStandIn(fixed("2026-08-20 10:00")).inventAll(date("2026-08-19"))
	r := open(t, Options{Client: connect(t, bank), Now: bank.now})
	for day, want := range map[string]string{
		"latest":     "2026-08-19",
		"2026-08-20": "2026-08-19", // not published yet
		"2026-08-19": "2026-08-19",
		"2026-01-06": "2026-01-05", "2026-01-07": "2026-01-05",
		"2026-04-10": "2026-04-09", "2026-04-11": "2026-04-09", "2026-04-12": "2026-04-09", "2026-04-13": "2026-04-09",
		"2026-06-01": "2026-05-29",
		"2026-08-15": "2026-08-14", "2026-08-16": "2026-08-14",
		"2022-06-13": "2022-06-10",
		"2026-01-01": "2025-12-31", "2026-01-04": "2025-12-31",
		"2005-01-03": "2005-01-03",
		"2024-02-29": "2024-02-29",
	} {
		t.Run(day, func(t *testing.T) { wantDay(t, r, day, want) })
	}

	for _, day := range []string{"2005-01-02", "1990-05-05"} {
		if _, _, err := r.On(t.Context(), date(day)); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("day %s before the archive: %v, want ErrUnknown", day, err)
		}
	}
}

// A year's document is fetched only once. If the first days of a year are requested, the previous year's document is
// also fetched once.
func TestYearsAreFetchedOnce(t *testing.T) {
	bank := newStandIn(fixed("2026-08-20 10:00")).inventAll(date("2026-08-19"))
	r := open(t, Options{Client: connect(t, bank), Now: bank.now})
	wantDay(t, r, "latest", "2026-08-19")
	bank.asked("")
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() { wantDay(t, r, "2019-01-01", "2018-12-31") })
	}

	callers.Wait()
	if fresh := wantDay(t, r, "2019-05-31", "2019-05-31"); fresh.Cache != op.Hit || fresh.MaxAge != 24*time.Hour {
		t.Errorf("a day of a fetched year: %+v, want a HIT for a day", fresh)
	}

	for _, path := range []string{yearPaper(2019).path, yearPaper(2018).path} {
		if n := bank.asked(path); n != 1 {
			t.Errorf("%s was requested %d times", path, n)
		}
	}

	if n := bank.asked(""); n != 0 {
		t.Errorf("%d other requests", n)
	}
	if fresh := wantDay(t, r, "2012-07-10", "2012-07-10"); fresh.Cache != op.Miss {
		t.Errorf("the cache status of the first call for a year is %s", fresh.Cache)
	}
}

// TestDocumentIsStoredAlthoughItsCallerLeft verifies that a document in transit is stored if its last caller leaves,
// and is not fetched again.
func TestDocumentIsStoredAlthoughItsCallerLeft(t *testing.T) {
	bank := newStandIn(fixed("2026-08-20 10:00")).inventAll(date("2026-08-19"))
	r := open(t, Options{Client: connect(t, bank), Now: bank.now})
	wantDay(t, r, "latest", "2026-08-19")
	bank.asked("")
	arrived, release := make(chan struct{}), make(chan struct{})
	bank.fail(func(http.ResponseWriter, *http.Request) bool {
		close(arrived)
		<-release
		return false
	})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, _, err := r.On(ctx, date("2019-05-31"))
		left <- err
	}()
	<-arrived
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller who left: %v", err)
	}

	close(release)
	bank.fail(nil)
	wantDay(t, r, "2019-05-31", "2019-05-31")
	if n := bank.asked(""); n != 1 {
		t.Errorf("%d requests, want the one that was on the wire", n)
	}
}

// In January the current year's document is missing; the last ten fixings and the previous year suffice.
func TestJanuary(t *testing.T) {
	bank := newStandIn(fixed("2026-01-09 18:00")).inventAll(date("2026-01-09"))
	bank.fail(func(w http.ResponseWriter, r *http.Request) bool {
		missing := strings.Contains(r.URL.Path, "2026")
		if missing {
			http.NotFound(w, r)
		}
		return missing
	})
	r := open(t, Options{Client: connect(t, bank), Now: bank.now})
	wantDay(t, r, "2026-01-05", "2026-01-05")
	wantDay(t, r, "2026-01-02", "2025-12-31")
	wantDay(t, r, "2025-03-14", "2025-03-14")
	series, _, err := r.Between(t.Context(), "EUR", date("2025-12-29"), date("2026-01-09"))
	if err != nil || len(series) != 6 {
		t.Errorf("history over the year's end: %v, %v, want 6 fixings", series, err)
	}
	if known := r.archive.runs(0, date("2100-01-01")); len(known) != 1 {
		t.Errorf("the years do not join: %v", known)
	}
}

func TestBetween(t *testing.T) {
	bank := newStandIn(fixed("2026-08-20 10:00")).inventAll(date("2026-08-19"))
	r := open(t, Options{Client: connect(t, bank), Now: bank.now})
	tests := map[string]struct {
		currency    ro.Currency
		from, to    string
		n           int
		first, last string
		maxAge      time.Duration
	}{
		"around Easter":             {"EUR", "2026-04-08", "2026-04-14", 3, "2026-04-08", "2026-04-14", 24 * time.Hour},
		"to today, not there yet":   {"EUR", "2026-08-17", "2026-08-20", 3, "2026-08-17", "2026-08-19", time.Minute},
		"into the future":           {"EUR", "2026-08-18", "2026-12-31", 2, "2026-08-18", "2026-08-19", time.Minute},
		"over a year's end":         {"EUR", "2021-12-30", "2022-01-04", 4, "2021-12-30", "2022-01-04", 24 * time.Hour},
		"a currency that ended":     {"HRK", "2022-12-28", "2023-01-05", 3, "2022-12-28", "2022-12-30", 24 * time.Hour},
		"a weekend":                 {"EUR", "2026-08-15", "2026-08-16", 0, "", "", 24 * time.Hour},
		"before the archive begins": {"EUR", "2004-12-01", "2005-01-04", 2, "2005-01-03", "2005-01-04", 24 * time.Hour},
		"a whole leap year": {"EUR", "2024-01-01", "2024-12-31", 252, "2024-01-03", "2024-12-31",
			24 * time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			series, fresh, err := r.Between(t.Context(), test.currency, date(test.from), date(test.to))
			if err != nil || len(series) != test.n {
				t.Fatalf("%d fixings, %v, want %d", len(series), err, test.n)
			}
			if test.n > 0 && (series[0].Date != date(test.first) || series[test.n-1].Date != date(test.last)) {
				t.Errorf("from %s to %s", series[0].Date, series[test.n-1].Date)
			}
			if !slices.IsSortedFunc(series, func(a, b rate.Quotation) int { return int(a.Date - b.Date) }) {
				t.Error("the series does not ascend")
			}
			if fresh.MaxAge != test.maxAge || !fresh.FreshUntil.After(bank.now()) {
				t.Errorf("freshness %+v", fresh)
			}
		})
	}
}

func TestLastQuoted(t *testing.T) {
	bank := newStandIn(fixed("2026-08-20 10:00")).inventAll(date("2026-08-19"))
	r := open(t, Options{Client: connect(t, bank), Now: bank.now})
	tests := map[string]struct {
		currency ro.Currency
		day      string
		want     string // empty: never
	}{
		"today":                    {"EUR", "2026-08-20", "2026-08-19"},
		"on a holiday":             {"EUR", "2026-01-07", "2026-01-05"},
		"years ago":                {"HRK", "2026-08-20", "2022-12-30"},
		"while it was":             {"HRK", "2022-06-13", "2022-06-10"},
		"never":                    {"BGN", "2010-01-01", ""},
		"before the archive began": {"EUR", "2005-01-02", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok, err := r.LastQuoted(t.Context(), test.currency, date(test.day))
			if err != nil || ok != (test.want != "") || ok && got != date(test.want) {
				t.Errorf("%s, %v, %v, want %q", got, ok, err, test.want)
			}
		})
	}

	if n := bank.asked(yearPaper(2021).path); n != 0 {
		t.Error("the search fetched an unnecessary year")
	}
}

func TestCurrencies(t *testing.T) {
	bank := newStandIn(fixed("2026-08-20 10:00")).inventAll(date("2026-08-19"))
	bank.fixings[date("2026-08-19")] = []quote{{"XTS", "", "1.5"}, {"EUR", "", "5.2"}}
	r := open(t, Options{Client: connect(t, bank), Now: bank.now})
	if n := len(r.Currencies()); n != 39 {
		t.Errorf("%d currencies are built in, want 39", n)
	}

	wantDay(t, r, "latest", "2026-08-19")
	got := r.Currencies()
	if !slices.IsSorted(got) || !slices.Contains(got, "XTS") || !slices.Contains(got, "HRK") ||
		slices.Contains(got, ro.RON) || len(got) != 40 {
		t.Errorf("currencies after a new one was published: %v", got)
	}
}

// After a restart without a bank, all stored days are answered, and the latest one is stale. Other days fail.
func TestRestartWithoutBank(t *testing.T) {
	t.Parallel() // a bank that is down is asked again after a pause
	clockNow := at("2026-08-19 18:00")
	bank := newStandIn(func() time.Time { return clockNow }).inventAll(date("2026-08-26"))
	dir := t.TempDir()
	first := open(t, Options{Client: connect(t, bank), Dir: dir, Now: bank.now})
	wantDay(t, first, "latest", "2026-08-19")
	wantDay(t, first, "2024-05-01", "2024-04-30")
	// No Close: the process was killed.

	clockNow = at("2026-08-26 18:00")
	bank.fail(down)
	r := open(t, Options{Client: connect(t, bank), Dir: dir, Now: bank.now})
	for _, day := range []string{"latest", "2026-08-26"} {
		fresh := wantDay(t, r, day, "2026-08-19")
		if fresh.Cache != op.Hit || fresh.FreshUntil.After(clockNow) || fresh.MaxAge != time.Minute ||
			fresh.RetrievedAt.After(at("2026-08-19 18:00")) {
			t.Errorf("%s without the bank: %+v, want a stale HIT", day, fresh)
		}
	}

	if fresh := wantDay(t, r, "2024-05-01", "2024-04-30"); !fresh.FreshUntil.After(clockNow) {
		t.Errorf("a past day is stale: %+v", fresh)
	}

	wantFailure := func(day string) {
		var failure *op.Failure
		if f, _, err := r.On(t.Context(), date(day)); !errors.As(err, &failure) || failure.Registry != "bnr" {
			t.Errorf("%s without the bank: %s, %v, want a failure", day, f.Date, err)
		}
	}
	wantFailure("2019-05-31")
	wantFailure("2026-08-21") // a past day whose fixing is missing: not Wednesday's
	if s := r.Status(); s.AsOf != date("2026-08-19") || s.MissedPublications != 5 {
		t.Errorf("status %+v, want 5 missed publications", s)
	}

	series, fresh, err := r.Between(t.Context(), "EUR", date("2026-08-10"), date("2026-08-26"))
	if err != nil || len(series) == 0 || series[len(series)-1].Date != date("2026-08-19") ||
		fresh.FreshUntil.After(clockNow) {
		t.Errorf("history to today without the bank: %d fixings, %+v, %v, want stale ones", len(series), fresh, err)
	}
}

// If days were missed because the bank repeated an outdated document, they are not known after a restart either, even
// if the bank's latest fixing was the only document available since.
func TestRestartAfterAFrozenBank(t *testing.T) {
	clockNow := at("2026-08-18 18:00")
	bank := newStandIn(func() time.Time { return clockNow }).inventAll(date("2026-09-08"))
	dir := t.TempDir()
	r := open(t, Options{Client: connect(t, bank), Dir: dir, Now: bank.now})
	bank.fail(bank.repeat(date("2026-08-18")))
	for ; clockNow.Before(at("2026-09-08 18:00")); clockNow = clockNow.Add(24 * time.Hour) {
		wantDay(t, r, "latest", "2026-08-18")
	}

	bank.fail(func(w http.ResponseWriter, r *http.Request) bool { return r.URL.Path != dayPaper.path && failing(w, r) })
	wantDay(t, r, "latest", "2026-09-08")

	bank.fail(failing)
	again := open(t, Options{Client: connect(t, bank), Dir: dir, Now: bank.now})
	if f, _, err := again.On(t.Context(), date("2026-08-25")); err == nil {
		t.Errorf("a skipped day has the fixing of %s", f.Date)
	}

	wantDay(t, again, "2026-09-08", "2026-09-08")
}

func TestFaults(t *testing.T) {
	const homepage = `<!doctype html><html lang="ro"><head><meta charset="UTF-8"><title>Banca</title></head><body></body></html>`
	respond := func(status int, kind, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			w.Write([]byte(body))
			return true
		}
	}
	cube := func(day, rate string) string {
		return head + `<Cube date="` + day + `"><Rate currency="EUR">` + rate + `</Rate></Cube>` + foot
	}
	tests := map[string]func(http.ResponseWriter, *http.Request) bool{
		"homepage":               respond(200, "text/html", homepage),
		"homepage said to be it": respond(200, "text/xml", homepage),
		"redirect": func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "/", http.StatusFound)
			return true
		},
		"error":                respond(500, "text/xml", cube("2026-08-20", "5.2")),
		"not found":            respond(404, "text/xml", ""),
		"unasked 304":          respond(304, "", ""),
		"reset":                down,
		"truncated":            respond(200, "text/xml", cube("2026-08-20", "5.2")[:200]),
		"empty":                respond(200, "text/xml", ""),
		"over 256 KiB":         respond(200, "text/xml", cube("2026-08-20", "5.2")+strings.Repeat(" ", 256<<10)),
		"a fixing of tomorrow": respond(200, "text/xml", cube("2026-08-21", "5.2")),
		"an older fixing":      respond(200, "text/xml", cube("2026-08-18", "4.8")),
		"more than doubled":    respond(200, "text/xml", cube("2026-08-20", "11.2")),
		"less than halved":     respond(200, "text/xml", cube("2026-08-20", "2.2")),
		"before the archive":   respond(200, "text/xml", cube("2004-12-31", "3.9")),
	}
	for name, fault := range tests {
		t.Run(name, func(t *testing.T) {
			clockNow := at("2026-08-19 18:00")
			bank := newStandIn(func() time.Time { return clockNow }).inventAll(date("2026-08-20"))
			dir := t.TempDir()
			wantDay(t, open(t, Options{Client: connect(t, bank), Dir: dir, Now: bank.now}), "latest",
				"2026-08-19")
			before, err := os.ReadFile(yearFiles{dir}.path(2026))
			testkit.NoError(t, err)

			clockNow = at("2026-08-20 18:00")
			bank.fail(fault)
			r := open(t, Options{Client: connect(t, bank), Dir: dir, Now: bank.now})
			if fresh := wantDay(t, r, "latest", "2026-08-19"); fresh.FreshUntil.After(clockNow) {
				t.Errorf("not stale: %+v", fresh)
			}
			if r.checks.err == nil {
				t.Error("the fault was not noticed")
			}

			after, _ := os.ReadFile(yearFiles{dir}.path(2026))
			if string(after) != string(before) {
				t.Error("the fault changed the stored fixings")
			}

			bank.fail(nil)
			clockNow = clockNow.Add(time.Minute)
			if fresh := wantDay(t, r, "latest", "2026-08-20"); fresh.Cache != op.Miss ||
				!fresh.FreshUntil.After(clockNow) {
				t.Errorf("after recovery: %+v", fresh)
			}
		})
	}
}

func TestEmptyArchiveWithoutBank(t *testing.T) {
	t.Parallel() // a bank that is down is asked again after a pause
	bank := newStandIn(fixed("2026-08-20 10:00"))
	bank.fail(down)
	r := open(t, Options{Client: connect(t, bank), Now: bank.now})
	past, ctx := date("2020-01-15"), t.Context()
	for range 4 { // the breaker opens in between
		for name, call := range map[string]func() error{
			"latest":       func() error { _, _, err := r.On(ctx, 0); return err },
			"past day":     func() error { _, _, err := r.On(ctx, past); return err },
			"history":      func() error { _, _, err := r.Between(ctx, "EUR", past, past+9); return err },
			"last quoted":  func() error { _, _, err := r.LastQuoted(ctx, "EUR", 0); return err },
			"newest":       func() error { _, _, err := r.Newest(ctx, 10); return err },
			"of last year": func() error { _, _, err := r.OfYear(ctx, 2025); return err },
		} {
			var failure *op.Failure
			if err := call(); !errors.As(err, &failure) {
				t.Errorf("%s: %v, want a failure", name, err)
			}
		}
	}

	if s := r.Status(); s.Breaker != "open" || s.AsOf != 0 || !s.LastSuccess.IsZero() || s.MissedPublications != 0 {
		t.Errorf("status %+v", s)
	}
}

// The bank may correct only its newest ten fixings.
func TestCorrections(t *testing.T) {
	clockNow := at("2026-08-18 18:00")
	bank := newStandIn(func() time.Time { return clockNow }).inventAll(date("2026-08-19"))
	r := open(t, Options{Client: connect(t, bank), Now: bank.now})
	wantDay(t, r, "2026-03-02", "2026-03-02")
	for _, day := range []string{"2026-03-02", "2026-08-18"} {
		bank.publish(date(day), []quote{{"EUR", "", "4.9999"}})
	}
	testkit.NoError(t, r.fetchYear(t.Context(), 2026))

	for day, corrected := range map[string]bool{"2026-03-02": false, "2026-08-18": true} {
		f, _, err := r.On(t.Context(), date(day))
		rate, _ := rateOf(f, "EUR")
		want := invented(date(day))[0].text
		if corrected {
			want = "4.9999"
		}
		if err != nil || rate.Cmp(mustDecimal(want)) != 0 {
			t.Errorf("EUR of %s is %s, %v, want %s", day, rate, err, want)
		}
	}
}

func TestPanicIsAnError(t *testing.T) {
	bank := newStandIn(fixed("2026-08-20 10:00"))
	bank.fail(func(http.ResponseWriter, *http.Request) bool { panic("as expected") })
	_, _, err := open(t, Options{Client: bank, Now: bank.now}).On(t.Context(), date("2020-01-15"))
	if err == nil || !strings.Contains(err.Error(), "as expected") {
		t.Errorf("answered with %v", err)
	}
}

func TestOpenNeedsADirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, os.WriteFile(file, nil, 0o644))
	if _, err := Open(Options{Dir: filepath.Join(file, "archive")}); err == nil {
		t.Error("opened in a file")
	}
}

func TestDamagedFile(t *testing.T) {
	bank := newStandIn(fixed("2026-08-20 10:00")).inventAll(date("2026-08-19"))
	dir := t.TempDir()
	client := connect(t, bank)
	wantDay(t, open(t, Options{Client: client, Dir: dir, Now: bank.now}), "2019-05-31", "2019-05-31")
	path := yearFiles{dir}.path(2019)
	text, err := os.ReadFile(path)
	testkit.NoError(t, err)

	text[len(text)/2] ^= 1
	testkit.NoError(t, os.WriteFile(path, text, 0o644))

	var log strings.Builder
	r := open(t, Options{Client: client, Dir: dir, Now: bank.now, Logger: logTo(&log)})
	if !strings.Contains(log.String(), "fixings-2019.txt") {
		t.Errorf("the damage is not reported: %s", log.String())
	}
	if fresh := wantDay(t, r, "2019-05-31", "2019-05-31"); fresh.Cache != op.Miss {
		t.Error("the year was not fetched again")
	}
	if _, err := os.Stat(path + ".damaged"); err != nil {
		t.Errorf("the damaged file is gone: %v", err)
	}
}

// Nothing is lost while the disk is not writable. Fixings are answered from memory and saved later.
func TestDiskFailure(t *testing.T) {
	bank := newStandIn(fixed("2026-08-20 10:00")).inventAll(date("2026-08-19"))
	dir := t.TempDir() + "/archive"
	var log strings.Builder
	r := open(t, Options{Client: connect(t, bank), Dir: dir, Now: bank.now,
		Logger: logTo(&log)})
	testkit.NoError(t, os.Remove(dir))

	wantDay(t, r, "latest", "2026-08-19")
	wantDay(t, r, "2026-02-02", "2026-02-02")
	if !strings.Contains(log.String(), "writing fixings failed") {
		t.Error("the failure is not logged")
	}
	testkit.NoError(t, os.Mkdir(dir, 0o755))
	testkit.NoError(t, r.Close())

	bank.fail(down)
	wantDay(t, open(t, Options{Client: connect(t, bank), Dir: dir, Now: bank.now}), "2026-02-02",
		"2026-02-02")
}
