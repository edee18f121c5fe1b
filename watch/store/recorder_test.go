package store

import (
	"crypto/md5"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/history"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
)

// forRecorders runs a test for every kind of database.
func forRecorders(t *testing.T, test func(t *testing.T, r *Recorder)) {
	migrated.Each(t, func(t *testing.T, place string) {
		test(t, openRecorder(t, place))
	})
}

// openRecorder opens the databases at a path or URL for the duration of the test.
func openRecorder(t testing.TB, place string) *Recorder {
	t.Helper()
	observations := databases.Open(t, place, historystore.Open)
	return newRecorder(openIn(t, observations), observations)
}

var errUnread = errors.New("this record cannot be read")

// newRecorder records companies whose records are short texts: a name, and an exclamation mark if they pay VAT.
func newRecorder(db *DB, observations *historystore.DB) *Recorder {
	view := func(o *history.Observation) (*history.View, error) {
		if string(o.Record) == "broken" {
			return nil, errUnread
		}

		name, pays := strings.CutSuffix(string(o.Record), "!")
		v := &history.View{Day: o.Day, At: o.At, Identity: []history.Field{{Name: "name", Value: name}}}
		v.Timelines[history.VATPayer].OnDay = &pays
		return v, nil
	}
	return &Recorder{Store: db, Observations: observations, View: view}
}

// says returns an answer in which all companies have the same record at a given time.
func says(at time.Time, text string, companies ...ro.CUI) (a Answer) {
	for _, c := range companies {
		a.Observations = append(a.Observations, history.Observation{
			Company: c, Day: ro.DateIn(at, ro.Bucharest), At: at, Record: []byte(text),
			Fingerprint: md5.Sum([]byte(text)),
		})
		pays := strings.HasSuffix(text, "!")
		a.Looks = append(a.Looks, history.Finding{
			Company: c, At: at, NACE: 111, Phone: "0210000000",
			Statuses: history.PackStatuses([history.StatusCount]*bool{history.VATPayer: &pays}),
		})
	}

	return a
}

// misses returns an answer without the requested companies.
func misses(at time.Time, companies ...ro.CUI) (a Answer) {
	for _, c := range companies {
		a.Looks = append(a.Looks, history.Finding{Company: c, At: at, Missing: true})
	}
	return a
}

func record(t testing.TB, r *Recorder, a Answer) {
	t.Helper()
	testkit.NoError(t, r.Record(t.Context(), a))
}

// changes prints the feed of all changes, one line per event.
func changes(t testing.TB, db *DB) (lines []string) {
	t.Helper()
	p, err := db.Changes(t.Context(), monitoring.EventCursor{}, monitoring.EventFilter{}, 1000)
	if err != nil || p.More {
		t.Fatal(p.More, err)
	}

	for _, e := range p.Events {
		lines = append(lines, fmt.Sprintf("%s %s", e.Data.TaxID, e.Type))
	}

	return lines
}

var morning = time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)

func TestEventsAreRecorded(t *testing.T) {
	forRecorders(t, func(t *testing.T, r *Recorder) {
		events := 0
		r.Wake = func() { events++ }
		list(t, r.Store, "a", 1, monitoring.DefaultEvents, acme)

		record(t, r, says(morning, "EXEMPLU!", acme, other)) // first looks
		record(t, r, says(morning.Add(time.Hour), "EXEMPLU!", acme, other))
		if got := changes(t, r.Store); len(got) != 0 || events != 0 {
			t.Errorf("%d events without a change: %q", events, got)
		}

		record(t, r, says(morning.Add(2*time.Hour), "EXEMPLU", acme, other))
		record(t, r, says(morning.Add(3*time.Hour), "exemplu", acme))
		record(t, r, says(morning.Add(4*time.Hour), "ALTUL", acme))
		want := []string{"9900000010 company.vat.cancelled", "9900000028 company.vat.cancelled",
			"9900000010 company.name.changed"}
		if got := changes(t, r.Store); !slices.Equal(got, want) || events != 2 {
			t.Errorf("%d events: %q, want %q", events, got, want)
		}

		p, err := r.Store.Feed(t.Context(), "a", monitoring.EventCursor{}, monitoring.EventFilter{}, 10)
		if err != nil || len(p.Events) != 2 {
			t.Fatalf("the feed is %+v, %v", p.Events, err)
		}

		e := p.Events[0]
		if !e.Data.Observed.Before.Equal(morning.Add(time.Hour)) ||
			!e.Data.Observed.After.Equal(morning.Add(2*time.Hour)) ||
			*e.Data.Name != "EXEMPLU" || e.Data.Source.Name != "anaf" || !e.Timestamp.Equal(morning.Add(2*time.Hour)) {
			t.Errorf("the event is %+v", e)
		}

		late := says(morning.Add(90*time.Minute), "CU TOTUL ALTUL!", acme)
		record(t, r, late)
		if got := changes(t, r.Store); len(got) != len(want) {
			t.Errorf("a late answer caused an event: %q", got)
		}
		if _, statuses := keptOf(t, r.Store, acme); !statuses.Is(history.VATPayer, false) {
			t.Errorf("a late answer replaced the stored statuses: %b", statuses)
		}
	})
}

