package store

import (
	"crypto/md5"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/history/receipt"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
)

const company ro.CUI = 9900000010

var migrated = databases.NewTemplate(Open)

// forStores runs a test for every kind of store, with a function that opens the same one each time.
func forStores(t *testing.T, test func(t *testing.T, open func() *DB)) {
	migrated.Each(t, func(t *testing.T, place string) {
		test(t, func() *DB { return openPlace(t, place) })
	})
}

// openPlace opens a place for the duration of the test.
func openPlace(t testing.TB, place string) *DB {
	t.Helper()
	return databases.Open(t, place, Open)
}

// bucharest parses a time in Bucharest, such as 2026-03-31 23:59.
func bucharest(text string) time.Time {
	return testkit.Must(time.ParseInLocation("2006-01-02 15:04", text, ro.Bucharest)).UTC()
}

func dayOf(text string) ro.Date { return testkit.Must(ro.ParseDate(text)) }

// seen returns an ordinary observation of company.
func seen(t testing.TB, at, record string) history.Observation {
	t.Helper()
	o := history.Observation{
		Company: company, At: bucharest(at), Fingerprint: md5.Sum([]byte(record)), Record: []byte(record),
	}
	o.Day = ro.DateIn(o.At, ro.Bucharest)
	return o
}

// seenOf returns an observation for a past day.
func seenOf(t testing.TB, day, at, record string) history.Observation {
	t.Helper()
	o := seen(t, at, record)
	o.Day = dayOf(day)
	return o
}

func add(t testing.TB, db *DB, all ...history.Observation) {
	t.Helper()
	testkit.NoError(t, db.Append(t.Context(), all))
}

// trail returns the stored rows of the company, as text.
func trail(t testing.TB, db *DB) (observations, looks []string) {
	t.Helper()
	all, looked, err := db.Of(t.Context(), company)
	testkit.NoError(t, err)

	for _, o := range all {
		if o.Company != company || o.Fingerprint != md5.Sum(o.Record) {
			t.Errorf("an observation was altered: %+v", o)
		}

		observations = append(observations, fmt.Sprintf("%s of %s: %s",
			o.At.In(ro.Bucharest).Format("2006-01-02 15:04"), o.Day, o.Record))
	}

	for _, l := range looked {
		looks = append(looks, fmt.Sprintf("%s of %s", l.On, l.Day))
	}

	return observations, looks
}

func wantTrail(t testing.TB, db *DB, observations, looks []string) {
	t.Helper()
	gotObservations, gotLooks := trail(t, db)
	if !slices.Equal(gotObservations, observations) {
		t.Errorf("the observations are %q, want %q", gotObservations, observations)
	}
	if !slices.Equal(gotLooks, looks) {
		t.Errorf("the looks are %q, want %q", gotLooks, looks)
	}
}

// An observation is stored if it has new content. Otherwise only the day of the look is stored.
func TestOnlyChangesAreStored(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db := open()
		add(t, db, seen(t, "2026-01-31 23:59", "a"))
		add(t, db, seen(t, "2026-01-31 23:59", "a")) // the same call once more
		add(t, db, seen(t, "2026-02-01 00:00", "a"))
		add(t, db, seen(t, "2026-02-01 18:00", "a"))
		add(t, db, seen(t, "2026-12-31 23:59", "a"), seen(t, "2027-01-01 00:00", "a"))
		add(t, db, seen(t, "2027-01-02 09:00", "b"), seen(t, "2027-01-02 10:00", "a"), seen(t, "2027-01-02 11:00", "a"))

		add(t, db, seenOf(t, "2025-03-31", "2027-01-03 10:00", "a")) // another chain
		add(t, db, seenOf(t, "2025-03-31", "2027-01-04 10:00", "a"), seenOf(t, "2025-04-01", "2027-01-04 10:00", "a"))
		add(t, db, seenOf(t, "2025-03-31", "2027-01-05 10:00", "c"))

		wantTrail(t, db, []string{
			"2026-01-31 23:59 of 2026-01-31: a",
			"2027-01-02 09:00 of 2027-01-02: b", "2027-01-02 10:00 of 2027-01-02: a",
			"2027-01-03 10:00 of 2025-03-31: a", "2027-01-04 10:00 of 2025-04-01: a",
			"2027-01-05 10:00 of 2025-03-31: c",
		}, []string{
			"2026-01-31 of 2026-01-31", "2026-02-01 of 2026-02-01", "2026-12-31 of 2026-12-31",
			"2027-01-01 of 2027-01-01", "2027-01-02 of 2027-01-02", "2027-01-04 of 2025-03-31",
		})
	})
}

