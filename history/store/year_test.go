package store

import (
	"context"
	"crypto/md5"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// An observation is never rewritten. After any sequence of looks, changes, late arrivals and reopenings within a year,
// all earlier rows are unchanged, and every stored look is still there.
func TestYearRewritesNothing(t *testing.T) {
	const companies = 20
	forStores(t, func(t *testing.T, open func() *DB) {
		random := rand.New(rand.NewPCG(1, 2))
		db, start := open(), bucharest("2026-01-01 00:30")
		said := make([]int, companies)
		observe := func(at time.Time) {
			var all []history.Observation
			for i := range said {
				if random.IntN(20) == 0 {
					said[i]++
				}

				text := fmt.Sprintf("%d says %d", i, said[i])
				o := history.Observation{
					Company: company + ro.CUI(i), At: at.Add(time.Duration(random.IntN(86_400)) * time.Second),
					Fingerprint: md5.Sum([]byte(text)), Record: []byte(text),
				}
				o.Day = ro.DateIn(o.At, ro.Bucharest)
				if random.IntN(5) == 0 {
					o.Day -= ro.Date(random.IntN(3))
				}

				all = append(all, o)
			}

			add(t, db, all...)
		}

		for day := range 30 {
			observe(start.AddDate(0, 0, day))
		}

		before := rowsOf(t, db)
		if len(before.observations) < companies || len(before.looks) == 0 || len(before.pastLooks) == 0 {
			t.Fatalf("too little is stored: %+v", before)
		}

		for day := 30; day < 365; day++ {
			observe(start.AddDate(0, 0, day))
			switch {
			case day%7 == 0: // arrives late, from an old cache
				observe(start.AddDate(0, 0, day-random.IntN(60)-20))
			case day%50 == 0:
				testkit.NoError(t, db.Close())
				db = open()
			case day%90 == 0:
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				if err := db.Append(ctx, []history.Observation{seen(t, "2026-06-01 10:00", "broken off")}); err == nil {
					t.Error("a cancelled call stored rows")
				}
			}
		}

		after := rowsOf(t, db)
		for row := range before.observations {
			if !after.observations[row] {
				t.Errorf("the observation %s is gone", row)
			}
		}

		for row := range before.pastLooks {
			if !after.pastLooks[row] {
				t.Errorf("the look %s is gone", row)
			}
		}

		for key, months := range before.looks {
			for i, bits := range months {
				if lost := bits &^ after.looks[key][i]; lost != 0 {
					t.Errorf("%s: looks %b of month %d are gone", key, lost, i+1)
				}
			}
		}

		if len(after.observations) < 3*len(before.observations) {
			t.Errorf("a year added %d observations", len(after.observations)-len(before.observations))
		}
		if maps.Equal(before.looks, after.looks) {
			t.Error("a year added no looks")
		}
	})
}

// rows returns all stored rows, column by column.
type rows struct {
	observations, pastLooks map[string]bool
	looks                   map[string][12]uint32
}

func rowsOf(t *testing.T, db *DB) rows {
	t.Helper()
	r := rows{observations: map[string]bool{}, pastLooks: map[string]bool{}, looks: map[string][12]uint32{}}
	observations, err := database.All[row](t.Context(), db.Reader, "reading everything",
		`SELECT company, day, at, fingerprint, record FROM observations`)
	testkit.NoError(t, err)

	for _, o := range observations {
		r.observations[fmt.Sprintf("%d %d %d %x %q", o.Company, o.Day, o.At, o.Fingerprint, o.Record)] = true
	}

	type lookRow struct {
		Company, Day, On int64
		year
	}
	looks, err := database.All[lookRow](t.Context(), db.Reader, "reading everything",
		`SELECT company, day, looked_on AS "on" FROM past_looks`)
	testkit.NoError(t, err)

	for _, l := range looks {
		r.pastLooks[fmt.Sprint(l.Company, l.Day, l.On)] = true
	}

	looks, err = database.All[lookRow](t.Context(), db.Reader, "reading everything",
		`SELECT company, `+yearColumns+` FROM looks`)
	testkit.NoError(t, err)

	for _, l := range looks {
		r.looks[fmt.Sprint(l.Company, l.Year)] = l.Months
	}

	return r
}