// Changes become events even if the clocks of two edges differ or a clock is set back.
func TestChangeByAClockThatIsBehind(t *testing.T) {
	forRecorders(t, func(t *testing.T, r *Recorder) {
		record(t, r, says(morning, "EXEMPLU!", acme))
		record(t, r, says(morning.Add(10*time.Minute), "EXEMPLU!", acme))
		record(t, r, says(morning.Add(5*time.Minute+time.Microsecond), "EXEMPLU", acme))
		want := []string{"9900000010 company.vat.cancelled"}
		if got := changes(t, r.Store); !slices.Equal(got, want) {
			t.Errorf("got the events %q, want %q", got, want)
		}
		if at, statuses := keptOf(t, r.Store, acme); !at.Equal(morning.Add(10*time.Minute)) ||
			!statuses.Is(history.VATPayer, false) {
			t.Errorf("the stored look is %s, %b", at, statuses)
		}

		p, err := r.Store.Changes(t.Context(), monitoring.EventCursor{}, monitoring.EventFilter{}, 1)
		if err != nil || len(p.Events) != 1 || p.Events[0].Data.Observed.Before.After(p.Events[0].Data.Observed.After) {
			t.Errorf("observed from %+v, %v", p.Events, err)
		}

		record(t, r, says(morning.Add(24*time.Hour), "EXEMPLU", acme))
		if got := changes(t, r.Store); !slices.Equal(got, want) {
			t.Errorf("a day later, got the events %q, want %q", got, want)
		}
	})
}

// A change is noticed even if a record in between omits the field.
func TestChangeAcrossAGap(t *testing.T) {
	forRecorders(t, func(t *testing.T, r *Recorder) {
		for i, text := range []string{"EXEMPLU!", "!", "", "ALTUL", "!", "ALTUL!", "!", "EXEMPLU!"} {
			record(t, r, says(morning.Add(time.Duration(i)*time.Hour), text, acme))
		}

		want := []string{"9900000010 company.vat.cancelled", "9900000010 company.name.changed",
			"9900000010 company.vat.registered",
			"9900000010 company.name.changed"}
		if got := changes(t, r.Store); !slices.Equal(got, want) {
			t.Errorf("got the events %q, want %q", got, want)
		}

		var kept int
		if err := r.Store.Reader.QueryRowContext(t.Context(),
			`SELECT COUNT(texts) FROM looked`).Scan(&kept); err != nil || kept != 0 {
			t.Errorf("texts are kept for %d companies with complete records, %v", kept, err)
		}
	})
}

// keptOf returns the stored summary of the looks at a company.
func keptOf(t testing.TB, db *DB, company ro.CUI) (at time.Time, statuses history.Statuses) {
	t.Helper()
	err := db.Reader.QueryRowContext(t.Context(), `SELECT at, statuses FROM looked WHERE company = $1`, int64(company)).
		Scan(database.Time(&at), &statuses)
	testkit.NoError(t, err)

	return at, statuses
}

// A company counts as unknown after it has been missing for 12 hours, because registers are unreliable at times.
func TestLostCompanies(t *testing.T) {
	forRecorders(t, func(t *testing.T, r *Recorder) {
		record(t, r, misses(morning.Add(-10*time.Hour), other)) // never found
		record(t, r, says(morning.Add(-10*time.Hour), "EXEMPLU!", acme))
		for _, hours := range []time.Duration{-9, 2, 5} {
			record(t, r, misses(morning.Add(hours*time.Hour), acme, other))
			if hours < 0 { // found again, which begins the 12 hours anew
				record(t, r, says(morning.Add(hours*time.Hour+time.Hour), "EXEMPLU!", acme))
			}
		}
		if got := changes(t, r.Store); len(got) != 0 {
			t.Errorf("events after five hours: %q", got)
		}

		record(t, r, misses(morning.Add(14*time.Hour), acme, other))
		record(t, r, misses(morning.Add(40*time.Hour), acme, other))
		if got, want := changes(t, r.Store), []string{"9900000010 company.unknown"}; !slices.Equal(got, want) {
			t.Errorf("got the events %q, want %q", got, want)
		}

		record(t, r, says(morning.Add(41*time.Hour), "EXEMPLU", acme))
		if got, want := changes(t, r.Store),
			[]string{"9900000010 company.unknown", "9900000010 company.vat.cancelled"}; !slices.Equal(got, want) {
			t.Errorf("after it came back: %q, want %q", got, want)
		}
	})
}

