package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// digestBook is a store with one watch-list, and an outbox. It can simulate a power failure after a number of writes.
type digestBook struct {
	digest Digest
	latest int64 // event
	events func(after, until int64) []monitoring.Event
	mails  map[string]mail.Message
	user   account.User
	writes int // left until the power fails; negative for no failure
}

var errPower = errors.New("the power is lost")

func (b *digestBook) write() error {
	if b.writes == 0 {
		return errPower
	}

	b.writes--
	return nil
}

func (b *digestBook) DueDigests(_ context.Context, now time.Time, _ int) ([]Digest, error) {
	if b.digest.Due.After(now) {
		return nil, nil
	}

	d := b.digest
	d.Until = 0
	return []Digest{d}, nil
}

func (b *digestBook) BeginDigest(_ context.Context, d *Digest) (bool, error) {
	if err := b.write(); err != nil {
		return false, err
	}
	if b.digest.Until == 0 {
		b.digest.Until = b.latest
	}

	d.Until = b.digest.Until
	return true, nil
}

func (b *digestBook) DigestEvents(_ context.Context, d Digest, limit int) ([]monitoring.Event, int, error) {
	events := b.events(d.After, d.Until)
	return events[:min(limit, len(events))], len(events), nil
}

func (b *digestBook) EndDigest(_ context.Context, d Digest, next time.Time) error {
	if err := b.write(); err != nil {
		return err
	}

	b.digest.After, b.digest.Until, b.digest.Due = d.Until, 0, next
	return nil
}

func (b *digestBook) send(_ context.Context, m mail.Message) error {
	if err := b.write(); err != nil {
		return err
	}
	if _, known := b.mails[m.ID]; !known {
		b.mails[m.ID] = m
	}
	return nil
}

func (b *digestBook) digests() *Digests {
	return &Digests{
		Store: b, Send: b.send, Site: "https://rodata.example", Unsubscribe: "/unsubscribe", Hash: keyed,
		Log: slog.New(slog.DiscardHandler),
		Users: func(context.Context, string) (account.User, error) {
			if b.user.Email == "" {
				return account.User{}, account.ErrNoUser
			}
			return b.user, nil
		},
	}
}

// eight is the time at which the tests' digest is due: 08:00 in Bucharest, on a Monday.
var eight = time.Date(2026, time.November, 23, 6, 0, 0, 0, time.UTC)

func newBook() *digestBook {
	return &digestBook{
		digest: Digest{List: 1, ID: "wl_a", Account: "acc", Name: "Furnizori <1>", Kind: monitoring.DailyDigest,
			Due: eight},
		events: numbered, latest: 3, mails: make(map[string]mail.Message), writes: -1,
		user: account.User{Email: "ana@example.ro", EmailVerified: true},
	}
}

// numbered returns an event for each number in a range, each about a company with that number in its name.
func numbered(after, until int64) (events []monitoring.Event) {
	for n := after + 1; n <= until; n++ {
		events = append(events, vatEvent(n, monitoring.Low, monitoring.VATRegistered))
	}
	return events
}

func vatEvent(n int64, severity monitoring.Severity, kind monitoring.EventKind) monitoring.Event {
	c, name, reference := ro.CUI(9900000000+n), fmt.Sprintf("EXEMPLU %d SRL", n), "SUP-<1>"
	day := ro.NewDate(2026, time.November, 1)
	return monitoring.Event{Type: kind, Timestamp: eight.Add(-time.Hour), Cursor: monitoring.EventCursor{Number: n},
		Data: monitoring.EventData{
			TaxID: &c, Name: &name, Reference: &reference, Severity: severity,
			Changes: []monitoring.EventChange{{Type: kind, Field: "vatPayer",
				Before: &company.FactValue{Bool: new(false)},
				After:  &company.FactValue{Bool: new(true)}, ValidFrom: &day}},
		}}
}

