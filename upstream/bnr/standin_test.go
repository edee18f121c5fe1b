package bnr

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/holidays"
)

// quote is a rate as the bank writes it.
type quote struct{ currency, multiplier, text string }

// standIn is a central bank with a clock.
type standIn struct {
	now       func() time.Time
	publishAt atomic.Int64 // time of day, a Duration

	mu       sync.Mutex
	fixings  map[ro.Date][]quote
	sorted   []ro.Date                                     // of fixings; nil after a change
	fault    func(http.ResponseWriter, *http.Request) bool // true if it answered
	requests []string                                      // paths
}

func newStandIn(now func() time.Time) *standIn {
	b := &standIn{now: now, fixings: map[ro.Date][]quote{}}
	b.publishAt.Store(int64(13*time.Hour + 2*time.Minute + 3*time.Second))
	return b
}

// inventAll publishes on every day of the calendar up to a given one.
func (b *standIn) inventAll(until ro.Date) *standIn {
	for day := firstDay; day <= until; day++ {
		if holidays.BankDay(day) {
			b.fixings[day] = invented(day)
		}
	}

	return b
}

// invented returns rates that identify their day.
func invented(day ro.Date) []quote {
	quotes := []quote{
		{"EUR", "", fmt.Sprintf("4.%04d", 5000+int(day)%1000)},
		{"HUF", "100", fmt.Sprintf("1.%04d", 3000+int(day)%1000)},
	}
	if day <= date("2022-12-30") {
		quotes = append(quotes, quote{"HRK", "", "0.6565"})
	}
	return quotes
}

// fail installs a handler that takes precedence. Nil removes it.
func (b *standIn) fail(fault func(http.ResponseWriter, *http.Request) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = fault
}

// publish changes the fixing of a day. Without quotes, the day has no fixing.
func (b *standIn) publish(day ro.Date, quotes []quote) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fixings[day] = quotes; quotes == nil {
		delete(b.fixings, day)
	}

	b.sorted = nil
}

// asked counts the requests for a path since the last call, and resets the count.
func (b *standIn) asked(path string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	b.requests = slices.DeleteFunc(b.requests, func(p string) bool {
		if strings.HasPrefix(p, path) {
			n++
			return true
		}
		return false
	})
	return n
}

// days returns the days published so far, ascending.
func (b *standIn) days() []ro.Date {
	if b.sorted == nil {
		b.sorted = slices.Sorted(maps.Keys(b.fixings))
	}

	now, n := b.now(), len(b.sorted)
	for n > 0 && now.Before(clock(b.sorted[n-1], 0).Add(time.Duration(b.publishAt.Load()))) {
		n--
	}

	return slices.Clone(b.sorted[:n])
}

func (b *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, r.URL.Path)
	if b.fault != nil && b.fault(w, r) {
		return
	}

	days := b.days()
	var year int
	switch _, err := fmt.Sscanf(r.URL.Path, "/files/xml/years/nbrfxrates%d.xml", &year); {
	case err == nil:
		days = slices.DeleteFunc(days, func(d ro.Date) bool { return d.Year() != year })
	case r.URL.Path == dayPaper.path:
		days = days[max(len(days)-1, 0):]
	case r.URL.Path == tenDaysPaper.path:
		days = days[max(len(days)-10, 0):]
		slices.Reverse(days)
	default:
		days = nil
	}

	if len(days) == 0 {
		http.NotFound(w, r)
		return
	}

	text := b.document(days)
	etag := fmt.Sprintf("%q", fmt.Sprint(len(text), days[0], b.fixings[days[0]]))
	w.Header().Set("ETag", etag)
	w.Header().Set("Content-Type", "text/xml")
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}

	io.WriteString(w, text)
}

