package store

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/testkit/fake"
	"github.com/rodata/rodata/testkit/long"
)

// Settling random charges in batches gives the same result as a journal that makes one charge after the other.
func TestBatchesAreExact(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		random := rand.New(rand.NewPCG(1, 2))
		model := new(fake.Journal)
		for i := range 5 {
			owner := fmt.Sprint("acc-", i)
			execute(t, db, `INSERT INTO credits (account_id, period, used, given) VALUES ('`+owner+
				`', '2026-11', 0, 50)`)
			model.Give(owner, "2026-11", 50)
		}

		for round := range 40 {
			batch := make([]metering.Charge, 1+random.IntN(80))
			for i := range batch {
				batch[i] = metering.Charge{Account: fmt.Sprint("acc-", random.IntN(12)),
					Operation: fmt.Sprint("operation-", random.IntN(3)),
					Credits:   1 + random.Int64N(20),
					Monthly:   []int64{metering.Unlimited, 0, 300, 400, 4000}[random.IntN(5)],
					Hit:       random.IntN(2) == 0, Continues: random.IntN(4) == 0}
			}

			want, _ := model.Settle(t.Context(), november, batch)
			got := testkit.Must(db.Settle(t.Context(), november, batch))

			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("round %d, charge %d, %+v: got %+v, want %+v", round, i, batch[i], got[i], want[i])
				}
			}
		}

		sums := make(map[string]int64)
		for _, c := range model.Entries() {
			sums[c.Account] += c.Credits
		}

		for owner, want := range sums {
			if _, credits := db.entries(t, owner, "2026-11"); credits != want ||
				db.balance(t, owner, "2026-11").Used != want {
				t.Errorf("%s: entries of %d credits and %d used, want %d", owner, credits,
					db.balance(t, owner, "2026-11").Used, want)
			}
		}

		compareUsage(t, db, model.Entries())
	})
}

// compareUsage compares the usage of all accounts with the charges made.
func compareUsage(t *testing.T, db *DB, made []metering.Charge) {
	t.Helper()
	want := make(map[[2]string]metering.Calls)
	for _, c := range made {
		id := [2]string{c.Account, c.Operation}
		sum := want[id]
		sum.Credits += c.Credits
		if !c.Continues {
			sum.Calls, sum.Hits = sum.Calls+1, sum.Hits+int64(database.Integer(c.Hit))
		}

		want[id] = sum
	}

	for id, sum := range want {
		sum.Account, sum.Operation, sum.Day = id[0], id[1], metering.Day(november)
		found := false
		for _, got := range db.usage(t, id[0]) {
			found = found || got == sum
		}
		if !found {
			t.Errorf("usage %+v of %s, want %+v", db.usage(t, id[0]), id[0], sum)
		}
	}
}

// The balance of an account is written once, no matter how many of its charges are settled together.
func TestOneUpdateForEachAccount(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		all := append(append(charges(20, "acc-1", 100), charges(20, "acc-2", 100)...), charges(20, "acc-1", 100)...)
		db.settle(t, november, all...) // creates the rows

		execute(t, db, `CREATE TABLE written (account_id TEXT NOT NULL)`)
		trigger := `CREATE TRIGGER writes AFTER UPDATE ON credits FOR EACH ROW `
		if db.IsPostgres() {
			execute(t, db, `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
				'BEGIN INSERT INTO written VALUES (new.account_id); RETURN NULL; END'`)
			execute(t, db, trigger+`EXECUTE FUNCTION note()`)
		} else {
			execute(t, db, trigger+`BEGIN INSERT INTO written VALUES (new.account_id); END`)
		}

		db.settle(t, november, all...)
		testkit.Equal(t, strings.Join(texts(t, db, `SELECT account_id FROM written ORDER BY account_id`), " "),
			"acc-1 acc-2", "the updates")
	})
}

// Charges take one round trip to PostgreSQL, with the commit.
func TestOneRoundTrip(t *testing.T) {
	url := migrated.URL(t)
	config := open(t, url).Postgres.Copy()
	var sent atomic.Int64
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return counted{conn, &sent}, err
	}
	// Opened without background jobs.
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(1)
	db := &DB{DB: &database.DB{Writer: pool, Reader: pool}}
	testkit.CloseAfter(t, db)
	all := append(charges(20, "acc-1", 30), charges(20, "acc-2", 1000)...)
	db.settle(t, november, all...) // prepares the statement

	before := sent.Load()
	if made, _ := db.settle(t, november, all...); made != 30 {
		t.Errorf("%d charges were made, want 10 of the first account and 20 of the second", made)
	}
	testkit.Equal(t, sent.Load()-before, 1, "messages were sent")
}

// counted counts the messages sent over a connection, except for the probes by which the driver checks an idle
// connection.
type counted struct {
	net.Conn
	sent *atomic.Int64
}

// Write implements net.Conn.
func (c counted) Write(p []byte) (int, error) {
	if !bytes.Contains(p, []byte("-- ping")) {
		c.sent.Add(1)
	}
	return c.Conn.Write(p)
}

const (
	payers          = 64
	chargesPerCrash = 2_000
)

// A kill at any moment loses no acknowledged charge and makes no charge twice. Only calls in flight may be charged in
// addition.
func TestChargesSurviveCrashesLong(t *testing.T) {
	if place, ok := databases.CrashPlace(); ok {
		chargeUntilKilled(t, open(t, place))
		return
	}

	migrated.Each(t, func(t *testing.T, place string) {
		acknowledged := make(map[string]int64)
		for range long.Length(t, 2, 5) {
			for _, owner := range databases.Crash(t, place, chargesPerCrash, 0) {
				acknowledged[owner]++
			}
		}

		db := open(t, place)
		var paid, made int64
		for owner, n := range acknowledged {
			var used, entries, credits, counted int64
			// One statement, since PostgreSQL may still finish the last statement of a killed process.
			testkit.NoError(t, db.Reader.QueryRowContext(t.Context(),
				`SELECT (SELECT used FROM credits WHERE account_id = $1),
				(SELECT COUNT(*) FROM charges WHERE account_id = $1),
				(SELECT SUM(credits) FROM charges WHERE account_id = $1),
				(SELECT SUM(calls) FROM usage_days
				WHERE account_id = $1)`, owner).Scan(&used, &entries, &credits, &counted))

			if used < n || entries != used || credits != used || counted != used {
				t.Errorf("%s: %d charges acknowledged, %d credits used, %d entries of %d credits, %d calls counted",
					owner, n,
					used, entries, credits, counted)
			}

			paid, made = paid+n, made+used
		}

		if surplus := made - paid; surplus > int64(payers*long.Length(t, 2, 5)) {
			t.Errorf("%d unacknowledged charges were made, want at most those in flight", surplus)
		}

		t.Logf("%d charges acknowledged, %d made", paid, made)
	})
}

func chargeUntilKilled(t *testing.T, db *DB) {
	ledger := metering.NewLedger(db, slog.New(slog.DiscardHandler))
	var all sync.WaitGroup
	for i := range payers {
		c := metering.Charge{Account: fmt.Sprint("acc-", i%5), Operation: "get_company", Credits: 1,
			Monthly: metering.Unlimited}
		all.Go(func() {
			for {
				if _, err := charge(t, ledger, c); err != nil {
					t.Error(err)
					return
				}

				databases.Acknowledge(c.Account)
			}
		})
	}

	all.Wait()
}
