package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}

	return at
}

func TestClockOverlayFitsThisGo(t *testing.T) {
	if _, err := clockOverlay(t.TempDir(), 168); err != nil {
		t.Error(err)
	}
}

func TestClock(t *testing.T) {
	start, passed := at(t, "2026-12-29T12:00:00Z"), time.Duration(0)
	c := newClock(168)
	c.read = func() int64 { return int64(time.Hour + passed) }
	if err := c.set(start); err != nil {
		t.Fatal(err)
	}

	passed = time.Minute
	if got := c.now().Sub(start); got != 168*time.Minute || c.real(time.Minute) != got {
		t.Errorf("after a minute, %s have passed on the clock, and a minute is %s", got, c.real(time.Minute))
	}

	booted := start.Add(-168 * time.Hour).UnixNano()
	if want := fmt.Sprint("RODATA_TEST_CLOCK=", booted); c.environment() != want {
		t.Errorf("the variable is %s, want %s", c.environment(), want)
	}

	passed = 1000 * 24 * time.Hour
	if err := c.set(start); err == nil {
		t.Error("the clock is set to a time that programs cannot derive")
	}
}

func TestWeekStartsBeforeTheEndOfNextMonth(t *testing.T) {
	for now, want := range map[string]string{
		"2026-11-23T17:00:00Z": "2026-12-30T12:00:00Z", "2026-12-31T23:00:00Z": "2027-01-30T12:00:00Z",
		"2027-01-31T00:00:00Z": "2027-02-27T12:00:00Z",
	} {
		if got, err := weekStart("", at(t, now)); err != nil || got != at(t, want) {
			t.Errorf("%s: %s %v, want %s", now, got, err, want)
		}
	}

	if _, err := weekStart("yesterday", time.Now()); err == nil {
		t.Error("any text is a time")
	}
}

func TestReleaseOf(t *testing.T) {
	for now, want := range map[string]string{
		"2026-12-29T12:00:00Z": "2026-11-02", "2027-01-03T23:59:59Z": "2026-11-02",
		"2027-01-04T00:00:00Z": "2026-12-02",
	} {
		if got := releaseOf(at(t, now)).String(); got != want {
			t.Errorf("at %s: %s, want %s", now, got, want)
		}
	}
}

// paying returns an account that was charged 3 credits in one month and 2 in the next. One more call may belong to
// either month.
func paying() (*ledger, []booked) {
	p := &payer{account: "acc-1", months: make(map[string]*paid)}
	december, january := time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 1, 0, 0, 0, time.UTC)
	for range 3 {
		p.note(december, december, 200, "1", nil)
	}

	p.note(december, december, 402, "", nil)
	for range 2 {
		p.note(january, january, 200, "1", nil)
	}

	p.note(january, january, 503, "", nil)
	return &ledger{payers: []*payer{p}}, []booked{{"acc-1", "2026-12", 3, 3, 3}, {"acc-1", "2027-01", 2, 2, 2}}
}

func TestAudit(t *testing.T) {
	for name, c := range map[string]struct {
		change func([]booked)
		fails  bool
	}{
		"exact":                     {func([]booked) {}, false},
		"the open call was charged": {func(b []booked) { b[1] = booked{"acc-1", "2027-01", 3, 3, 3} }, false},
		"a charge is lost":          {func(b []booked) { b[1] = booked{"acc-1", "2027-01", 1, 1, 1} }, true},
		"two charges too many":      {func(b []booked) { b[1] = booked{"acc-1", "2027-01", 4, 4, 4} }, true},
		"in the wrong month": {func(b []booked) {
			b[0], b[1] = booked{"acc-1", "2026-12", 2, 2, 2}, booked{"acc-1", "2027-01", 3, 3, 3}
		}, true},
		"a balance without charges":   {func(b []booked) { b[0].charges = 2 }, true},
		"a usage that does not match": {func(b []booked) { b[0].usage = 4 }, true},
	} {
		l, books := paying()
		c.change(books)
		if _, _, _, err := l.audit(books); (err != nil) != c.fails {
			t.Errorf("%s: %v", name, err)
		}
	}

	l, _ := paying()
	if p := l.payers[0]; p.renewals != 1 || p.spentBefore("2027-01") != 1 || p.spentBefore("2026-12") != 0 {
		t.Errorf("%d renewals, of %d", p.renewals, p.spentBefore("2027-01"))
	}
}

// An account with a quota is refused once the quota is spent, and not before.
func TestAuditOfAQuota(t *testing.T) {
	for used, fails := range map[int]bool{weekQuota: false, weekQuota - 1: true, weekQuota + 1: true} {
		l, _ := paying()
		p := l.payers[0]
		p.months, p.open, l.spender = map[string]*paid{"2026-12": {used, 1}}, 0, p
		if _, _, _, err := l.audit([]booked{{"acc-1", "2026-12", used, used, used}}); (err != nil) != fails {
			t.Errorf("%d of %d: %v", used, weekQuota, err)
		}
	}
}

