package service

import (
	"context"
	"database/sql"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/traderegister"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/watch"
)

// A release is compared with the stored entries of the previous release, including entries of companies that were
// watched since then. The event of the release comes after the events of the changes.
func TestAnnouncer(t *testing.T) {
	db := emptyWatch(t)
	look := func(company ro.CUI) {
		t.Helper()
		testkit.NoError(t, database.Exec(t.Context(), db.Writer, `INSERT INTO looked (company, at, statuses) VALUES ($1, 0, 0)`,
			int64(company)))
	}
	watched := func(company ro.CUI) {
		t.Helper()
		err := db.Transact(t.Context(), func(tx *sql.Tx) error {
			err := database.Exec(t.Context(), tx,
				`INSERT INTO watchlists (ordinal, id, account, name, kinds, digest, every, feed_token, created_at)
				VALUES (1, 'wl_1', 'a', 'list', 0, 'none', 'day', 'wlf_1', 0)`)
			if err == nil {
				err = database.Exec(t.Context(), tx,
					`INSERT INTO watched (list, company, account, added_at) VALUES (1, $1, 'a', 0)`, int64(company))
			}
			return err
		})
		testkit.NoError(t, err)
	}

	fixing, release, names := ro.Date(0), ro.Date(0), map[ro.CUI]string{}
	a := &announcer{
		store: db, hub: watch.NewHub(db.Latest), fixing: func() ro.Date { return fixing }, release: func() ro.Date {
			return release
		},
		entry: func(company ro.CUI, _ ro.Date) (watch.Entry, bool) {
			return watch.Entry{Name: names[company]}, names[company] != ""
		},
	}
	now := time.Now()
	step := func(after time.Duration) {
		t.Helper()
		now = now.Add(after)
		testkit.NoError(t, a.step(context.Background(), now))
	}

	step(0) // nothing is published yet
	fixing, release = 50, 100
	look(1)
	names[1], names[2] = "UNU SRL", "DOI SRL"
	step(time.Minute)
	watched(2)
	step(time.Minute)
	step(compareEvery)
	follower := a.hub.Wait()
	release = 101
	names[1], names[2] = "PRIMUL SRL", "SECUNDUL SRL"
	step(time.Minute)
	fixing = 51
	step(time.Minute)
	step(compareEvery)

	p, err := db.Changes(t.Context(), monitoring.EventCursor{}, monitoring.EventFilter{}, 100)
	testkit.NoError(t, err)

	var got []string
	for _, e := range p.Events {
		line := string(e.Type) + " of " + e.Data.Source.Name
		if e.Data.Name != nil {
			line += ": " + *e.Data.Name
		}

		got = append(got, line)
	}

	want := []string{
		"company.name.changed of onrc: PRIMUL SRL", "company.name.changed of onrc: SECUNDUL SRL",
		"register.released of onrc", "fx.published of bnr",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got the events %q, want %q", got, want)
	}

	select {
	case <-follower:
	default:
		t.Error("followers were not woken")
	}
}

// Changes between two releases loaded while the gateway is stopped are reported when it runs again.
func TestReleasesOfTheTradeRegister(t *testing.T) {
	firms := slices.Collect(traderegister.Firms(300, 1))
	listed := slices.DeleteFunc(slices.Clone(firms), func(f traderegister.Firm) bool { return f.CUI == 0 })
	firm := func(n int) *traderegister.Firm {
		return &firms[slices.IndexFunc(firms, func(f traderegister.Firm) bool { return f.CUI == listed[n].CUI })]
	}
	renamed, expired, withoutStates, dir := firm(0), firm(1), firm(2), t.TempDir()
	expired.States, withoutStates.States = []int{1048}, []int{1048, 2069}
	load := func(name string) {
		t.Helper()
		release := traderegister.Release{Dir: filepath.Join(t.TempDir(), name), Clean: true}
		testkit.NoError(t, release.Write(slices.Values(firms)))
		if _, err := onrc.Load(t.Context(), onrc.Options{From: release.Dir, Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}

	db := emptyWatch(t)
	for _, f := range firms {
		testkit.NoError(t, database.Exec(t.Context(), db.Writer,
			`INSERT INTO looked (company, at, statuses) VALUES ($1, 0, 0) ON CONFLICT DO NOTHING`,
			int64(f.CUI)))
	}

	run := func() {
		t.Helper()
		trade := &tradeRegister{Register: onrc.Open(onrc.RegisterOptions{Dir: dir}), dir: dir}
		defer trade.Register.Close()
		a := &announcer{
			store: db, hub: watch.NewHub(db.Latest), fixing: func() ro.Date { return 0 }, release: trade.DataThrough,
			entry: trade.entry,
		}
		testkit.NoError(t, a.step(t.Context(), time.Now()))
	}

	load("firme-02-09-2026")
	run()
	renamed.Name = "ZZYX EXEMPLU NOU SRL"
	expired.States, withoutStates.States = []int{1048, 2069}, nil
	load("firme-02-10-2026")
	run()
	p, err := db.Changes(t.Context(), monitoring.EventCursor{}, monitoring.EventFilter{}, 10)
	if err != nil || len(p.Events) != 3 || p.Events[2].Type != monitoring.RegisterReleased {
		t.Fatalf("got the events %+v, %v", p.Events, err)
	}

	for _, e := range p.Events[:2] { // sorted by tax id
		want, value := monitoring.NameChanged, company.FactValue{Text: renamed.Name}
		if *e.Data.TaxID == expired.CUI {
			want, value = monitoring.SeatExpired, company.FactValue{Bool: new(true)}
		}
		if e.Type != want || !reflect.DeepEqual(*e.Data.Changes[0].After, value) ||
			e.Data.Source.AsOf.String() != "2026-10-02" {
			t.Errorf("told of %+v", e)
		}
	}
}
