package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/testkit"
)

// fillQueues makes one row due in each queue: a mail, a payment, an invoice without documents, and one to be sent.
func fillQueues(t *testing.T, db *DB) {
	t.Helper()
	now := time.Now()
	owner := account.Account{ID: account.NewID(), Plan: "starter", CreatedAt: now}
	testkit.NoError(t, db.CreateAccount(t.Context(), owner))

	addMails(t, db, now, "mail")
	insert := func(statement string, args ...any) {
		t.Helper()
		testkit.NoError(t, testkit.Err(db.Writer.ExecContext(t.Context(), statement, args...)))
	}
	insert(`INSERT INTO payments (id, account_id, tries, problem, noted_at, due_at)
		VALUES ('in_pay', $1, 0, '', 0, $2)`, owner.ID, now.UnixMilli())
	for number, id := range []string{"in_render", "in_send"} {
		insert(`INSERT INTO invoices (id, account_id, payment_id, part, series, number, label, issue_date, currency,
			net, vat, gross, content, rendered, state, transmission, due_at)
			VALUES ($1, $2, 'in_pay', $3, 'RD', $4, '', '2026-11-20', 'RON', 0, 0, 0, '', $5, 'pending', '',
			$6)`, id, owner.ID, number, number, number, now.UnixMilli())
	}
}

// claimQueues claims the due rows of every queue, and lists them.
func claimQueues(t *testing.T, db *DB, now time.Time) (ids []string) {
	t.Helper()
	for _, q := range queues {
		claimed := claimFrom(t, db, q, now)
		slices.Sort(claimed)
		ids = append(ids, claimed...)
	}

	return ids
}

func claimFrom(t *testing.T, db *DB, q *work.Queue, now time.Time) (ids []string) {
	t.Helper()
	claimed := testkit.Must(work.Claim[mail.Entry](t.Context(), db.DB, q, now, now.Add(leaseTime), 9))

	for _, c := range claimed {
		ids = append(ids, c.ID)
	}

	return ids
}

const leaseTime = 4 * time.Minute

var everyQueue = []string{"mail", "in_pay", "in_render", "in_send"}

// The leases of a dead process are released before they expire. On SQLite, which has one owner, that happens at once.
// On PostgreSQL it happens once the process's lock has been gone for the grace period.
func TestLeasesOfTheDeadAreReleased(t *testing.T) {
	forPlaces(t, func(t *testing.T, open func() *DB) {
		dead := open()
		fillQueues(t, dead)
		now := time.Now().Add(time.Second)
		if ids := claimQueues(t, dead, now); !slices.Equal(ids, everyQueue) {
			t.Fatalf("claimed %v, want %v", ids, everyQueue)
		}

		addMails(t, dead, now, "postponed")
		claimed, _ := claim(t, dead, now, 1)
		testkit.NoError(t, dead.SettleMail(t.Context(), claimed[0], now.Add(time.Hour), now))
		testkit.NoError(t, dead.Close())

		heir := open()
		if heir.reaper != nil {
			reap(t, heir, now)
			if ids := claimQueues(t, heir, now); ids != nil {
				t.Errorf("%v were claimed within the grace period", ids)
			}

			reap(t, heir, now.Add(holderGrace))
			now = now.Add(holderGrace)
		}

		testkit.Equal(t, claimQueues(t, heir, now.Add(time.Second)), everyQueue, "claimed")
	})
}

// A holder whose lease has expired cannot write once another process has claimed the row.
func TestExpiredLeaseIsLost(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		fillQueues(t, db)
		for _, q := range queues {
			now := time.Now().Add(time.Second)
			lease, successor := now.Add(leaseTime), now.Add(2*leaseTime)
			ids := claimFrom(t, db, q, now)
			if again := claimFrom(t, db, q, lease.Add(-time.Second)); again != nil {
				t.Errorf("%v were claimed before the lease expired", again)
			}
			if again := claimFrom(t, db, q, lease); !slices.Equal(again, ids) {
				t.Fatalf("claimed %v, want %v", again, ids)
			}

			for _, id := range ids {
				for name, change := range map[string]func(lease time.Time) error{
					"extend": func(lease time.Time) error { return q.Extend(t.Context(), db.Writer, id, lease, lease) },
					"retry": func(lease time.Time) error {
						return q.Retry(t.Context(), db.Writer, id, lease, successor,
							7)
					},
					"done": func(lease time.Time) error { return q.Done(t.Context(), db.Writer, id, lease) },
				} {
					testkit.ErrorIs(t, change(lease), work.ErrLeaseLost, "%s of %s by its former holder", name, id)
				}

				if err := errors.Join(
					q.Extend(t.Context(), db.Writer, id, successor, successor.Add(time.Hour)),
					q.Retry(t.Context(), db.Writer, id, successor.Add(time.Hour), successor, 7),
					q.Done(t.Context(), db.Writer, id, successor),
				); err != nil {
					t.Errorf("%s by its holder: %v", id, err)
				}
			}

			if due, err := q.NextDue(t.Context(), db.DB); err != nil || !due.IsZero() {
				t.Errorf("finished rows are due at %v, %v", due, err)
			}
		}
	})
}

// reap ends the leases of dead holders as of a given time.
func reap(t *testing.T, db *DB, now time.Time) {
	t.Helper()
	db.pool.Close() // it reaps on its own schedule
	testkit.NoError(t, db.reaper.reap(t.Context(), now))
}

// The leases of a living process are kept, even if its connection breaks.
func TestLeasesOfTheLivingAreKept(t *testing.T) {
	url := migrated.URL(t)
	living, other := open(t, url), open(t, url)
	fillQueues(t, living)
	now := time.Now().Add(time.Second)
	claimQueues(t, living, now)
	kept := func() {
		t.Helper()
		reap(t, other, now)
		reap(t, other, now.Add(holderGrace))
		if ids := claimQueues(t, other, now.Add(holderGrace+time.Second)); ids != nil {
			t.Errorf("%v were taken from a living process", ids)
		}
	}
	kept()
	const session = `FROM pg_locks WHERE locktype = 'advisory' AND (classid::bigint << 32) | objid::bigint = $1`
	sessions := func() (pids []int) {
		t.Helper()
		return testkit.Must(database.All[int](t.Context(), other.Writer, "listing sessions",
			`SELECT pid `+session, living.Holder))
	}
	before := sessions()
	if len(before) != 1 {
		t.Fatalf("the holder has %d sessions", len(before))
	}
	testkit.NoError(t, testkit.Err(other.Writer.ExecContext(t.Context(), `SELECT pg_terminate_backend($1)`, before[0])))

	deadline := time.After(holderGrace)
	for after := before; len(after) == 0 || slices.Equal(after, before); after = sessions() {
		select {
		case <-deadline:
			t.Fatal("the holder does not reacquire its lock within the grace period")
		case <-time.After(20 * time.Millisecond):
		}
	}

	kept()
}
