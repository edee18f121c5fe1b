package mail

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

var secret = []byte("a secret for tests")

// memoryStore is a Store in memory.
type memoryStore struct {
	mu        sync.Mutex
	mails     map[string]*shelved
	inquiries []account.Inquiry
	failure   error
	forgotten int // times
}

type shelved struct {
	Entry
	due  time.Time
	done bool
}

func newShelf() *memoryStore { return &memoryStore{mails: make(map[string]*shelved)} }

func (s *memoryStore) AddMail(_ context.Context, m Entry, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil && s.mails[m.ID] == nil {
		s.mails[m.ID] = &shelved{Entry: m, due: now}
	}

	return s.failure
}

func (s *memoryStore) NextMail(context.Context) (next time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.mails {
		if !m.done && (next.IsZero() || m.due.Before(next)) {
			next = m.due
		}
	}

	return next, s.failure
}

func (s *memoryStore) ClaimMails(_ context.Context, now, lease time.Time, limit int) (claimed []Entry, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return nil, s.failure
	}

	var due []*shelved
	for _, m := range s.mails {
		if !m.done && !m.due.After(now) {
			due = append(due, m)
		}
	}

	slices.SortFunc(due, func(a, b *shelved) int { return cmp.Or(a.due.Compare(b.due), strings.Compare(a.ID, b.ID)) })
	for _, m := range due[:min(limit, len(due))] {
		m.due, m.Lease = lease, lease
		m.Tries++
		claimed = append(claimed, m.Entry)
	}

	return claimed, nil
}

func (s *memoryStore) SettleMail(ctx context.Context, m Entry, due, _ time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil || ctx.Err() != nil {
		return errors.Join(s.failure, ctx.Err())
	}
	if kept := s.mails[m.ID]; kept.due.Equal(m.Lease) {
		kept.Tries, kept.due, kept.done = m.Tries, due, due.IsZero()
	}

	return nil
}

func (s *memoryStore) AddInquiry(ctx context.Context, q account.Inquiry, notice *Entry) error {
	if s.failure != nil {
		return s.failure
	}

	s.inquiries = append(s.inquiries, q)
	if notice != nil {
		return s.AddMail(ctx, *notice, q.ReceivedAt)
	}

	return nil
}

func (s *memoryStore) ForgetMail(context.Context, time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgotten++
	return nil
}

func (s *memoryStore) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = err
}

// recordingTransport is a transport that records its mails, and when they were sent.
type recordingTransport struct {
	mu          sync.Mutex
	began       time.Time
	carried     []string
	connections int
	refuse      func(Message) error // nil carries all
	away        error               // fails to connect
}

func (p *recordingTransport) connect(context.Context) (connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connections++
	if p.away != nil {
		return nil, p.away
	}

	return p, nil
}

func (p *recordingTransport) send(m Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.carried = append(p.carried, fmt.Sprintf("%s %s", m.ID, time.Since(p.began)))
	if p.refuse != nil {
		return p.refuse(m)
	}

	return nil
}

func (*recordingTransport) close() {}

func (p *recordingTransport) expect(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	testkit.Equal(t, p.carried, want, "carried")

	p.carried = nil
}

// log collects log lines.
type log struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.String()
}

func opened(t *testing.T, s Store, p transport) (*Outbox, *log) {
	t.Helper()
	l := new(log)
	return open(Options{Store: s, Secret: secret, Logger: slog.New(slog.NewTextHandler(l, nil))}, p), l
}

func send(t *testing.T, o *Outbox, ids ...string) {
	t.Helper()
	for _, id := range ids {
		m := greeting
		m.ID = id
		testkit.NoError(t, o.Send(t.Context(), m))
	}
}

func TestMailsAreSentAtOnceAndOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newShelf(), &recordingTransport{began: time.Now()}
		o, _ := opened(t, s, p)
		defer o.Close()
		send(t, o, "a")
		p.expect(t, "a 0s")
		send(t, o, "a", "b")
		p.expect(t, "b 0s")
		<-time.After(24 * time.Hour)
		p.expect(t)
	})
}

func TestScheduleOfTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &recordingTransport{began: time.Now(), refuse: func(Message) error { return errors.New("not now") }}
		o, l := opened(t, newShelf(), p)
		defer o.Close()
		send(t, o, "a")
		<-time.After(30 * 24 * time.Hour)
		p.expect(t, "a 0s", "a 1m0s", "a 6m0s", "a 36m0s", "a 2h36m0s", "a 14h36m0s")
		testkit.Equal(t,
			strings.Count(l.String(), `level=ERROR msg="giving up on a mail" id=a tries=6 error="not now"`), 1,
			"log lines about giving up in %s", l)
	})
}

func TestRejectedMailIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &recordingTransport{began: time.Now(), refuse: func(m Message) error {
			if m.ID == "a" {
				return fmt.Errorf("%w: 550", errRejected)
			}
			return nil
		}}
		o, l := opened(t, newShelf(), p)
		defer o.Close()
		send(t, o, "a", "b")
		<-time.After(30 * 24 * time.Hour)
		p.expect(t, "a 0s", "b 0s")
		testkit.Contains(t, l.String(), "giving up on a mail", "the log")
	})
}

func TestMailsShareOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newShelf(), &recordingTransport{began: time.Now(), away: errors.New("nobody is there")}
		o, _ := opened(t, s, p)
		defer o.Close()
		for i := range batch {
			send(t, o, fmt.Sprint("mail-", i))
		}

		<-time.After(30 * time.Second)
		p.mu.Lock()
		p.away, p.connections = nil, 0
		p.mu.Unlock()
		<-time.After(time.Minute)
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.carried) != batch || p.connections != 1 {
			t.Errorf("%d mails went over %d connections, want %d over 1", len(p.carried), p.connections, batch)
		}
	})
}

// A server may close a connection after some mails; that is not a failed attempt.
func TestClosedConnectionIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		carried := 0
		p := &recordingTransport{began: time.Now()}
		p.refuse = func(Message) error {
			if carried++; carried%2 == 0 {
				return errDisconnected
			}
			return nil
		}
		s := newShelf()
		for _, id := range []string{"a", "b", "c"} {
			o := Outbox{sealer: account.NewSealer(secret, "rodata outbox")}
			m := greeting
			m.ID = id
			s.AddMail(t.Context(), testkit.Must(o.prepare(m)), time.Now())
		}

		o, _ := opened(t, s, p)
		defer o.Close()
		p.expect(t, "a 0s", "b 0s", "b 0s", "c 0s", "c 0s")
	})
}

func TestUnreadableMailIsSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newShelf(), &recordingTransport{began: time.Now()}
		s.AddMail(t.Context(), Entry{ID: "0", Content: []byte("of another secret")}, time.Now())
		s.AddMail(t.Context(), Entry{ID: "1"}, time.Now())
		o, l := opened(t, s, p)
		defer o.Close()
		send(t, o, "a")
		p.expect(t, "a 0s")
		testkit.Contains(t, l.String(), "RODATA_SECRET", "the log")
	})
}

func TestPanicIsAFailedAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &recordingTransport{began: time.Now()}
		p.refuse = func(Message) error {
			if time.Since(p.began) == 0 {
				panic("a mistake")
			}
			return nil
		}
		o, _ := opened(t, newShelf(), p)
		defer o.Close()
		send(t, o, "a")
		<-time.After(time.Hour)
		p.expect(t, "a 0s", "a 1m0s")
	})
}

func TestUnavailableStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newShelf(), &recordingTransport{began: time.Now()}
		o, _ := opened(t, s, p)
		defer o.Close()
		away := errors.New("the disk is full")
		s.fail(away)
		m := greeting
		testkit.ErrorIs(t, o.Send(t.Context(), m), away)

		s.fail(nil)
		s.AddMail(t.Context(), testkit.Must(o.prepare(m)), time.Now()) // by another process, which has ended since
		s.fail(away)
		<-time.After(150 * time.Second)
		p.expect(t)
		s.fail(nil)
		<-time.After(time.Minute)
		p.expect(t, greeting.ID+" 3m0s")
	})
}

func TestCloseLeavesTheRestToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newShelf(), &recordingTransport{began: time.Now()}
		p.refuse = func(m Message) error { // the server is slow
			<-time.After(3 * time.Second)
			return nil
		}
		first := Outbox{sealer: account.NewSealer(secret, "rodata outbox")}
		for _, id := range []string{"a", "b"} {
			m := greeting
			m.ID = id
			s.AddMail(t.Context(), testkit.Must(first.prepare(m)), time.Now())
		}

		o, _ := opened(t, s, p)
		<-time.After(time.Second)
		testkit.NoError(t, o.Close())
		testkit.Equal(t, time.Since(p.began), 3*time.Second, "the end of closing")

		p.expect(t, "a 0s")
		if left := s.mails["b"]; left.Tries != 0 || left.due.After(time.Now()) {
			t.Errorf("the unsent mails left in the store are %+v", left)
		}

		o, _ = opened(t, s, p)
		defer o.Close()
		<-time.After(time.Minute)
		p.expect(t, "b 3s")
		testkit.NoError(t, o.Close())
	})
}

func TestCloseDoesNotWaitForAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, _ := opened(t, newShelf(), deadTransport{})
		send(t, o, "a")
		synctest.Wait()
		began := time.Now()
		o.Close()
		testkit.Equal(t, time.Since(began), 5*time.Second, "closing took")
	})
}

// deadTransport is a transport that never connects.
type deadTransport struct{}

func (deadTransport) connect(ctx context.Context) (connection, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Stored mails are unreadable, and swapping their contents is detected.
func TestMailsAreStoredUnreadable(t *testing.T) {
	s := account.NewSealer(secret, "rodata outbox")
	content := testkit.Must(s.SealJSON(greeting.ID, greeting))
	if bytes.Contains(content, []byte("example")) {
		t.Errorf("the stored content is readable: %q", content)
	}

	var m Message
	if err := s.OpenJSON(greeting.ID, content, &m); err != nil || m != greeting {
		t.Errorf("got %+v, %v", m, err)
	}
	if err := s.OpenJSON("greeting-2", content, &m); err == nil {
		t.Error("the content can be decrypted under another ID")
	}
	if err := account.NewSealer([]byte("another secret"), "rodata outbox").OpenJSON(greeting.ID, content,
		&m); err == nil {
		t.Error("the content can be decrypted with another secret")
	}
	if bytes.Equal(content, testkit.Must(s.SealJSON(greeting.ID, greeting))) {
		t.Error("encrypting a mail twice gives the same content")
	}
}

func TestWithoutAMailServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(log)
		s := newShelf()
		options := Options{Store: s, Secret: secret, Logger: slog.New(slog.NewTextHandler(l, nil))}
		o := testkit.Must(Open(options))
		for name, box := range map[string]*Outbox{"one without a server": o, "none": nil} {
			if err := box.Send(t.Context(), greeting); err != ErrNoMail || box.Enabled() {
				t.Errorf("%s: got %v, enabled: %v", name, err, box.Enabled())
			}
		}

		<-time.After(90 * time.Minute)
		synctest.Wait()
		testkit.Equal(t, s.forgotten, 2, "deletions of old mails in 90 minutes")

		o.Close()
		if strings.Contains(l.String(), "Text") || len(s.mails) != 0 {
			t.Errorf("mails were stored: %v\n%s", s.mails, l)
		}

		options.Print = PrintTo(options.Logger)
		o = testkit.Must(Open(options))
		defer o.Close()
		if err := o.Send(t.Context(), greeting); err != nil || !o.Enabled() {
			t.Errorf("got %v, enabled: %v", err, o.Enabled())
		}

		synctest.Wait()
		testkit.Contains(t, l.String(), "Prima linie", "the log")
	})
}

func TestMailServerNeedsSender(t *testing.T) {
	testkit.ErrorSays(t, testkit.Err(Open(Options{Server: testkit.Must(ParseServer("smtp://127.0.0.1")),
		Store:  newShelf(),
		Secret: secret})), "RODATA_MAIL_FROM")
}
