package metering_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/fake"
)

func newLedger(t testing.TB, journal metering.Journal) *metering.Ledger {
	l := metering.NewLedger(journal, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { l.Close() })
	return l
}

// call returns a charge to account acc-1 with a monthly allowance.
func call(monthly int64) metering.Charge {
	return metering.Charge{Account: "acc-1", Key: "key-1", Operation: "get_company", Credits: 1, Monthly: monthly}
}

func reserve(t testing.TB, l *metering.Ledger, monthly int64) *metering.Hold {
	t.Helper()
	return testkit.Must(l.Reserve(t.Context(), call(monthly)))
}

func settle(t testing.TB, h *metering.Hold) int64 {
	t.Helper()
	return testkit.Must(h.Settle(t.Context(), false))
}

func TestExactlyTheQuotaIsCharged(t *testing.T) {
	journal := new(fake.Journal)
	ledger := newLedger(t, journal)
	var charged, refused atomic.Int64
	var callers sync.WaitGroup
	for range 64 {
		callers.Go(func() {
			for range 47 {
				h, err := ledger.Reserve(t.Context(), call(1000))
				if err == nil {
					_, err = h.Settle(t.Context(), true)
				}

				switch {
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

	callers.Wait()
	if charged.Load() != 1000 || refused.Load() != 64*47-1000 || len(journal.Entries()) != 1000 {
		t.Errorf("%d calls were charged and %d refused, with %d entries", charged.Load(), refused.Load(),
			len(journal.Entries()))
	}
	if stats := ledger.Stats(); stats.Credits != 1000 || stats.Refused != 64*47-1000 || stats.Queued != 0 {
		t.Errorf("the statistics are %+v", stats)
	}
}

func TestCallsInFlightDoNotExceedTheQuota(t *testing.T) {
	journal := new(fake.Journal)
	ledger := newLedger(t, journal)
	first, second := reserve(t, ledger, 2), reserve(t, ledger, 2)
	testkit.ErrorIs(t, testkit.Err(ledger.Reserve(t.Context(), call(2))), metering.ErrExhausted, "a third call of two")

	first.Release() // it failed
	first.Release()
	third := reserve(t, ledger, 2)
	testkit.Equal(t, settle(t, second), 1, "left after the first charge")
	testkit.Equal(t, settle(t, third), 0, "left after the second charge")

	third.Release()
	testkit.Equal(t, len(journal.Entries()), 2, "charges were made")

	(*metering.Hold)(nil).Release() // for a free call
}

func TestJournalHasTheLastWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := new(fake.Journal)
		ledger := newLedger(t, journal)
		h := reserve(t, ledger, 10)
		// Another process uses all credits in the meantime.
		others := slices.Repeat([]metering.Charge{call(10)}, 10)
		testkit.NoError(t, testkit.Err(journal.Settle(t.Context(), time.Now(), others)))
		testkit.ErrorIs(t, testkit.Err(h.Settle(t.Context(), false)), metering.ErrExhausted, "the eleventh charge")
		if left, known := ledger.Remaining(t.Context(), "acc-1", 10); left != 0 || !known {
			t.Errorf("%d are left: %v", left, known)
		}
	})
}

func TestAccountIsAskedForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := new(fake.Journal)
		ledger := newLedger(t, journal)
		for range 10 {
			settle(t, reserve(t, ledger, 10))
		}
		if reads, _, _ := journal.Traffic(); reads != 1 {
			t.Errorf("the balance was read %d times for ten calls", reads)
		}

		refused := func() bool {
			_, err := ledger.Reserve(t.Context(), call(10))
			return errors.Is(err, metering.ErrExhausted)
		}
		for range 100 {
			if !refused() {
				t.Fatal("an eleventh call was let through")
			}
		}

		if reads, _, _ := journal.Traffic(); reads > 2 {
			t.Errorf("the balance was read %d times for a hundred refusals", reads)
		}

		journal.Give("acc-1", metering.Period(time.Now()), 1)
		<-time.After(time.Second)
		if refused() {
			t.Error("a granted credit has no effect after a second")
		}
	})
}

func TestMonthChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := new(fake.Journal)
		ledger := newLedger(t, journal)
		now := time.Now().UTC()
		nextMonth := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		<-time.After(nextMonth.Sub(now) - time.Second)
		settle(t, reserve(t, ledger, 2))
		late := reserve(t, ledger, 2)
		testkit.ErrorIs(t, testkit.Err(ledger.Reserve(t.Context(), call(2))), metering.ErrExhausted,
			"a third call of two")

		<-time.After(time.Second)
		// A call admitted in one month and settled in the next counts in the next.
		testkit.Equal(t, settle(t, late), 1, "left of 2 in the new month after the late charge")
		testkit.Equal(t, settle(t, reserve(t, ledger, 2)), 0, "left of 2 after the second charge")

		for period, want := range map[string]int64{metering.Period(now): 1, metering.Period(nextMonth): 2} {
			if b, _ := journal.Balance(t.Context(), "acc-1", period); b.Used != want {
				t.Errorf("%s has %+v, want %d used", period, b, want)
			}
		}
	})
}