// An observation that arrives late is compared with the previous one by time.
func TestLateArrival(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db := open()
		add(t, db, seen(t, "2026-03-10 10:00", "b"))
		add(t, db, seen(t, "2026-03-01 10:00", "a"))
		add(t, db, seen(t, "2026-03-05 10:00", "a"))
		wantTrail(t, db, []string{"2026-03-01 10:00 of 2026-03-01: a", "2026-03-10 10:00 of 2026-03-10: b"},
			[]string{"2026-03-05 of 2026-03-05"})
	})
}

// An answer about 100 companies is one transaction. Either all of it is stored or nothing.
func TestWholeAnswers(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db := open()
		const companies = 100
		answer := func(record string, at string) (all []history.Observation) {
			for i := range companies {
				o := seen(t, at, record)
				o.Company += ro.CUI(companies - i)
				all = append(all, o)
			}

			return all
		}
		count := func(table string) (n int) {
			t.Helper()
			testkit.NoError(t, db.Reader.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n))
			return n
		}

		broken := answer("a", "2026-03-01 10:00")
		broken[companies/2].Record = nil // rejected by the table
		if err := db.Append(t.Context(), broken); err == nil || count("observations") != 0 {
			t.Errorf("got %v, and %d are stored", err, count("observations"))
		}

		add(t, db, answer("a", "2026-03-01 10:00")...)
		add(t, db, answer("a", "2026-03-02 10:00")...)
		if count("observations") != companies || count("looks") != companies {
			t.Errorf("%d observations and %d rows of looks are stored", count("observations"), count("looks"))
		}
	})
}

// The database rejects every statement that would rewrite history.
func TestNothingIsRewritten(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db := open()
		add(t, db, seen(t, "2026-03-01 10:00", "a"), seen(t, "2026-03-05 10:00", "a"), seen(t, "2026-03-06 10:00", "b"),
			seenOf(t, "2025-01-01", "2026-03-06 10:00", "a"), seenOf(t, "2025-01-01", "2026-03-07 10:00", "a"))
		observations, looks := trail(t, db)

		for _, statement := range []string{
			`UPDATE observations SET record = fingerprint`,
			`UPDATE observations SET at = at + 1`,
			`DELETE FROM observations`,
			`UPDATE looks SET month_3 = 0`,
			`UPDATE looks SET month_3 = 2`,
			`UPDATE looks SET year = year + 1`,
			`DELETE FROM looks`,
			`UPDATE past_looks SET looked_on = looked_on + 1`,
			`DELETE FROM past_looks`,
			`TRUNCATE observations`,
			`TRUNCATE looks`,
			`TRUNCATE past_looks`,
			`INSERT OR REPLACE INTO observations SELECT company, day, at, fingerprint, fingerprint FROM observations`,
			`INSERT OR REPLACE INTO looks (company, year) SELECT company, year FROM looks`,
		} {
			if _, err := db.Writer.ExecContext(t.Context(), statement); err == nil {
				t.Errorf("%s: was executed", statement)
			} else if !strings.Contains(err.Error(), "never") && !strings.Contains(err.Error(), "syntax error") {
				t.Errorf("%s: got %v", statement, err)
			}
		}

		wantTrail(t, db, observations, looks)
	})
}

// Concurrent appends from several goroutines, and on PostgreSQL from several processes, neither deadlock nor lose rows.
func TestSimultaneousAppends(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db := open()
		stores := []*DB{db, db}
		if db.Path == "" {
			stores[1] = open()
		}

		const companies, days = 40, 20
		start := bucharest("2026-03-01 10:00")
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for day := range days {
					var all []history.Observation
					for c := range companies {
						record := fmt.Sprintf("%d of process %d", day/10, i)
						all = append(all, history.Observation{
							Company: company + ro.CUI((c*7+i)%companies), At: start.AddDate(0, 0, day),
							Fingerprint: md5.Sum([]byte(record)), Record: []byte(record),
						})
					}

					if err := stores[i%2].Append(t.Context(), all); err != nil {
						t.Error(err)
					}
				}
			})
		}

		wg.Wait()

		all, _, err := db.Of(t.Context(), company)
		records := make(map[string]bool)
		for _, o := range all {
			records[string(o.Record)] = true
		}
		if err != nil || len(records) != 8 {
			t.Errorf("got %v, %v", records, err)
		}
	})
}