func TestJudgePartitions(t *testing.T) {
	before := []string{"charges_2026_11", "charges_2026_12", "charges_2027_01", "charges_other"}
	end := at(t, "2027-01-05T12:00:00Z")
	for name, c := range map[string]struct {
		after []string
		fails bool
	}{
		"turned":           {[]string{"charges_2026_12", "charges_2027_01", "charges_2027_02", "charges_other"}, false},
		"kept too long":    {[]string{"charges_2026_11", "charges_2026_12", "charges_2027_01", "charges_other"}, true},
		"without the next": {[]string{"charges_2026_12", "charges_other"}, true},
	} {
		if dropped, err := judgePartitions(before, c.after, end); (err != nil) != c.fails {
			t.Errorf("%s: dropped %v, %v", name, dropped, err)
		}
	}

	if dropped, err := judgePartitions(before, before, at(t, "2026-12-31T12:00:00Z")); err != nil || len(dropped) != 0 {
		t.Errorf("before the month changes: %v %v", dropped, err)
	}
}

func TestBankWatch(t *testing.T) {
	var b bankWatch
	now := at(t, "2026-12-29T11:00:00Z")
	b.see("2026-12-28", "2026-12-28", now)
	b.see("2026-12-29", "2026-12-28", now.Add(time.Minute))
	b.see("2026-12-29", "2026-12-28", now.Add(2*time.Minute))
	b.see("2026-12-29", "2026-12-29", now.Add(3*time.Minute))
	b.see("2026-12-30", "2026-12-29", now.Add(24*time.Hour))
	if b.longest != time.Minute || len(b.published) != 3 || len(b.served) != 2 {
		t.Errorf("%+v", b)
	}
}

func TestRefreshes(t *testing.T) {
	var r refreshes
	now := at(t, "2026-12-29T12:00:00Z")
	for day := range 3 {
		r.see("/v1/companies/1", fmt.Appendf(nil, `{"sources":[{"retrievedAt":"2026-12-2%dT12:00:00Z"}]}`, 7+day), now)
		r.see("/v1/companies/2", []byte(`{"sources":[{"retrievedAt":"2026-12-28T12:00:00Z","stale":true}]}`), now)
	}
	if r.fewest() != 1 || r.oldest != 48*time.Hour || r.stale != 3 || len(r.looked["/v1/companies/1"]) != 3 {
		t.Errorf("%+v", &r)
	}
}

func TestCertificatesAreCountedBySerialNumber(t *testing.T) {
	c := &certificates{leaves: make(map[string]bool), issuers: make(map[string]bool)}
	certificate := func(n int64) *x509.Certificate { return &x509.Certificate{SerialNumber: big.NewInt(n)} }
	for _, leaf := range []int64{1, 1, 2} {
		chain := []*x509.Certificate{certificate(leaf), certificate(10), certificate(20)}
		if err := c.see(tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{chain}}); err != nil {
			t.Fatal(err)
		}
	}

	if len(c.leaves) != 2 || len(c.issuers) != 1 || c.connections != 3 {
		t.Errorf("%+v", c)
	}
}

func TestReadAccessLog(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("access.log", "{\"ts\":3}\n")
	write("access-2026-12-29T12-00-00.000-size.log", "{\"ts\":1}\n{\"ts\":2}\n")
	log, err := readAccessLog(filepath.Join(dir, "access.log"))
	if err != nil || log != (accessLog{3, 27, 1}) {
		t.Errorf("%+v %v", log, err)
	}

	write("access.log", "{\"ts\":3}\n{\"ts\":")
	if _, err := readAccessLog(filepath.Join(dir, "access.log")); err == nil {
		t.Error("a truncated line is JSON")
	}
}

func TestReadLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "week.log")
	const text = `{"level":"info","msg":"a"}
panic: b
{"level":"error","msg":"c"}
{"level":"error","msg":"c","n":2}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	messages, err := readLog(file)
	if err != nil || len(messages) != 3 || *messages[0] != (message{"error", "c", 2, `{"level":"error","msg":"c"}`}) ||
		!slices.ContainsFunc(messages, func(m *message) bool { return m.level == "" && m.text == "panic: b" }) {
		t.Errorf("%+v %v", messages, err)
	}
}

// In the hours after the publication of a release, the answers of both releases are correct. Before and after these
// hours, only one is.
func TestAnswersChangeWithTheRelease(t *testing.T) {
	const path, old, later = "/v1/companies/1", `{"name":"a"}`, `{"name":"b"}`
	published := at(t, "2027-01-04T00:00:00Z")
	for _, c := range []struct {
		body  string
		after time.Duration
		wrong int
	}{
		{old, -2 * time.Hour, 0}, {later, -2 * time.Hour, 1}, {old, time.Hour, 0}, {later, time.Hour, 0},
		{old, releaseWithin + time.Hour, 1}, {later, releaseWithin + time.Hour, 0},
	} {
		w := &week{published: published, after: newWeekChecker(nil), ledger: new(ledger)}
		w.checker = newWeekChecker(nil)
		w.checker.truth[path] = &truth{exact: []byte(old), normal: []byte(old)}
		w.after.truth[path] = &truth{exact: []byte(later), normal: []byte(later)}
		w.noteAnswer(path, nil, 200, []byte(c.body), published.Add(c.after), 0)
		if w.wrong != c.wrong {
			t.Errorf("%s %s after the publication: %d wrong", c.body, c.after, w.wrong)
		}
	}

	if want := api.NewDate(2026, 12, 2); releaseOf(published) != want {
		t.Errorf("the release is %s, want %s", releaseOf(published), want)
	}
}

func TestEventsThatDoNotHold(t *testing.T) {
	if err := printEvents([]event{count("reloads", 3, 3), judgeClock(-time.Minute)}); err != nil {
		t.Error(err)
	}

	err := printEvents([]event{count("reloads", 2, 3), judgeClock(-3 * time.Minute), count("fixings", 1, 1)})
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two events do not hold: %v", err)
	}
}
