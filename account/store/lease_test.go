package store

import (
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/billing"
	"github.com/rodata/rodata/account/invoice"
	"github.com/rodata/rodata/account/invoice/efactura"
	"github.com/rodata/rodata/account/invoice/invoicetest"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/account/store/internal/postgrestest"
)

// fillQueues has one thing due in each queue: a mail, a payment, an invoice without
// documents, and one that is to be sent.
func fillQueues(t *testing.T, db *DB) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	owner := account.Account{ID: account.NewID(), Plan: "starter", CreatedAt: now}
	must(db.CreateAccount(ctx, owner))
	must(db.AddMail(ctx, mail.Stored{ID: "mail", Content: []byte("content")}, now))
	for number, id := range []string{"in_send", "in_render"} {
		must(db.NotePayment(ctx, "evt_"+id, billing.Payment{ID: id, Account: owner.ID}, now))
		claimed, err := db.ClaimPayments(ctx, now, now.Add(time.Hour), 1)
		must(err)
		must(db.Issue(ctx, claimed[0], "RD", func(_ *invoice.Invoice, next int) ([]billing.Issued, error) {
			draft := invoicetest.Draft()
			draft.ID, draft.Series, draft.Number = id, "RD", next
			made, err := invoice.New(draft)
			return []billing.Issued{{Invoice: made, State: efactura.Pending}}, err
		}))
		if number > 0 {
			continue
		}
		render, err := db.ClaimInvoices(ctx, billing.Rendering, now.Add(time.Minute), now.Add(time.Hour), 1)
		must(err)
		must(db.SaveDocuments(ctx, render[0], billing.Documents{PDF: []byte("pdf"), Transmission: efactura.Begin(efactura.Document{Number: "RD-1"}, true)}))
	}
	must(db.NotePayment(ctx, "evt_in_pay", billing.Payment{ID: "in_pay", Account: owner.ID}, now))
}

// claimQueues claims what is due in every queue, and lists it.
func claimQueues(t *testing.T, db *DB, now time.Time) (ids []string) {
	t.Helper()
	lease := now.Add(4 * time.Minute)
	mails, err := db.ClaimMails(t.Context(), now, lease, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mails {
		ids = append(ids, m.ID)
	}
	payments, err := db.ClaimPayments(t.Context(), now, lease, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range payments {
		ids = append(ids, p.ID)
	}
	for _, queue := range []billing.Queue{billing.Rendering, billing.Sending} {
		invoices, err := db.ClaimInvoices(t.Context(), queue, now, lease, 9)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range invoices {
			ids = append(ids, i.ID)
		}
	}
	return ids
}

var everyQueue = []string{"mail", "in_pay", "in_render", "in_send"}

// What a process had claimed when it died is taken up without waiting for the end of
// the lease: at once on a file, which has one owner; on PostgreSQL once its lock has
// been gone for the grace.
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
		if err := dead.SettleMail(t.Context(), claimed[0], now.Add(time.Hour), now); err != nil {
			t.Fatal(err)
		}
		if err := dead.Close(); err != nil {
			t.Fatal(err)
		}
		heir := open()
		if heir.reaper != nil {
			reap(t, heir, now)
			if ids := claimQueues(t, heir, now); ids != nil {
				t.Errorf("%v were claimed within the grace", ids)
			}
			reap(t, heir, now.Add(holderGrace))
			now = now.Add(holderGrace)
		}
		if ids := claimQueues(t, heir, now.Add(time.Second)); !slices.Equal(ids, everyQueue) {
			t.Errorf("claimed %v, want %v", ids, everyQueue)
		}
	})
}

// reap has a process look for holders that are gone, at a time.
func reap(t *testing.T, db *DB, now time.Time) {
	t.Helper()
	db.reaper.close() // it would look at times of its own
	if err := db.reaper.reap(t.Context(), now); err != nil {
		t.Fatal(err)
	}
}

// Nobody takes what a living process has claimed, also after its connection broke.
func TestLeasesOfTheLivingAreKept(t *testing.T) {
	url := postgrestest.URL(t)
	living, other := openURL(t, url), openURL(t, url)
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
		pids, err := collect(t.Context(), other.writer, func(r row) (pid int, err error) { return pid, r.Scan(&pid) }, `SELECT pid `+session, living.holder)
		if err != nil {
			t.Fatal(err)
		}
		return pids
	}
	before := sessions()
	if len(before) != 1 {
		t.Fatalf("the holder has %d sessions", len(before))
	}
	if _, err := other.writer.ExecContext(t.Context(), `SELECT pg_terminate_backend($1)`, before[0]); err != nil {
		t.Fatal(err)
	}
	deadline := time.After(holderGrace)
	for after := before; len(after) == 0 || slices.Equal(after, before); after = sessions() {
		select {
		case <-deadline:
			t.Fatal("it does not take its lock again within the grace")
		case <-time.After(20 * time.Millisecond):
		}
	}
	kept()
}