// A receipt never changes, and the private key is the only part of a key that is ever erased.
func TestReceiptsAreNotRewritten(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db := open()
		at := bucharest("2026-11-22 10:00")
		r := receipt.Receipt{ID: "rcp_aaaaaaaaaaaaaaaaaaaaaaaaaa", IssuedAt: at.UTC(), KeyID: "k", JWT: "a.b.c"}
		k := receipt.StoredKey{Number: 1, ID: "k", Public: []byte("public"), Private: []byte("private"),
			Created: at.UTC(), Signs: at.UTC()}
		testkit.NoError(t, errors.Join(db.AddReceipt(t.Context(), r), db.AddKey(t.Context(), k)))

		for _, statement := range []string{
			`UPDATE receipts SET jwt = 'd.e.f'`,
			`UPDATE receipts SET issued_at = issued_at + 1`,
			`UPDATE receipt_keys SET public_key = private_key`,
			`UPDATE receipt_keys SET private_key = public_key`,
			`UPDATE receipt_keys SET signs_from = 0`,
			`DELETE FROM receipt_keys`,
		} {
			if _, err := db.Writer.ExecContext(t.Context(), statement); err == nil ||
				!strings.Contains(err.Error(), "never") {
				t.Errorf("%s: got %v", statement, err)
			}
		}

		other := r
		other.JWT = "d.e.f"
		if err := db.AddReceipt(t.Context(), other); err != nil {
			t.Error(err)
		}
		if got, err := db.Receipt(t.Context(), r.ID); err != nil || got != r {
			t.Errorf("got %+v, %v", got, err)
		}
		if err := db.AddKey(t.Context(), k); !errors.Is(err, receipt.ErrRotated) {
			t.Errorf("the same number again: %v", err)
		}
		if err := db.ForgetPrivateKeys(t.Context(), 2); err != nil {
			t.Error(err)
		}

		keys, err := db.Keys(t.Context())
		if err != nil || len(keys) != 1 || len(keys[0].Private) != 0 || string(keys[0].Public) != "public" ||
			!keys[0].Signs.Equal(at) {
			t.Errorf("got %+v, %v", keys, err)
		}
	})
}

// Append returns the new observations with their predecessors.
func TestChanges(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db := open()
		appended := func(all ...history.Observation) (changes []string) {
			t.Helper()
			err := db.Transact(t.Context(), func(tx *sql.Tx) error {
				found, err := db.AppendIn(t.Context(), tx, all)
				for _, c := range found {
					before := "nothing"
					if !c.Before.At.IsZero() {
						before = fmt.Sprintf("%s at %s", c.Before.Record, c.Before.At.In(ro.Bucharest).Format("15:04"))
					}

					changes = append(changes, fmt.Sprintf("%s: %s before %s", c.After.Company, before, c.After.Record))
				}

				return err
			})
			testkit.NoError(t, err)

			return changes
		}
		other := seen(t, "2026-03-01 10:00", "x")
		other.Company++

		for _, step := range []struct {
			name string
			all  []history.Observation
			want []string
		}{
			{"first looks", []history.Observation{other, seen(t, "2026-03-01 10:00", "a")},
				[]string{"9900000010: nothing before a", "9900000011: nothing before x"}},
			{"nothing new", []history.Observation{seen(t, "2026-03-02 10:00", "a")}, nil},
			{"news", []history.Observation{seen(t, "2026-03-03 11:00", "b")},
				[]string{"9900000010: a at 10:00 before b"}},
			{"a past day", []history.Observation{seenOf(t, "2026-01-01", "2026-03-03 12:00", "c")}, nil},
			{"twice in one call", []history.Observation{seen(t, "2026-03-04 13:00", "d"),
				seen(t, "2026-03-04 12:00", "c")},
				[]string{"9900000010: b at 11:00 before c", "9900000010: c at 12:00 before d"}},
			{"back again", []history.Observation{seen(t, "2026-03-05 14:00", "a")},
				[]string{"9900000010: d at 13:00 before a"}},
		} {
			if got := appended(step.all...); !slices.Equal(got, step.want) {
				t.Errorf("%s: %q, want %q", step.name, got, step.want)
			}
		}
	})
}
