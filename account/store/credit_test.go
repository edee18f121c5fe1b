package store

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
)

var november = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// charges returns n charges of one credit each, to an account with a monthly allowance.
func charges(n int, owner string, monthly int64) []metering.Charge {
	return slices.Repeat([]metering.Charge{{Account: owner, Key: "key-1", Operation: "get_company", Credits: 1,
		Monthly: monthly}}, n)
}

func (d *DB) settle(t *testing.T, at time.Time, charges ...metering.Charge) (made int, last metering.Balance) {
	t.Helper()
	settlements, err := d.Settle(t.Context(), at, charges)
	if err != nil || len(settlements) != len(charges) {
		t.Fatalf("got %d settlements on %d charges, %v", len(settlements), len(charges), err)
	}

	for _, v := range settlements {
		if v.Charged {
			made++
		}
		last = v.Balance
	}

	return made, last
}

// entries counts an account's entries in a period, and adds up their credits.
func (d *DB) entries(t testing.TB, owner, period string) (n, credits int64) {
	t.Helper()
	err := d.Reader.QueryRowContext(t.Context(),
		`SELECT COUNT(*), COALESCE(SUM(credits), 0) FROM charges WHERE account_id = $1 AND period = $2`, owner,
		period).Scan(&n, &credits)
	testkit.NoError(t, err)

	return n, credits
}

func (d *DB) balance(t testing.TB, owner, period string) metering.Balance {
	t.Helper()
	return testkit.Must(d.Balance(t.Context(), owner, period))
}

func TestChargesUpToTheQuota(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		made, last := db.settle(t, november, charges(300, "acc-1", 250)...)
		if made != 250 || last.Used != 250 {
			t.Errorf("%d of 300 charges were made, and %d credits used, of 250", made, last.Used)
		}
		if made, last = db.settle(t, november, charges(3, "acc-1", 250)...); made != 0 || last.Used != 250 {
			t.Errorf("%d further charges were made: %+v", made, last)
		}
		if n, credits := db.entries(t, "acc-1", "2026-11"); n != 250 || credits != 250 {
			t.Errorf("there are %d entries of %d credits", n, credits)
		}
		testkit.Equal(t, db.balance(t, "acc-1", "2026-11").Used, 250, "the balance")
	})
}

func TestQuotaIsThatOfTheMoment(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		db.settle(t, november, charges(10, "acc-1", 10)...)
		for _, step := range []struct {
			name          string
			monthly       int64
			made          int
			used, remains int64
		}{
			{"a greater plan", 12, 2, 12, 0},
			{"a lesser one", 5, 0, 12, 0},
			{"one without a limit", metering.Unlimited, 5, 17, metering.Unlimited},
			{"a limit again", 20, 3, 20, 0},
		} {
			made, last := db.settle(t, november, charges(5, "acc-1", step.monthly)...)
			if made != step.made || last.Used != step.used || last.Remaining(step.monthly) != step.remains {
				t.Errorf("%s: %d of 5 charges were made, balance %+v", step.name, made, last)
			}
		}
	})
}

func TestPricesDiffer(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		all := charges(4, "acc-1", 10)
		all[0].Credits, all[1].Credits, all[2].Credits, all[3].Credits = 7, 4, 3, 1
		settlements := testkit.Must(db.Settle(t.Context(), november, all))

		for i, want := range []metering.Settlement{{Charged: true, Balance: metering.Balance{Used: 7}},
			{Balance: metering.Balance{Used: 7}},
			{Charged: true, Balance: metering.Balance{Used: 10}}, {Balance: metering.Balance{Used: 10}}} {
			testkit.Equal(t, settlements[i], want, "charge %d", i)
		}
	})
}

func TestMonthsAreCountedApart(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		end := time.Date(2026, 11, 30, 23, 59, 59, 999e6, time.UTC)
		db.settle(t, end, charges(10, "acc-1", 10)...)
		next := end.Add(time.Millisecond).In(time.FixedZone("east", 3*60*60)) // the period is in UTC nevertheless
		if made, last := db.settle(t, next, charges(4, "acc-1", 10)...); made != 4 || last.Used != 4 {
			t.Errorf("in December %d of 4 charges were made: %+v", made, last)
		}
		if november, december := db.balance(t, "acc-1", "2026-11"),
			db.balance(t, "acc-1", "2026-12"); november.Used != 10 || december.Used != 4 {
			t.Errorf("November has %+v, December %+v", november, december)
		}
	})
}

func TestAccountsAreChargedApart(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		var all []metering.Charge
		for i := range 100 { // more than fits into one statement
			all = append(all, charges(3, fmt.Sprint("acc-", i), int64(i%4))...)
		}

		db.settle(t, november, all...)
		for i := range 100 {
			owner, want := fmt.Sprint("acc-", i), int64(min(i%4, 3))
			testkit.Equal(t, db.balance(t, owner, "2026-11").Used, want, owner)
			if n, _ := db.entries(t, owner, "2026-11"); n != want {
				t.Errorf("%s: %d entries, want %d", owner, n, want)
			}
		}
	})
}

