package store

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/postgres"
)

// years is a time after all months in which a test's database has charges.
var years = time.Date(2126, 11, 20, 9, 30, 0, 0, time.UTC)

// partitions lists the partitions of charges, with the numbers of their rows.
func partitions(t *testing.T, db *DB) (all []string) {
	t.Helper()
	for _, name := range texts(t, db, `SELECT inhrelid::regclass::text FROM pg_inherits
		WHERE inhparent = 'charges'::regclass ORDER BY 1`) {
		all = append(all, name+" "+texts(t, db, `SELECT count(*)::text FROM `+name)[0])
	}
	return all
}

func prune(t *testing.T, db *DB, at time.Time) {
	t.Helper()
	if more, err := db.Prune(t.Context(), at); more || err != nil {
		t.Fatal(more, err)
	}
}

// Each month of charges has a partition, created in advance and dropped once the month after it has passed.
func TestMonthsOfCharges(t *testing.T) {
	db := open(t, migrated.URL(t))
	db.settle(t, time.Now(), charges(3, "acc-1", 100)...)
	prune(t, db, years) // drops what the migration created
	want := func(want ...string) {
		t.Helper()
		testkit.Equal(t, partitions(t, db), want, "the partitions")
	}
	want("charges_2126_11 0", "charges_2126_12 0", "charges_2127_01 0", "charges_other 0")

	for month := range 3 {
		db.settle(t, years.AddDate(0, month, 0), charges(month+1, "acc-1", 100)...)
	}

	prune(t, db, years.AddDate(0, 1, 0))
	want("charges_2126_11 1", "charges_2126_12 2", "charges_2127_01 3", "charges_2127_02 0", "charges_other 0")
	prune(t, db, years.AddDate(0, 2, 0))
	want("charges_2126_12 2", "charges_2127_01 3", "charges_2127_02 0", "charges_2127_03 0", "charges_other 0")
	testkit.Equal(t, db.balance(t, "acc-1", "2126-11").Used, 1, "the balance after the charges were deleted")
}

// A charge in a month without a partition is accepted, moved once the partition exists, and deleted like the others.
func TestChargesWithoutAPartition(t *testing.T) {
	db := open(t, migrated.URL(t))
	db.settle(t, years, charges(3, "acc-1", 100)...)
	db.settle(t, years.AddDate(0, 7, 0), charges(2, "acc-1", 100)...)
	prune(t, db, years)
	want := []string{"charges_2126_11 3", "charges_2126_12 0", "charges_2127_01 0", "charges_other 2"}
	testkit.Equal(t, partitions(t, db), want, "the partitions")
	if n, _ := db.entries(t, "acc-1", "2126-11"); n != 3 {
		t.Errorf("%d of 3 charges are left", n)
	}

	prune(t, db, years.AddDate(0, 9, 0))
	if n, _ := db.entries(t, "acc-1", "2127-06"); n != 0 {
		t.Errorf("%d charges of a past month are left", n)
	}
}

// Several processes create and drop partitions at the same time, while charges are made.
func TestMonthsTurnWhileCharging(t *testing.T) {
	url := migrated.URL(t)
	stores := []*DB{open(t, url), open(t, url), open(t, url)}
	var all sync.WaitGroup
	for i, db := range stores {
		owner := fmt.Sprint("acc-", i)
		all.Go(func() {
			for month := range 12 {
				if _, err := db.Prune(t.Context(), years.AddDate(0, month, 0)); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for month := range 12 {
				for range 10 {
					if _, err := db.Settle(t.Context(), years.AddDate(2, month, 0),
						charges(3, owner, 1000)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}

	all.Wait()

	for i := range stores {
		for month := range 12 {
			period := metering.Period(years.AddDate(2, month, 0))
			if n, _ := stores[0].entries(t, fmt.Sprint("acc-", i), period); n != 30 {
				t.Errorf("account %d has %d charges in %s, want 30", i, n, period)
			}
		}
	}
}

// Dropping old months waits for a reader of the table, such as pg_dump. Charges do not wait.
func TestMonthsWaitForReaders(t *testing.T) {
	db := open(t, migrated.URL(t))
	db.settle(t, time.Now(), charges(1, "acc-1", 100)...)
	reader := testkit.Must(db.Reader.Conn(t.Context()))
	defer reader.Close()

	for _, statement := range []string{`SET idle_in_transaction_session_timeout = 0`, `BEGIN`,
		`LOCK TABLE charges IN ACCESS SHARE MODE`} {
		testkit.NoError(t, database.Exec(t.Context(), reader, statement))
	}

	testkit.ErrorSays(t, testkit.Err(db.Prune(t.Context(), years)), "lock timeout",
		"old months were dropped while a reader used the table")

	db.settle(t, years, charges(1, "acc-1", 100)...)
	testkit.NoError(t, database.Exec(t.Context(), reader, `ROLLBACK`))

	prune(t, db, years)
	if got := partitions(t, db); len(got) != 4 || got[0] != "charges_2126_11 1" {
		t.Errorf("the partitions are %q", got)
	}
}

// The migration makes the table of an older release a partition with all its rows. Migrating back makes it a table
// again.
func TestExistingChargesArePartitioned(t *testing.T) {
	url := postgres.URL(t)
	config := testkit.Must(database.PostgresConfig(url))
	files := stdlib.OpenDB(*config)
	defer files.Close()
	provider := testkit.Must(schema.Provider(files, goose.DialectPostgres))
	testkit.NoError(t, testkit.Err(provider.UpTo(t.Context(), 15)))

	now := time.Now()
	month := time.Date(now.UTC().Year(), now.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	for n, period := range []string{metering.Period(month.AddDate(0, -2, 0)), metering.Period(month.AddDate(0, -1, 0)),
		metering.Period(month)} {
		testkit.NoError(t,
			testkit.Err(files.ExecContext(t.Context(),
				`INSERT INTO charges SELECT $1, 'old-' || n, 'acc-1', '', 'get_company', n, 0, 0
				FROM generate_series(1, $2::int) n`, period, 1000*(n+1))))
	}

	content := func() (sum string) {
		t.Helper()
		testkit.NoError(t, files.QueryRowContext(t.Context(),
			`SELECT count(*) || ' ' || md5(string_agg(c::text, ',' ORDER BY period, id)) FROM
			(SELECT period, id, account_id, key_id, operation, credits, hit, charged_at
			FROM charges) c`).Scan(&sum))

		return sum
	}
	before := content()

	db := open(t, url) // migrates
	if got := content(); got != before || !strings.HasPrefix(got, "6000 ") {
		t.Errorf("after the migration there are %s, before %s", got, before)
	}

	current := month.Format("charges_2006_01")
	testkit.Equal(t, partitions(t, db), []string{current + " 6000", "charges_other 0"}, "the partitions")

	db.settle(t, now, charges(1, "acc-1", 10000)...)
	prune(t, db, now)
	for ago, want := range []int64{3001, 2000, 0} {
		if n, _ := db.entries(t, "acc-1", metering.Period(month.AddDate(0, -ago, 0))); n != want {
			t.Errorf("the month %d ago has %d charges, want %d", ago, n, want)
		}
	}

	after := content()
	testkit.NoError(t, testkit.Err(provider.DownTo(t.Context(), 15)))
	testkit.Equal(t, content(), after, "after migrating back")
	testkit.NoError(t, testkit.Err(provider.Up(t.Context())))
	testkit.Equal(t, content(), after, "after another migration")
}