func (b *standIn) document(days []ro.Date) string {
	var x strings.Builder
	namespace := "https://www.bnr.ro/xsd"
	if days[0].Year() < 2026 {
		namespace = "http://www.bnr.ro/xsd"
	}

	fmt.Fprintf(&x, `<?xml version="1.0" encoding="utf-8"?><DataSet xmlns="%s"><Header><PublishingDate>%s</PublishingDate></Header>`+
		`<Body><Subject>Reference rates</Subject><OrigCurrency>RON</OrigCurrency>`, namespace, days[0]+2)
	for _, d := range days {
		fmt.Fprintf(&x, "<Cube date=%q>", d)
		for _, q := range b.fixings[d] {
			if q.multiplier != "" {
				fmt.Fprintf(&x, `<Rate currency="%s" multiplier="%s">%s</Rate>`, q.currency, q.multiplier, q.text)
			} else {
				fmt.Fprintf(&x, `<Rate currency="%s">%s</Rate>`, q.currency, q.text)
			}
		}

		x.WriteString("</Cube>")
	}

	return x.String() + "</Body></DataSet>"
}

// Do answers without a connection, as the fake clock of synctest requires.
func (b *standIn) Do(ctx context.Context, r upstream.Request) (*upstream.Response, error) {
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, r.Path, nil)
	req.Header = r.Header
	rec := httptest.NewRecorder()
	b.ServeHTTP(rec, req)
	if err := ctx.Err(); err != nil {
		return nil, &op.Failure{Registry: name, Kind: op.TimedOut, Err: err}
	}

	return &upstream.Response{Status: rec.Code, Header: rec.Header(), Body: rec.Body.Bytes()}, nil
}

// down makes the bank unreachable.
func down(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }

// failing makes the bank answer with an error.
func failing(w http.ResponseWriter, _ *http.Request) bool {
	w.WriteHeader(http.StatusInternalServerError)
	return true
}

// repeat makes the bank return the fixing of a day as its latest, even if it has published newer ones.
func (b *standIn) repeat(day ro.Date) func(http.ResponseWriter, *http.Request) bool {
	text := b.document([]ro.Date{day})
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != dayPaper.path {
			return false
		}

		w.Header().Set("Content-Type", "text/xml")
		io.WriteString(w, text)
		return true
	}
}

// connect returns a client of the stand-in over loopback.
func connect(t testing.TB, b *standIn) *upstream.Client {
	t.Helper()
	server := httptest.NewUnstartedServer(b)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	client, err := upstream.NewClient(upstream.Options{Registry: name, URL: server.URL})
	testkit.NoError(t, err)

	t.Cleanup(func() { client.Close(); server.Close() })
	return client
}

// open opens an archive that is closed with the test.
func open(t testing.TB, o Options) *Registry {
	t.Helper()
	o.Dir = cmp.Or(o.Dir, t.TempDir())
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}

	r, err := Open(o)
	testkit.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

func date(text string) ro.Date { return testkit.Must(ro.ParseDate(text)) }

// at returns a time on Bucharest's clocks.
func at(text string) time.Time {
	return testkit.Must(time.ParseInLocation("2006-01-02 15:04", text, ro.Bucharest))
}

func fixed(text string) func() time.Time { return func() time.Time { return at(text) } }

// wantDay requests a day and compares the day of the fixing.
func wantDay(t *testing.T, r *Registry, day, want string) op.Freshness {
	t.Helper()
	var asked ro.Date
	if day != "latest" {
		asked = date(day)
	}

	f, fresh, err := r.On(t.Context(), asked)
	if err != nil || f.Date != date(want) {
		t.Errorf("fixing for %s: %v, %v, want the one of %s", day, f.Date, err, want)
	}

	return fresh
}

// wantDays requests every day of a range; the bank has published on every expected day.
func wantDays(t *testing.T, r *Registry, from, to ro.Date) {
	t.Helper()
	for day := from; day <= to; day++ {
		want := day
		for !holidays.BankDay(want) {
			want--
		}

		wantDay(t, r, day.String(), want.String())
	}
}

// fact is a published rate.
type fact struct {
	day                                   ro.Date
	currency, multiplier, published, unit string
}

// facts returns rates that the bank has published, read from public sources.
func facts(t testing.TB) []fact {
	t.Helper()
	file, err := os.Open("testdata/facts.csv")
	testkit.NoError(t, err)
	defer file.Close()

	rows, err := csv.NewReader(file).ReadAll()
	testkit.NoError(t, err)

	var all []fact
	for _, row := range rows[1:] {
		all = append(all, fact{date(row[0]), row[1], row[2], row[3], row[4]})
	}

	return all
}

// logbook collects log output; it is safe for concurrent reads.
type logbook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) count(words string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), words)
}

func logTo(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