// A record that cannot be parsed is stored like any other, and Record returns an error.
func TestRecordsThatCannotBeRead(t *testing.T) {
	forRecorders(t, func(t *testing.T, r *Recorder) {
		record(t, r, says(morning, "EXEMPLU!", acme, other))
		broken := says(morning.Add(time.Hour), "broken", acme)
		good := says(morning.Add(time.Hour), "EXEMPLU", other)
		err := r.Record(t.Context(), Answer{Observations: append(broken.Observations, good.Observations...),
			Looks: good.Looks})
		if !errors.Is(err, errUnread) {
			t.Errorf("got %v", err)
		}
		if got, want := changes(t, r.Store), []string{"9900000028 company.vat.cancelled"}; !slices.Equal(got, want) {
			t.Errorf("got the events %q, want %q", got, want)
		}
		if at, _ := keptOf(t, r.Store, other); !at.Equal(morning.Add(time.Hour)) {
			t.Errorf("the last look was at %s", at)
		}
	})
}

// After a deadlock, Record uses the answer again.
func TestRecordingDoesNotChangeTheAnswer(t *testing.T) {
	forRecorders(t, func(t *testing.T, r *Recorder) {
		a := says(morning, "ALFA", 2, 1)
		a.Looks = append(a.Looks, misses(morning.Add(time.Minute), 1).Looks...)
		want := slices.Clone(a.Looks)
		record(t, r, a)
		if !slices.Equal(a.Looks, want) {
			t.Errorf("the looks are %+v, were %+v", a.Looks, want)
		}
	})
}

// If several edges see the same change at once, they write one event for it. A reader that continues after its cursor
// sees every number exactly once, in order.
func TestConcurrentRecorders(t *testing.T) {
	url := migrated.URL(t)
	const edges, rounds, companies = 4, 25, 20
	all := make([]ro.CUI, companies)
	for i := range all {
		all[i] = acme + ro.CUI(i)
	}

	recorders := make([]*Recorder, edges)
	for i := range recorders {
		recorders[i] = openRecorder(t, url)
	}

	list(t, recorders[0].Store, "a", 1, monitoring.DefaultEvents, all...)
	var first sync.WaitGroup
	for _, r := range recorders {
		first.Go(func() {
			if err := r.Record(t.Context(), says(morning, "EXEMPLU", all...)); err != nil {
				t.Error(err)
			}
		})
	}

	first.Wait()

	want := int64(rounds * companies)
	var seen []int64
	var running sync.WaitGroup
	running.Go(func() {
		var after monitoring.EventCursor
		for int64(len(seen)) < want && t.Context().Err() == nil && !t.Failed() {
			p, err := recorders[0].Store.Feed(t.Context(), "a", after, monitoring.EventFilter{}, 7)
			if err != nil {
				t.Error(err)
				return
			}

			for _, e := range p.Events {
				seen = append(seen, e.Cursor.Number)
			}

			after = p.Next
		}
	})

	for round := range rounds {
		text := "EXEMPLU"
		if round%2 == 0 {
			text += "!"
		}

		var edge sync.WaitGroup
		for i, r := range recorders {
			edge.Go(func() { // in another order, and a little later
				some := slices.Clone(all)
				slices.Reverse(some[:i])
				at := morning.Add(time.Duration(round+1)*time.Hour + time.Duration(i)*time.Millisecond)
				for chunk := range slices.Chunk(some, companies/2) {
					if err := r.Record(t.Context(), says(at, text, chunk...)); err != nil {
						t.Error(err)
					}
				}
			})
		}

		edge.Wait()
	}

	running.Wait()

	if latest, err := recorders[0].Store.Latest(t.Context()); err != nil || latest != want {
		t.Errorf("%d events were written, %v, want %d", latest, err, want)
	}

	for i, number := range seen {
		if number != int64(i+1) {
			t.Fatalf("after %d the reader saw %d", i, number)
		}
	}
}

// BenchmarkRecord stores an answer about 100 companies, or about one.
func BenchmarkRecord(b *testing.B) {
	for _, c := range []struct {
		name      string
		companies int
		news      bool
	}{{"100 with news", 100, true}, {"100 without", 100, false}, {"1 with news", 1, true}, {"1 without", 1, false}} {
		b.Run(c.name, func(b *testing.B) {
			r := openRecorder(b, filepath.Join(b.TempDir(), "history.db"))
			companies, n := make([]ro.CUI, c.companies), 0
			for i := range companies {
				companies[i] = acme + ro.CUI(i*7)
			}

			list(b, r.Store, "a", 1, monitoring.DefaultEvents, companies...)
			b.ReportAllocs()
			for b.Loop() {
				n++
				text := "EXEMPLU"
				if c.news && n%2 == 0 {
					text += "!"
				}

				record(b, r, says(morning.Add(time.Duration(n)*time.Second), text, companies...))
			}
		})
	}
}