func TestPlanChanges(t *testing.T) {
	ledger := newLedger(t, new(fake.Journal))
	for range 3 {
		settle(t, reserve(t, ledger, 3))
	}
	testkit.Equal(t, settle(t, reserve(t, ledger, 5)), 1, "left with a larger plan")
	testkit.ErrorIs(t, testkit.Err(ledger.Reserve(t.Context(), call(2))), metering.ErrExhausted, "with a smaller plan")
	if left, _ := ledger.Remaining(t.Context(), "acc-1", 2); left != 0 {
		t.Errorf("%d left with a smaller plan", left)
	}
	testkit.Equal(t, settle(t, reserve(t, ledger, metering.Unlimited)), metering.Unlimited, "left without a limit")
	testkit.Equal(t, settle(t, reserve(t, ledger, 10)), 4, "left with a limit again")
}

var errDown = errors.New("the disk is gone")

func TestJournalDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := new(fake.Journal)
		ledger := newLedger(t, journal)
		known := reserve(t, ledger, 10)
		journal.Fail(errDown)
		if _, err := known.Settle(t.Context(), false); !errors.Is(err, errDown) ||
			!errors.Is(err, metering.ErrUncertain) {
			t.Errorf("settling: %v", err)
		}

		other := call(10)
		other.Account = "acc-2"
		testkit.ErrorIs(t, testkit.Err(ledger.Reserve(t.Context(), other)), errDown, "reserving for an unknown account")

		reads, _, _ := journal.Traffic()
		for range 100 {
			if _, ok := ledger.Remaining(t.Context(), "acc-2", 10); ok {
				t.Fatal("the remaining credits of an unknown account are reported")
			}
		}

		if again, _, _ := journal.Traffic(); again > reads {
			t.Errorf("Remaining asked a journal that is down %d times", again-reads)
		}

		journal.Fail(nil)
		testkit.Equal(t, settle(t, reserve(t, ledger, 10)), 9,
			"left of 10 after one charge that counts")
		if stats := ledger.Stats(); stats.Failures != 1 || stats.Commits != 2 {
			t.Errorf("the statistics are %+v", stats)
		}
	})
}

// slowJournal settles when it is released.
type slowJournal struct {
	*fake.Journal
	settling chan int // receives the size of a batch
}

func (j *slowJournal) Settle(ctx context.Context, at time.Time,
	charges []metering.Charge) ([]metering.Settlement, error) {
	j.settling <- len(charges)
	return j.Journal.Settle(ctx, at, charges)
}

func TestChargesGatherMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := &slowJournal{new(fake.Journal), make(chan int)}
		ledger := newLedger(t, journal)
		for range 1000 {
			go func() { settle(t, reserve(t, ledger, metering.Unlimited)) }()
			synctest.Wait()
		}

		for _, want := range []int{1, 512, 487} {
			testkit.Equal(t, <-journal.settling, want, "charges written together")
		}

		synctest.Wait()
	})
}

func TestCallerWhoLeavesIsNotCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := &slowJournal{new(fake.Journal), make(chan int)}
		ledger := newLedger(t, journal)
		ctx, leave := context.WithCancel(t.Context())
		outcomes := make([]error, 2)
		for i := range outcomes {
			h := reserve(t, ledger, 10)
			go func() { _, outcomes[i] = h.Settle(ctx, false) }()
			synctest.Wait() // at that point the first one is being written, and the second one waits
		}

		leave()
		synctest.Wait()
		<-journal.settling
		synctest.Wait()
		if outcomes[0] != nil || !errors.Is(outcomes[1], context.Canceled) || len(journal.Entries()) != 1 {
			t.Errorf("outcomes %v, %d charges", outcomes, len(journal.Entries()))
		}
		if left, _ := ledger.Remaining(t.Context(), "acc-1", 10); left != 9 {
			t.Errorf("%d of 10 are left", left)
		}
	})
}

func TestFreeCallsAreCountedByTheMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := new(fake.Journal)
		ledger := metering.NewLedger(journal, slog.New(slog.DiscardHandler))
		day := metering.Day(time.Now())
		want := func(what string, calls ...metering.Calls) {
			t.Helper()
			got, _ := journal.Usage(t.Context(), "", "", "")
			slices.SortFunc(got, func(a, b metering.Calls) int {
				return strings.Compare(a.Day+a.Operation,
					b.Day+b.Operation)
			})
			testkit.Equal(t, got, calls, "the counts of %s", what)
		}
		for i := range 10 {
			ledger.CountFree("acc-1", "get_fx_rates", i%2 == 0)
		}

		ledger.CountFree("acc-1", "list_plans", false)
		journal.Fail(errDown)
		<-time.After(time.Minute + time.Second)
		want("while the journal is down")
		ledger.CountFree("acc-1", "get_fx_rates", true)
		journal.Fail(nil)
		<-time.After(time.Minute)
		rates, plans := metering.Calls{Account: "acc-1", Day: day, Operation: "get_fx_rates", Calls: 11, Hits: 6},
			metering.Calls{Account: "acc-1", Day: day, Operation: "list_plans", Calls: 1}
		want("when it is back", rates, plans)
		<-time.After(24 * time.Hour)
		ledger.CountFree("acc-1", "get_fx_rates", false)
		testkit.NoError(t, ledger.Close())

		want("at the end", rates, plans, metering.Calls{Account: "acc-1", Day: metering.Day(time.Now()),
			Operation: "get_fx_rates", Calls: 1})
	})
}

func TestOldEntriesAreDeletedInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := new(fake.Journal)
		newLedger(t, journal)
		prunings := func(after time.Duration) int {
			<-time.After(after)
			_, _, n := journal.Traffic()
			return n
		}
		testkit.Equal(t, prunings(2*time.Minute), 3, "parts were deleted soon after the start")
		testkit.Equal(t, prunings(23*time.Hour), 3, "parts within a day")
		testkit.Equal(t, prunings(time.Hour), 4, "parts after a day")
	})
}

func TestDeletionIsRetriedWithinTheDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := new(fake.Journal)
		newLedger(t, journal)
		<-time.After(2 * time.Minute)
		journal.Fail(errDown)
		prunings := func(after time.Duration) int {
			<-time.After(after)
			_, _, n := journal.Traffic()
			return n
		}
		testkit.Equal(t, prunings(24*time.Hour), 4, "deletions after a day")
		testkit.Equal(t, prunings(time.Hour), 5, "deletions an hour after the failure")

		journal.Fail(nil)
		testkit.Equal(t, prunings(3*time.Hour), 6, "deletions in three hours")
	})
}

func TestClosedLedger(t *testing.T) {
	journal := new(fake.Journal)
	ledger := metering.NewLedger(journal, slog.New(slog.DiscardHandler))
	h := reserve(t, ledger, 10)
	journal.Fail(errDown)
	ledger.CountFree("acc-1", "list_plans", false)
	testkit.ErrorIs(t, ledger.Close(), errDown, "closing")
	testkit.ErrorIs(t, testkit.Err(h.Settle(t.Context(), false)), metering.ErrClosed, "settling")
}

func TestBalance(t *testing.T) {
	for _, c := range []struct {
		name           string
		balance        metering.Balance
		monthly        int64
		total, remains int64
	}{
		{"unused", metering.Balance{}, 100, 100, 100},
		{"used", metering.Balance{Used: 30}, 100, 100, 70},
		{"given", metering.Balance{Used: 130, Given: 50}, 100, 150, 20},
		{"more than a lesser plan has", metering.Balance{Used: 130}, 100, 100, 0},
		{"no credits", metering.Balance{}, 0, 0, 0},
		{"unlimited", metering.Balance{Used: 130, Given: 50}, metering.Unlimited, metering.Unlimited,
			metering.Unlimited},
	} {
		if total, remains := c.balance.Total(c.monthly), c.balance.Remaining(c.monthly); total != c.total ||
			remains != c.remains {
			t.Errorf("%s: %d of %d are left, want %d of %d", c.name, remains, total, c.remains, c.total)
		}
	}
}

func TestPeriodIsTheMonthInUTC(t *testing.T) {
	bucharest := time.FixedZone("EET", 2*60*60)
	testkit.Equal(t, metering.Period(time.Date(2026, 12, 1, 1, 59, 0, 0, bucharest)), "2026-11",
		"the period while it is November in UTC")
	testkit.Equal(t, metering.Period(time.Date(2027, 1, 1, 2, 0, 0, 0, bucharest)), "2027-01",
		"the period in the new year")
}

// Counting a free call must not slow down a cached answer.
func TestFreeCallsCostNoMemory(t *testing.T) {
	ledger := newLedger(t, new(fake.Journal))
	ledger.Remaining(t.Context(), "acc-1", 10)
	n := testing.AllocsPerRun(1000, func() {
		ledger.CountFree("acc-1", "list_plans", true)
		ledger.Remaining(t.Context(), "acc-1", 10)
	})
	if n > 0 {
		t.Errorf("%v allocations a call", n)
	}
}

func BenchmarkFreeCall(b *testing.B) {
	ledger := newLedger(b, new(fake.Journal))
	accounts := make([]string, 1024)
	for i := range accounts {
		accounts[i] = fmt.Sprint("acc-", i)
	}

	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			account := accounts[i%len(accounts)]
			ledger.CountFree(account, "list_plans", true)
			ledger.Remaining(b.Context(), account, 10)
		}
	})
}

// silentJournal is a journal that never answers.
type silentJournal struct{ *fake.Journal }

func (silentJournal) Balance(ctx context.Context, _, _ string) (metering.Balance, error) {
	<-ctx.Done()
	return metering.Balance{}, ctx.Err()
}

// Reading a balance has a time limit.
func TestReadingABalanceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := newLedger(t, silentJournal{new(fake.Journal)})
		began := time.Now()
		_, err := ledger.Reserve(t.Context(), call(2))
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != 5*time.Second {
			t.Errorf("got %v after %v", err, took)
		}
	})
}