func TestGivenCredits(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		for _, id := range []string{"acc-1", "acc-2"} {
			testkit.NoError(t, db.CreateAccount(ctx, account.Account{ID: id, Plan: "free", CreatedAt: november}))
		}

		testkit.NoError(t, db.CloseAccount(ctx, "acc-2"))

		db.settle(t, november, charges(10, "acc-1", 10)...)
		for range 2 {
			testkit.NoError(t, db.GiveCredits(ctx, "acc-1", "2026-11", 2))
		}

		made, last := db.settle(t, november, charges(9, "acc-1", 10)...)
		if made != 4 || last != (metering.Balance{Used: 14, Given: 4}) || last.Total(10) != 14 {
			t.Errorf("%d of 9 charges were made with 4 credits given: %+v", made, last)
		}

		for _, c := range []struct {
			name, owner string
			n           int64
			want        error
		}{{"nobody", "acc-3", 1, account.ErrNoAccount}, {"who has left", "acc-2", 1, account.ErrNoAccount},
			{"nothing", "acc-1", 0, nil}, {"less than nothing", "acc-1", -5, nil},
			{"everything", "acc-1", math.MaxInt64, nil}} {
			if err := db.GiveCredits(ctx, c.owner, "2026-11", c.n); err == nil || c.want != nil &&
				!errors.Is(err, c.want) {
				t.Errorf("%s: got %v", c.name, err)
			}
		}
	})
}

// Two processes on one database, each with a ledger, never charge more than the available credits.
func TestProcessesShareOneQuota(t *testing.T) {
	url := migrated.URL(t)
	stores := []*DB{open(t, url), open(t, url)}
	var charged, refused atomic.Int64
	var callers sync.WaitGroup
	for _, db := range stores {
		ledger := metering.NewLedger(db, slog.New(slog.DiscardHandler))
		testkit.CloseAfter(t, ledger)
		for caller := range 32 {
			callers.Go(func() {
				for i := range 47 {
					c := metering.Charge{Account: "acc-1", Operation: "get_company", Credits: 1, Monthly: 1000}
					other := metering.Charge{Account: fmt.Sprint("acc-", 2+(caller+i)%50), Operation: "get_company",
						Credits: 1, Monthly: metering.Unlimited}
					if _, err := charge(t, ledger, other); err != nil {
						t.Error(err)
					}

					switch _, err := charge(t, ledger, c); {
					case err == nil:
						charged.Add(1)
					case errors.Is(err, metering.ErrExhausted):
						refused.Add(1)
					default:
						t.Error(err)
					}
				}
			})
		}
	}

	callers.Wait()
	period := metering.Period(time.Now())
	if n, _ := stores[0].entries(t, "acc-1", period); charged.Load() != 1000 || refused.Load() != 2*32*47-1000 ||
		n != 1000 {
		t.Errorf("%d calls were charged and %d refused, with %d entries", charged.Load(), refused.Load(), n)
	}
	testkit.Equal(t, stores[1].balance(t, "acc-1", period).Used, 1000, "the balance")
}

func charge(t testing.TB, l *metering.Ledger, c metering.Charge) (int64, error) {
	h, err := l.Reserve(t.Context(), c)
	if err != nil {
		return 0, err
	}
	return h.Settle(t.Context(), true)
}

// BenchmarkSettle measures durable charges a second, by the number of edges that share the store, of concurrent callers
// at each edge, and of accounts. The callers charge the accounts in turn.
func BenchmarkSettle(b *testing.B) {
	b.Run("SQLite", func(b *testing.B) {
		for _, callers := range []int{1, 64, 256, 1024} {
			b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
				benchmarkSettle(b, []*DB{open(b, filepath.Join(b.TempDir(), "accounts.db"))}, callers, 50)
			})
		}
	})
	b.Run("PostgreSQL", func(b *testing.B) {
		for _, edges := range []int{1, 3} {
			for _, callers := range []int{64, 256} {
				for _, accounts := range []int{1, 50, 5000} {
					b.Run(fmt.Sprintf("edges=%d/callers=%d/accounts=%d", edges, callers, accounts), func(b *testing.B) {
						url, stores := migrated.URL(b), make([]*DB, edges)
						for i := range stores {
							stores[i] = open(b, url)
						}

						benchmarkSettle(b, stores, callers, accounts)
					})
				}
			}
		}
	})
}

func benchmarkSettle(b *testing.B, stores []*DB, callers, accounts int) {
	var begun atomic.Int64
	var commits uint64
	var all sync.WaitGroup
	ledgers := make([]*metering.Ledger, len(stores))
	b.ResetTimer()
	for i, db := range stores {
		ledgers[i] = metering.NewLedger(db, slog.New(slog.DiscardHandler))
		for range callers {
			all.Go(func() {
				for n := begun.Add(1); n <= int64(b.N); n = begun.Add(1) {
					c := metering.Charge{Account: fmt.Sprint("acc-", n%int64(accounts)),
						Key:       "01990000-0000-7000-8000-000000000000",
						Operation: "get_company", Credits: 1, Monthly: metering.Unlimited}
					if _, err := charge(b, ledgers[i], c); err != nil {
						b.Error(err)
					}
				}
			})
		}
	}

	all.Wait()
	b.StopTimer()

	for _, l := range ledgers {
		commits += l.Stats().Commits
		l.Close()
	}

	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "charges/s")
	b.ReportMetric(float64(b.N)/float64(commits), "charges/commit")
}