// The text of an absent statement states the years. It predicts nothing.
func TestWordsOfAnAbsentStatement(t *testing.T) {
	event := monitoring.Event{Type: monitoring.StatementAbsent, Data: monitoring.EventData{
		Severity: monitoring.Medium, Statement: &monitoring.EventStatement{Year: 2025, LastFiled: 2023}}}
	for w, want := range map[*words]string{
		romanian: "situația financiară nu este în fișierele publicate: anul 2025, ultima pentru 2023",
		english:  "financial statement in no published file: of 2025, the last one of 2023",
	} {
		if got := w.Lines(event); len(got) != 1 || got[0] != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDigestSaysWhatHappened(t *testing.T) {
	b := newBook()
	b.events = func(int64, int64) []monitoring.Event {
		state := vatEvent(5, monitoring.High, monitoring.StateChanged)
		state.Data.Changes = []monitoring.EventChange{{Type: monitoring.StateChanged,
			Before: &company.FactValue{Text: "in_operation"},
			After:  &company.FactValue{Text: "struck_off"}}}
		return []monitoring.Event{vatEvent(3, monitoring.Low, monitoring.VATRegistered),
			vatEvent(4, monitoring.Medium, monitoring.NameChanged), state,
			{Type: monitoring.WatchlistUnpaid, Timestamp: eight.Add(-time.Hour),
				Data: monitoring.EventData{Severity: monitoring.Medium}},
			vatEvent(4, monitoring.Low, monitoring.EInvoiceRegistered),
			vatEvent(6, monitoring.Medium, monitoring.SeatExpired)}
	}
	testkit.NoError(t, b.digests().SendDue(t.Context(), eight.Add(time.Minute)))

	m := b.mails["digest of wl_a on 2026-11-23"]
	if m.To != "ana@example.ro" || m.Subject != "Furnizori <1>: 6 modificări / 6 changes" {
		t.Errorf("to %s: %s", m.To, m.Subject)
	}

	last := -1
	for _, want := range []string{
		"În lista „Furnizori <1>”, de la 22.11.2026 până la 23.11.2026: 6 modificări.",
		"EXEMPLU 5 SRL, CUI 9900000005, SUP-<1>", "[grav] starea: în funcțiune → radiată",
		"EXEMPLU 6 SRL", "[mediu] sediu expirat: nu → da",
		"EXEMPLU 4 SRL", "[mediu] denumirea: nu → da, din 01.11.2026",
		"[ușor] înscrisă în Registrul RO e-Factura: nu → da",
		"Lista\n  - [mediu] creditele nu au ajuns",
		"EXEMPLU 3 SRL", "https://rodata.example/dashboard/monitoring?list=wl_a\n",
		m.Unsubscribe + "&lang=ro\n",
		"\n--\n", "Hello,", "between 2026-11-22 and 2026-11-23: 6 changes", "[high] state: in operation → struck off",
		"[medium] right to the registered office expired: no → yes",
		m.Unsubscribe + "&lang=en\n",
	} {
		at := strings.Index(m.Text[last+1:], want)
		if at < 0 {
			t.Fatalf("%q is missing or out of order in\n%s", want, m.Text)
		}

		last += 1 + at
	}

	if strings.Contains(m.HTML, "<1>") ||
		!strings.Contains(m.HTML, "<b>grav</b>: starea: în funcțiune → radiată</li>") ||
		!strings.Contains(m.HTML, `<a href="`+m.Unsubscribe+`&amp;lang=en">Unsubscribe from this digest</a>`) {
		t.Errorf("the page is\n%s", m.HTML)
	}
}

func TestDigestInOneLanguage(t *testing.T) {
	for language, c := range map[monitoring.DigestLanguage]struct{ subject, has, lacks string }{
		monitoring.RomanianDigest: {"Furnizori <1>: o modificare", "În lista", "Hello"},
		monitoring.EnglishDigest:  {"Furnizori <1>: 1 change", "Hello", "În lista"},
	} {
		b := newBook()
		b.digest.Language, b.latest = language, 1
		testkit.NoError(t, b.digests().SendDue(t.Context(), eight))

		m := b.mails["digest of wl_a on 2026-11-23"]
		for _, body := range []string{m.Text, m.HTML} {
			if m.Subject != c.subject || !strings.Contains(body, c.has) || strings.Contains(body, c.lacks) ||
				strings.HasSuffix(strings.TrimSpace(body), "--") || strings.HasSuffix(strings.TrimSpace(body), "<hr>") {
				t.Errorf("%s: %s\n%s", language, m.Subject, body)
			}
		}
	}
}

func TestDigestIsBounded(t *testing.T) {
	b := newBook()
	b.latest = 5_000
	testkit.NoError(t, b.digests().SendDue(t.Context(), eight))

	for _, m := range b.mails {
		if n := strings.Count(m.Text, "[low]"); n != digestSize ||
			!strings.Contains(m.Text, "Și încă 4900 de modificări") ||
			!strings.Contains(m.Text, "And 4900 changes more") {
			t.Errorf("%d changes in\n%s", n, m.Text[len(m.Text)-500:])
		}

		if len(m.Text)+len(m.HTML) > 100<<10 {
			t.Errorf("%d bytes", len(m.Text)+len(m.HTML))
		}
	}
}

func TestNoDigestIsSent(t *testing.T) {
	for name, change := range map[string]func(*digestBook){
		"when nothing has changed":        func(b *digestBook) { b.latest = 0 },
		"to an account without a user":    func(b *digestBook) { b.user = account.User{} },
		"to an address that is not known": func(b *digestBook) { b.user.EmailVerified = false },
	} {
		b := newBook()
		change(b)
		if err := b.digests().SendDue(t.Context(), eight); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(b.mails) != 0 || !b.digest.Due.Equal(eight.AddDate(0, 0, 1)) {
			t.Errorf("%s: %d mails, the next at %s", name, len(b.mails), b.digest.Due)
		}
	}
}

// The power fails before each write in turn, and new events arrive before it is back. Every event appears in exactly
// one mail.
func TestDigestsSurviveCrashes(t *testing.T) {
	for writes := range 4 {
		b := newBook()
		b.writes = writes
		err := b.digests().SendDue(t.Context(), eight)
		if (writes < 3) != errors.Is(err, errPower) {
			t.Errorf("%d writes: %v", writes, err)
		}

		b.writes, b.latest = -1, 7
		for day := range 3 {
			testkit.NoError(t, b.digests().SendDue(t.Context(), eight.AddDate(0, 0, day).Add(time.Hour)))
		}

		text := ""
		for _, m := range b.mails {
			text += m.Text
		}

		for n := 1; n <= 7; n++ { // in two languages
			if times := strings.Count(text, fmt.Sprintf("EXEMPLU %d SRL", n)); times != 2 {
				t.Errorf("after %d writes, event %d appears %d times", writes, n, times)
			}
		}
	}
}

func TestRomanianCounts(t *testing.T) {
	for n, want := range map[int]string{1: "o modificare", 2: "2 modificări", 19: "19 modificări",
		20: "20 de modificări", 101: "101 modificări", 100: "100 de modificări"} {
		if got := romanian.Count(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}

	for _, w := range []*words{romanian, english} {
		for _, k := range monitoring.EventKinds {
			if kindTexts[k][w.texts] == "" {
				t.Errorf("%s has no word for %s", w.Lang, k)
			}
		}
	}
}

// A digest whose kind was changed also covers older events, and names their first day.
func TestDigestBeginsWithItsOldestEvent(t *testing.T) {
	b := newBook()
	b.events = func(int64, int64) []monitoring.Event {
		e := vatEvent(3, monitoring.Low, monitoring.VATRegistered)
		e.Timestamp = eight.AddDate(0, 0, -5)
		return []monitoring.Event{e}
	}
	testkit.NoError(t, b.digests().SendDue(t.Context(), eight))
	if m := b.mails["digest of wl_a on 2026-11-23"]; !strings.Contains(m.Text,
		"between 2026-11-18 and 2026-11-23: 1 change") {
		t.Errorf("the mail says\n%s", m.Text)
	}
}

func TestNextDigest(t *testing.T) {
	for _, c := range []struct {
		name        string
		kind        monitoring.Digest
		after, want string
	}{
		{"before eight", monitoring.DailyDigest, "2026-11-22T05:59:59Z", "2026-11-22T06:00:00Z"},
		{"at eight", monitoring.DailyDigest, "2026-11-22T06:00:00Z", "2026-11-23T06:00:00Z"},
		{"the day with 23 hours", monitoring.DailyDigest, "2026-03-28T06:00:00Z", "2026-03-29T05:00:00Z"},
		{"the day with 25 hours", monitoring.DailyDigest, "2026-10-24T05:00:00Z", "2026-10-25T06:00:00Z"},
		{"late in the evening, when it is tomorrow in Bucharest", monitoring.DailyDigest, "2026-11-22T23:00:00Z",
			"2026-11-23T06:00:00Z"},
		{"the end of a year", monitoring.DailyDigest, "2026-12-31T12:00:00Z", "2027-01-01T06:00:00Z"},
		{"a Sunday", monitoring.WeeklyDigest, "2026-11-22T12:00:00Z", "2026-11-23T06:00:00Z"},
		{"a Monday at eight", monitoring.WeeklyDigest, "2026-11-23T06:00:00Z", "2026-11-30T06:00:00Z"},
		{"across the change of the clock", monitoring.WeeklyDigest, "2026-10-19T05:00:00Z", "2026-10-26T06:00:00Z"},
	} {
		after, _ := time.Parse(time.RFC3339, c.after)
		got := nextDigest(c.kind, after)
		if got.UTC().Format(time.RFC3339) != c.want {
			t.Errorf("%s: %s", c.name, got.UTC())
		}
		if again := nextDigest(c.kind, digestStart(c.kind, got)); !again.Equal(got) {
			t.Errorf("%s: the digest after the one before is %s", c.name, again)
		}
	}

	if at := nextDigest(monitoring.NoDigest, time.Now()); !at.IsZero() {
		t.Errorf("a digest of no kind is due at %s", at)
	}
}
