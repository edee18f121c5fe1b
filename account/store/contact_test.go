package store

import (
	"errors"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/testkit"
)

func ask(t *testing.T, db *DB, from string, at time.Time) error {
	t.Helper()
	id := account.NewID()
	return db.AddInquiry(t.Context(), account.Inquiry{
		ID: id, Name: "Ana Exemplu", Email: "ana@example.ro", Text: "Bună ziua, știți?",
		Address: netip.MustParseAddr(from), ReceivedAt: at,
	}, &mail.Entry{ID: id, Content: []byte("x")})
}

// wantRefusal checks that an inquiry was refused for a time, by the limit of one sender or of all.
func wantRefusal(t *testing.T, err error, wait time.Duration, fromAll bool) {
	t.Helper()
	refused, ok := errors.AsType[*account.TooManyInquiries](err)
	if !ok || refused.RetryAfter != wait || refused.FromAll != fromAll {
		t.Errorf("got %v, want a refusal for %s", err, wait)
	}
}

func tally(t *testing.T, db *DB, query string) (n int) {
	t.Helper()
	testkit.NoError(t, db.Reader.QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

func TestInquiriesAreLimitedByAddress(t *testing.T) {
	for name, c := range map[string]struct{ first, same, other string }{
		"IPv4":     {"192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"},
		"IPv6 /64": {"2001:db8:0:1::1", "2001:db8:0:1:ffff::2", "2001:db8:0:2::1"},
	} {
		t.Run(name, func(t *testing.T) {
			forStores(t, func(t *testing.T, db *DB) {
				for i := range 5 {
					testkit.NoError(t, ask(t, db, c.first, noon.Add(time.Duration(i)*time.Minute)))
				}

				wantRefusal(t, ask(t, db, c.same, noon.Add(10*time.Minute)), 50*time.Minute, false)
				testkit.NoError(t, ask(t, db, c.other, noon.Add(10*time.Minute)), "another address")
				testkit.NoError(t, ask(t, db, c.same, noon.Add(time.Hour)), "after an hour")
				wantRefusal(t, ask(t, db, c.same, noon.Add(time.Hour)), time.Minute, false) // a sliding hour
				testkit.Equal(t, tally(t, db, `SELECT COUNT(*) FROM inquiries`), 7, "inquiries are stored")
				testkit.Equal(t, tally(t, db, `SELECT COUNT(*) FROM mails`), 7, "mails are stored")
			})
		})
	}
}

// The networks of one IPv6 site have a common limit; refused inquiries do not count.
func TestInquiriesAreLimitedByIPv6Site(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		for range 2 * inquiriesFromSite {
			err := ask(t, db, "2001:db8:1:ffff::1", noon)
			if _, refused := errors.AsType[*account.TooManyInquiries](err); err != nil && !refused {
				t.Fatal(err)
			}
		}

		for i := range inquiriesFromSite - inquiriesFromOne {
			if err := ask(t, db, "2001:db8:1:"+strconv.Itoa(i)+"::1", noon); err != nil {
				t.Fatalf("network %d: %v", i+1, err)
			}
		}

		wantRefusal(t, ask(t, db, "2001:db8:1:eeee::1", noon.Add(15*time.Minute)), 45*time.Minute, false)
		testkit.NoError(t, ask(t, db, "2001:db8:2::1", noon), "another site")
		testkit.NoError(t, db.ForgetMail(t.Context(), noon.Add(2*time.Hour)))
		testkit.Equal(t, tally(t, db, `SELECT COUNT(*) FROM inquiries WHERE network IS NOT NULL OR site IS NOT NULL`),
			0, "networks are still known")
	})
}

func TestInquiriesOfAll(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		for i := range 100 {
			testkit.NoError(t, ask(t, db, "192.0.2."+strconv.Itoa(i), noon))
		}

		wantRefusal(t, ask(t, db, "198.51.100.1", noon.Add(15*time.Minute)), 45*time.Minute, true)
	})
}

func TestInquiriesAtTheSameMoment(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		var taken atomic.Int32
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				refused := (*account.TooManyInquiries)(nil)
				switch err := ask(t, db, "192.0.2.1", noon); {
				case err == nil:
					taken.Add(1)
				case !errors.As(err, &refused):
					t.Error(err)
				}
			})
		}

		wg.Wait()
		testkit.Equal(t, taken.Load(), 5, "accepted inquiries")
	})
}

func TestInquiryAndMailStandTogether(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		testkit.NoError(t, ask(t, db, "192.0.2.1", noon))
		testkit.NoError(t, testkit.Err(db.Writer.ExecContext(t.Context(), `DROP TABLE mails`)))
		if err := ask(t, db, "192.0.2.1", noon); err == nil {
			t.Error("an inquiry was accepted without its mail")
		}
		testkit.Equal(t, tally(t, db, `SELECT COUNT(*) FROM inquiries`), 1, "inquiries are stored")
	})
}

func TestInquiriesAreForgotten(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		testkit.NoError(t, ask(t, db, "192.0.2.1", noon))

		for _, step := range []struct {
			name             string
			at               time.Time
			rows, withSource int
		}{
			{"within the hour", noon.Add(time.Hour), 1, 1},
			{"after the hour", noon.Add(time.Hour + 1e6), 1, 0},
			{"after 13 months", noon.AddDate(0, 13, 0), 1, 0},
			{"later", noon.AddDate(0, 13, 1), 0, 0},
		} {
			testkit.NoError(t, db.ForgetMail(t.Context(), step.at))
			testkit.Equal(t, tally(t, db, `SELECT COUNT(*) FROM inquiries`), step.rows, "%s inquiries", step.name)
			testkit.Equal(t, tally(t, db, `SELECT COUNT(network) FROM inquiries`), step.withSource,
				"%s inquiries have their sender's network", step.name)
		}
	})
}

// Inquiries are listed newest first, page by page.
func TestReadingInquiries(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		var ids []string // newest first
		for i := range 5 {
			testkit.NoError(t, ask(t, db, "192.0.2."+strconv.Itoa(i), noon.Add(time.Duration(i)*time.Minute)))
		}

		read := func(before string, limit int) (page []account.Inquiry) {
			t.Helper()
			page = testkit.Must(db.Inquiries(t.Context(), before, limit))

			for _, q := range page {
				ids = append(ids, q.ID)
			}

			return page
		}
		first := read("", 3)
		if len(first) != 3 || !first[0].ReceivedAt.Equal(noon.Add(4*time.Minute)) ||
			!first[2].ReceivedAt.Equal(noon.Add(2*time.Minute)) {
			t.Fatalf("got %+v", first)
		}
		if rest := read(first[2].ID, 3); len(rest) != 2 || !rest[1].ReceivedAt.Equal(noon) {
			t.Errorf("got %+v", rest)
		}
		testkit.Equal(t, len(read(ids[4], 3)), 0, "inquiries after the last")

		q, err := db.Inquiry(t.Context(), ids[1])
		if err != nil || q.ID != ids[1] || q.Name != "Ana Exemplu" || q.Email != "ana@example.ro" ||
			q.Text != "Bună ziua, știți?" || !q.ReceivedAt.Equal(noon.Add(3*time.Minute)) {
			t.Errorf("got %+v, %v", q, err)
		}
		testkit.ErrorIs(t, testkit.Err(db.Inquiry(t.Context(), account.NewID())), account.ErrNoInquiry,
			"an unknown one")
	})
}
