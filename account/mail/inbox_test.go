package mail_test

import (
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
	"github.com/rodata/rodata/testkit/mailserver"
)

var inquiry = account.Inquiry{
	Name: "Ștefan Inventat", Email: "stefan@example.ro", Text: "Bună ziua,\nam o întrebare.",
	Address: netip.MustParseAddr("192.0.2.1"),
}

// outbox opens an outbox for the duration of the test, with a mail server at address, or without one if that is empty.
func outbox(t *testing.T, db *store.DB, address string) *mail.Outbox {
	t.Helper()
	options := mail.Options{Store: db, Secret: []byte("a secret for tests"), Logger: slog.New(slog.DiscardHandler)}
	if address != "" {
		var err error
		if options.Server, err = mail.ParseServer("smtp://" + address); err != nil {
			t.Fatal(err)
		}
		if options.From, err = mail.ParseSender("inbox@api.example.ro"); err != nil {
			t.Fatal(err)
		}
	}

	box := testkit.Must(mail.Open(options))
	t.Cleanup(func() { box.Close() })
	return box
}

func inbox(db *store.DB, box *mail.Outbox, to string) *mail.Inbox {
	return &mail.Inbox{Store: db, Outbox: box, To: to, Logger: slog.New(slog.DiscardHandler)}
}

func TestInquiriesAreMailed(t *testing.T) {
	accountstore.Each(t, func(t *testing.T, db *store.DB) {
		server := mailserver.Start(t, mailserver.Options{})
		d := inbox(db, outbox(t, db, server.Address()), "operators@example.com")
		testkit.NoError(t, d.Take(t.Context(), inquiry))

		got := server.Next(t)
		if len(got.To) != 1 || got.To[0] != "operators@example.com" || got.From != "inbox@api.example.ro" {
			t.Errorf("the mail went from %s to %v", got.From, got.To)
		}

		content := got.Read(t)
		if subject, reply := content.Get(t, "Subject"),
			content.Get(t, "Reply-To"); subject != "Message to the operators" || reply != "<stefan@example.ro>" {
			t.Errorf("the subject is %q, answers go to %q", subject, reply)
		}
		if !strings.Contains(content.Text, "\n\n"+inquiry.Text+"\n\n") ||
			!strings.HasPrefix(content.Text, "Ștefan Inventat <stefan@example.ro> wrote") {
			t.Errorf("the text is %q", content.Text)
		}
	})
}

// An inquiry is accepted while the mail server is unreachable, and mailed once the server is reachable.
func TestInquiriesWaitForTheServer(t *testing.T) {
	db := accountstore.Open(t)
	gone := mailserver.Start(t, mailserver.Options{Refuse: func(string,
		string) error {
		return mailserver.Answer(451, "not now")
	}})
	box := outbox(t, db, gone.Address())
	testkit.NoError(t, inbox(db, box, "operators@example.com").Take(t.Context(), inquiry))
	testkit.NoError(t, box.Close())
	if due, err := db.NextMail(t.Context()); err != nil || due.IsZero() || gone.Waiting() != 0 {
		t.Errorf("the mail is due again at %v, and %d were delivered (%v)", due, gone.Waiting(), err)
	}
}

func TestInquiriesWithoutMail(t *testing.T) {
	db := accountstore.Open(t)
	server := mailserver.Start(t, mailserver.Options{})
	for name, d := range map[string]*mail.Inbox{
		"no server":  inbox(db, outbox(t, db, ""), "operators@example.com"),
		"no outbox":  inbox(db, nil, "operators@example.com"),
		"no address": inbox(db, outbox(t, db, server.Address()), ""),
	} {
		testkit.NoError(t, d.Take(t.Context(), inquiry), name)
	}

	if next, err := db.NextMail(t.Context()); err != nil || !next.IsZero() {
		t.Errorf("a mail is due at %v (%v)", next, err)
	}
}

func TestRefusalsOfTheDesk(t *testing.T) {
	db := accountstore.Open(t)
	d := inbox(db, nil, "")
	for range 5 {
		testkit.NoError(t, d.Take(t.Context(), inquiry))
	}

	refused := (*account.TooManyInquiries)(nil)
	if err := d.Take(t.Context(), inquiry); !errors.As(err, &refused) || errors.Is(err, account.ErrStoreDown) {
		t.Errorf("the sixth got %v", err)
	}
	testkit.NoError(t, db.Close())
	testkit.ErrorIs(t, d.Take(t.Context(), inquiry), account.ErrStoreDown, "with the store closed")
}
