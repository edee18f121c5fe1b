package store

import (
	"bytes"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/testkit"
)

// noon is the time of these tests.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func addMails(t *testing.T, db *DB, at time.Time, ids ...string) {
	t.Helper()
	for _, id := range ids {
		testkit.NoError(t, db.AddMail(t.Context(), mail.Entry{ID: id, Content: []byte("\x00content of " + id)},
			at))
	}
}

func claim(t *testing.T, db *DB, now time.Time, limit int) (claimed []mail.Entry, ids []string) {
	t.Helper()
	claimed = testkit.Must(db.ClaimMails(t.Context(), now, now.Add(10*time.Minute), limit))

	for _, m := range claimed {
		ids = append(ids, m.ID)
	}

	slices.Sort(ids)
	return claimed, ids
}

func nextMail(t *testing.T, db *DB, want time.Time) {
	t.Helper()
	if next, err := db.NextMail(t.Context()); err != nil || !next.Equal(want) {
		t.Errorf("the next mail is due at %v, want %v (%v)", next, want, err)
	}
}

func TestMailsAreClaimedOnce(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		nextMail(t, db, time.Time{})
		addMails(t, db, noon.Add(time.Second), "late")
		addMails(t, db, noon, "a", "b")
		addMails(t, db, noon.Add(-time.Hour), "a") // known already
		nextMail(t, db, noon)

		if _, ids := claim(t, db, noon.Add(-1*time.Millisecond), 9); ids != nil {
			t.Errorf("%v were claimed before they were due", ids)
		}

		claimed, ids := claim(t, db, noon.Add(time.Minute), 2)
		if !slices.Equal(ids, []string{"a", "b"}) {
			t.Fatalf("got %v, want the mails that have waited longest", ids)
		}

		for _, m := range claimed {
			if !bytes.Equal(m.Content, []byte("\x00content of "+m.ID)) || m.Tries != 1 ||
				!m.Lease.Equal(noon.Add(11*time.Minute)) {
				t.Errorf("got %+v", m)
			}
		}

		if _, ids := claim(t, db, noon.Add(time.Minute), 9); !slices.Equal(ids, []string{"late"}) {
			t.Errorf("got %v, want only unclaimed mails", ids)
		}

		nextMail(t, db, noon.Add(11*time.Minute))
		if again, _ := claim(t, db, noon.Add(11*time.Minute), 9); len(again) != 3 || again[0].Tries != 2 {
			t.Errorf("after the lease got %+v", again)
		}
	})
}

func TestMailsAreSettled(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		addMails(t, db, noon, "sent", "later", "lost")
		claimed, _ := claim(t, db, noon, 9)
		byID := make(map[string]mail.Entry)
		for _, m := range claimed {
			byID[m.ID] = m
		}

		later := noon.Add(5 * time.Minute)
		testkit.NoError(t, db.SettleMail(ctx, byID["sent"], time.Time{}, noon))
		testkit.NoError(t, db.SettleMail(ctx, byID["later"], later, noon))

		nextMail(t, db, later)
		addMails(t, db, noon, "sent") // its ID is known, though its content is gone
		if _, ids := claim(t, db, later, 9); !slices.Equal(ids, []string{"later"}) {
			t.Errorf("got %v", ids)
		}
		// The lease on this one has passed to another holder.
		if _, ids := claim(t, db, noon.Add(10*time.Minute), 9); !slices.Equal(ids, []string{"lost"}) {
			t.Fatalf("got %v", ids)
		}
		testkit.NoError(t, db.SettleMail(ctx, byID["lost"], time.Time{}, noon))

		nextMail(t, db, noon.Add(15*time.Minute))
		if _, ids := claim(t, db, noon.Add(time.Hour), 9); !slices.Equal(ids, []string{"later", "lost"}) {
			t.Errorf("got %v: a late SettleMail took a mail from the current lease holder", ids)
		}
	})
}

func TestSentMailsAreForgotten(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		addMails(t, db, noon, "sent", "waiting")
		claimed, _ := claim(t, db, noon, 9)
		for _, m := range claimed {
			if m.ID == "sent" {
				testkit.NoError(t, db.SettleMail(t.Context(), m, time.Time{}, noon))
			}
		}

		left := func(want int) {
			t.Helper()
			var n, contents int
			if err := db.Reader.QueryRowContext(t.Context(), `SELECT COUNT(*), COUNT(content) FROM mails`).Scan(&n,
				&contents); err != nil || n != want || contents != 1 {
				t.Errorf("there are %d mails with %d contents, want %d with 1 (%v)", n, contents, want, err)
			}
		}
		left(2)
		for _, step := range []struct{ days, left int }{{30, 2}, {31, 1}} {
			testkit.NoError(t, db.ForgetMail(t.Context(), noon.AddDate(0, 0, step.days)))
			left(step.left)
		}
	})
}

func TestClaimsAtTheSameMoment(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		var all []string
		for range 40 {
			all = append(all, string(rune('A'+len(all))))
		}

		addMails(t, db, noon, all...)
		var (
			mu  sync.Mutex
			got []string
			wg  sync.WaitGroup
		)
		for range 8 {
			wg.Go(func() {
				for {
					claimed, err := db.ClaimMails(t.Context(), noon, noon.Add(time.Minute), 3)
					if err != nil {
						t.Error(err)
						return
					}
					// The other callers may have claimed every mail.
					if next, err := db.NextMail(t.Context()); len(claimed) == 0 && (err != nil || next.After(noon)) {
						return
					}

					mu.Lock()
					for _, m := range claimed {
						got = append(got, m.ID)
					}

					mu.Unlock()
				}
			})
		}

		wg.Wait()
		slices.Sort(got)
		testkit.Equal(t, got, all, "the claims")
	})
}
