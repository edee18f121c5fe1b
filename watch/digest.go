package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/ro"
)

// Digest is a mail that summarizes a watch-list's events since the previous digest.
type Digest struct {
	// List is the watch-list's ordinal, ID its id.
	List              int64
	ID, Account, Name string
	// Kind is monitoring.DailyDigest or monitoring.WeeklyDigest.
	Kind monitoring.Digest
	// Language is the language in which it is written.
	Language monitoring.DigestLanguage
	// Due is the time at which it should be sent.
	Due time.Time
	// From is the start of the period that the mail names. After and Until, not From, select the events.
	From time.Time
	// After and Until are event numbers. The digest covers the events after the first, up to and including the second.
	After, Until int64
}

// mailID returns the same id for every attempt, so that a mail already in the outbox is not added again.
func (d *Digest) mailID() string {
	return "digest of " + d.ID + " on " + d.Due.In(ro.Bucharest).Format(time.DateOnly)
}

// DigestStore keeps the due times of digests and the events that they have covered.
type DigestStore interface {
	// DueDigests returns the digests that are due at a time, the oldest first, at most limit.
	DueDigests(ctx context.Context, now time.Time, limit int) ([]Digest, error)
	// BeginDigest fixes the last event that a digest covers, unless an earlier attempt has, and sets Until. It reports
	// false if the digest is no longer due.
	BeginDigest(ctx context.Context, d *Digest) (bool, error)
	// DigestEvents returns the events of a digest, the most severe kinds first, at most limit, and their total number.
	DigestEvents(ctx context.Context, d Digest, limit int) ([]monitoring.Event, int, error)
	// EndDigest records that a digest was sent and when the next one is due.
	EndDigest(ctx context.Context, d Digest, next time.Time) error
}

// Digests sends digests. Each goes through three steps, and every step can be repeated after a crash:
//
//  1. BeginDigest stores the number of the last event covered, so that a retry covers the same events.
//  2. The mail is added to the outbox under an id made of the watch-list and the day: a retry does not add it again.
//  3. EndDigest marks the events as covered, and sets when the next digest is due.
//
// So each event appears in exactly one mail, wherever a crash happens and whichever edge continues.
type Digests struct {
	Store DigestStore
	// Users returns the user of an account. It returns account.ErrNoUser if there is none.
	Users func(ctx context.Context, account string) (account.User, error)
	// Send adds a mail to the outbox.
	Send func(context.Context, mail.Message) error
	// Site is the address of the pages, without a trailing slash. Without it, digests have no links.
	Site string
	// Unsubscribe is the path of the page that ends the digests of a list.
	Unsubscribe string
	// Hash returns a keyed hash, which signs the links to that page.
	Hash func(string) string
	Log  *slog.Logger
}

const (
	// digestInterval is the time between two checks for due digests.
	digestInterval = time.Minute
	// digestBatch is the maximum number of due digests read at once.
	digestBatch = 100
	// digestRead is the maximum number of events read for a digest, which shows the digestSize most severe ones.
	digestRead, digestSize = 1000, 100
)

// Run sends digests until the context ends.
func (d *Digests) Run(ctx context.Context) {
	work.Repeat(ctx, nil, func(ctx context.Context) time.Duration {
		if err := d.SendDue(ctx, time.Now()); err != nil && ctx.Err() == nil {
			d.Log.Error("sending digests failed; retrying in a minute", "error", err)
		}
		return digestInterval
	})
}

// SendDue sends the digests that are due.
func (d *Digests) SendDue(ctx context.Context, now time.Time) error {
	for {
		due, err := d.Store.DueDigests(ctx, now, digestBatch)
		if err != nil {
			return err
		}

		var failed []error
		for _, one := range due {
			if err := d.send(ctx, one, now); err != nil {
				failed = append(failed, fmt.Errorf("watch-list %s: %w", one.ID, err))
			}
		}

		if failed != nil || len(due) < digestBatch {
			return errors.Join(failed...)
		}
	}
}

func (d *Digests) send(ctx context.Context, one Digest, now time.Time) error {
	one.From = digestStart(one.Kind, one.Due)
	if begun, err := d.Store.BeginDigest(ctx, &one); err != nil || !begun {
		return err
	}

	events, total, err := d.Store.DigestEvents(ctx, one, digestRead)
	if err != nil {
		return err
	}

	for i := range events {
		if at := events[i].Timestamp; at.Before(one.From) { // the previous digest was of another kind, or was not sent
			one.From = at
		}
	}

	if total > 0 {
		if err := d.enqueue(ctx, &one, events, total); err != nil {
			return err
		}
	}

	return d.Store.EndDigest(ctx, one, nextDigest(one.Kind, now))
}

// enqueue adds the mail to the outbox. Only verified addresses get mail; other users find the events in the feed and in
// the dashboard.
func (d *Digests) enqueue(ctx context.Context, one *Digest, events []monitoring.Event, total int) error {
	u, err := d.Users(ctx, one.Account)
	if errors.Is(err, account.ErrNoUser) || err == nil && !u.EmailVerified {
		return nil
	}
	if err != nil {
		return err
	}

	unsubscribe := ""
	if d.Site != "" {
		unsubscribe = d.Site + d.Unsubscribe + "?token=" + digestToken(d.Hash, one.ID)
	}

	m, err := one.message(d.Site, unsubscribe, mostSevere(events), total)
	if err != nil {
		return err
	}

	m.To, m.ID = u.Email, one.mailID()
	return d.Send(ctx, m)
}

// mostSevere returns the events that a digest shows: the most severe first, and the newest first among equals.
func mostSevere(events []monitoring.Event) []monitoring.Event {
	slices.SortStableFunc(events, func(a, b monitoring.Event) int {
		return cmp.Or(cmp.Compare(slices.Index(severities, b.Data.Severity), slices.Index(severities, a.Data.Severity)),
			cmp.Compare(b.Cursor.Number, a.Cursor.Number))
	})
	return events[:min(len(events), digestSize)]
}

// digestHour is the hour, in Bucharest, at which digests are sent; weekly ones are sent on Mondays.
const digestHour = 8

// nextDigest returns the next time after a given one at which a digest of a kind is due. It is zero for
// monitoring.NoDigest.
func nextDigest(kind monitoring.Digest, after time.Time) time.Time {
	if kind == monitoring.NoDigest {
		return time.Time{}
	}

	year, month, day := after.In(ro.Bucharest).Date()
	for ; ; day++ { // a day has 23 to 25 hours
		due := time.Date(year, month, day, digestHour, 0, 0, 0, ro.Bucharest)
		if due.After(after) && (kind == monitoring.DailyDigest || due.Weekday() == time.Monday) {
			return due
		}
	}
}

// digestStart returns the start of the period that a digest covers: the time at which the previous one was due.
func digestStart(kind monitoring.Digest, due time.Time) time.Time {
	days := 1
	if kind == monitoring.WeeklyDigest {
		days = 7
	}
	return due.In(ro.Bucharest).AddDate(0, 0, -days)
}
