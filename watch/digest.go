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
	"github.com/rodata/rodata/api"
)

// Digest is a mail about what happened in a watch-list since the one before.
type Digest struct {
	// List is the watch-list's ordinal, ID its id.
	List              int64
	ID, Account, Name string
	// Kind is Daily or Weekly.
	Kind string
	// Due is when it was to be sent.
	Due time.Time
	// From is the time from which it tells, as its mail says. Which events it tells is decided by their numbers alone.
	From time.Time
	// After and Until are numbers of events: it tells of those after the first, up to the second.
	After, Until int64
}

// mailID is the same for every try, so that a mail that is in the outbox is not added again.
func (d *Digest) mailID() string {
	return "digest of " + d.ID + " on " + d.Due.In(api.Bucharest).Format(time.DateOnly)
}

// DigestStore keeps when digests are due, and what they have told.
type DigestStore interface {
	// DueDigests are those that are due at a time, the oldest first, at most as many as the limit says.
	DueDigests(ctx context.Context, now time.Time, limit int) ([]Digest, error)
	// BeginDigest decides up to which event a digest tells, unless that was decided already, and sets Until. It reports
	// false for a digest that is not due any more.
	BeginDigest(ctx context.Context, d *Digest) (bool, error)
	// DigestEvents returns events of a digest, the gravest kinds first, at most as many as the limit says, and how many
	// there are.
	DigestEvents(ctx context.Context, d Digest, limit int) ([]api.Event, int, error)
	// EndDigest records that it was sent, and when the next one is due.
	EndDigest(ctx context.Context, d Digest, next time.Time) error
}

// Digests sends them. A digest goes through three steps, each of which can be repeated after a crash:
//
//  1. BeginDigest stores the number of the event up to which it tells, so that a second try tells the same.
//  2. Its mail is put into the outbox under an id made of the watch-list and the day: a second one is not added.
//  3. EndDigest sets when the next one is due, and that this one's events have been told.
//
// So each event is told once, in one mail, whatever happens between the steps, and by whichever edge.
type Digests struct {
	Store DigestStore
	// Users finds the user of an account; account.ErrNoUser for none.
	Users func(ctx context.Context, account string) (account.User, error)
	// Send puts a mail into the outbox.
	Send func(context.Context, mail.Message) error
	// Site is the address of the pages, without a final slash.
	Site string
	Log  *slog.Logger
}

const (
	// digestPause is how often due digests are looked for.
	digestPause = time.Minute
	// digestBatch is how many are read at once.
	digestBatch = 100
	// digestRead is how many events are read for a digest, which shows the first digestSize of them, the gravest.
	digestRead, digestSize = 1000, 100
)

// Run sends digests until the context ends.
func (d *Digests) Run(ctx context.Context) {
	tick := time.NewTicker(digestPause)
	defer tick.Stop()
	for {
		if err := d.SendDue(ctx, time.Now()); err != nil && ctx.Err() == nil {
			d.Log.Error("digests cannot be sent; the next try is in a minute", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
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
		if at := events[i].Timestamp; at.Before(one.From) { // the digest before was of another kind, or not sent
			one.From = at
		}
	}
	if total > 0 {
		if err := d.post(ctx, &one, events, total); err != nil {
			return err
		}
	}
	return d.Store.EndDigest(ctx, one, NextDigest(one.Kind, now))
}

// post puts the mail into the outbox. Only an address that was proven gets mail; without one, the events are in the
// feed and the dashboard.
func (d *Digests) post(ctx context.Context, one *Digest, events []api.Event, total int) error {
	u, err := d.Users(ctx, one.Account)
	if errors.Is(err, account.ErrNoUser) || err == nil && !u.EmailVerified {
		return nil
	}
	if err != nil {
		return err
	}

	m, err := one.message(d.Site, gravestFirst(events), total)
	if err != nil {
		return err
	}
	m.To, m.ID = u.Email, one.mailID()
	return d.Send(ctx, m)
}

// gravestFirst sorts events by severity and then by time, the newest first, and keeps those that a digest shows.
func gravestFirst(events []api.Event) []api.Event {
	slices.SortStableFunc(events, func(a, b api.Event) int {
		return cmp.Or(cmp.Compare(slices.Index(severities, b.Data.Severity), slices.Index(severities, a.Data.Severity)),
			cmp.Compare(b.Cursor.Number, a.Cursor.Number))
	})
	return events[:min(len(events), digestSize)]
}
