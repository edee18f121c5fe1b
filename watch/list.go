package watch

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// List is a stored watch-list.
type List struct {
	// Ordinal is its sequence number among all watch-lists.
	Ordinal int64
	ID      string
	Account string
	Name    string
	Events  monitoring.EventSet
	Digest  monitoring.Digest
	// Language is the language of its digests.
	Language monitoring.DigestLanguage
	// DigestAt is the time of the next digest. It is zero if no digest is due.
	DigestAt time.Time
	Every    monitoring.Every
	// FeedHash is the stored form of the secret that opens its feeds. FeedToken is the secret itself, which is known
	// only to the call that made it.
	FeedHash, FeedToken string
	// FeedKey is the id of the key to which the secret was shown. It is empty for a browser, and for no one.
	FeedKey   string
	CreatedAt time.Time
	// Companies is the number of companies in it.
	Companies int
	// Unpaid is the month that could not be paid. It is 0 if nothing is owed.
	Unpaid Month
}

// defaultName is the name of the watch-list that is created with an account's first company.
const defaultName = "Default"

func (s *Lists) newList(ctx context.Context, owner string, settings monitoring.WatchlistChange) List {
	now, digest := time.Now(), monitoring.WeeklyDigest
	if s.Users != nil && settings.Digest == "" {
		if _, err := s.Users(ctx, owner); errors.Is(err, account.ErrNoUser) { // there is no address
			digest = monitoring.NoDigest
		}
	}

	l := List{
		ID: "wl_" + strings.ToLower(rand.Text()), Account: owner, Name: defaultName, Events: monitoring.DefaultEvents,
		Digest: digest, DigestAt: nextDigest(digest, now), Language: monitoring.BothLanguages,
		Every: monitoring.EveryDay, CreatedAt: now.UTC().Truncate(time.Millisecond),
	}
	l.apply(settings)
	s.openFeeds(&l, settings.Key)
	return l
}

// feedTokenPrefix distinguishes the secret of a watch-list's feeds from its id.
const feedTokenPrefix = "wlf_"

// openFeeds gives the feeds of a watch-list a new secret, which is shown to the holder of a key.
func (s *Lists) openFeeds(l *List, key string) {
	l.FeedKey = key
	l.FeedToken = feedTokenPrefix + strings.ToLower(rand.Text())
	l.FeedHash = s.Hash(l.FeedToken)
}

// apply applies the given settings.
func (l *List) apply(c monitoring.WatchlistChange) {
	l.Name = cmp.Or(c.Name, l.Name)
	if len(c.Events) > 0 {
		l.Events = monitoring.SetOf(c.Events...)
	}
	if c.Digest != "" && c.Digest != l.Digest {
		l.Digest = c.Digest
		l.DigestAt = nextDigest(c.Digest, time.Now())
	}

	l.Language = cmp.Or(c.Language, l.Language)
	l.Every = cmp.Or(c.Every, l.Every)
}

// toAPI returns the watch-list in the form of the API.
func (l *List) toAPI() *monitoring.Watchlist {
	w := &monitoring.Watchlist{
		ID: l.ID, Name: l.Name, Events: l.Events.Kinds(), Digest: l.Digest, Language: l.Language, Every: l.Every,
		Companies: l.Companies, Feeds: monitoring.FeedsOf(cmp.Or(l.FeedToken, l.ID)), CreatedAt: l.CreatedAt,
	}
	if l.isUnpaid() {
		w.Unpaid = new(fmt.Sprintf("%d-%02d", l.Unpaid/100, l.Unpaid%100))
	}
	return w
}

// isUnpaid reports whether the current month could not be paid.
func (l *List) isUnpaid() bool { return l.Unpaid != 0 && l.Unpaid >= MonthOf(time.Now()) }

// Month is a calendar month in UTC, for which watched companies are paid: 202611 is November 2026.
type Month int

// MonthOf returns the month of a time.
func MonthOf(at time.Time) Month {
	year, month, _ := at.UTC().Date()
	return Month(year*100 + int(month))
}

// Lists are the watch-lists of accounts. It implements monitoring.Watchlists.
type Lists struct {
	Store  ListStore
	Limits monitoring.WatchLimits
	// Hash returns the stored form of the secret of a feed.
	Hash func(secret string) string
	// Stored returns the stored profile of a company, without a request to a registry; nil if there is none. If Stored
	// itself is nil, as by default, lists show no profiles.
	Stored func(ro.CUI) *company.Company
	// Users returns the user of an account. It returns account.ErrNoUser if there is none; new lists of such an account
	// have no digest by default. If Users itself is nil, every account counts as having a user.
	Users func(ctx context.Context, account string) (account.User, error)
	// Sooner is subtracted from the intervals of watch-lists, as in the sandbox. Default 0.
	Sooner time.Duration
	Log    *slog.Logger
}

// ListStore keeps watch-lists. store.DB implements it and documents its methods.
type ListStore interface {
	AddList(ctx context.Context, l List, most int) (List, error)
	Lists(ctx context.Context, account string) ([]List, error)
	List(ctx context.Context, account string, id monitoring.WatchlistID) (List, error)
	ChangeList(ctx context.Context, account string, id monitoring.WatchlistID, change func(*List)) (List, error)
	DeleteList(ctx context.Context, account string, id monitoring.WatchlistID) error

	Compare(ctx context.Context, l *List, order monitoring.WatchOrder) (Difference, error)
	Watch(ctx context.Context, l *List, order monitoring.WatchOrder, most int, now time.Time) (Difference, error)
	Unwatch(ctx context.Context, l *List, company ro.CUI) error
	Watched(ctx context.Context, l *List, limit, offset int) ([]Company, error)

	MarkPaid(ctx context.Context, account string, companies []ro.CUI, month Month,
		agree func(due int) error) ([]ro.CUI, error)
	Unpay(ctx context.Context, account string, companies []ro.CUI, month Month) error
}

// Difference is the effect of an order on a watch-list.
type Difference struct {
	// Changes are the effects on the order's companies, in the order's sequence.
	Changes        []monitoring.WatchChange
	Added, Removed []ro.CUI
}

// CreateWatchlist implements monitoring.Watchlists.
func (s *Lists) CreateWatchlist(ctx context.Context, account string,
	settings monitoring.WatchlistChange) (*monitoring.Watchlist, error) {
	l, err := s.Store.AddList(ctx, s.newList(ctx, account, settings), s.Limits.WithDefaults().Lists)
	return l.toAPI(), err
}

// Watchlists implements monitoring.Watchlists.
func (s *Lists) Watchlists(ctx context.Context, account string) ([]monitoring.Watchlist, error) {
	lists, err := s.Store.Lists(ctx, account)
	all := make([]monitoring.Watchlist, len(lists))
	for i := range lists {
		all[i] = *lists[i].toAPI()
	}

	return all, err
}

// Watchlist implements monitoring.Watchlists.
func (s *Lists) Watchlist(ctx context.Context, account string, id monitoring.WatchlistID) (*monitoring.Watchlist,
	error) {
	l, err := s.Store.List(ctx, account, id)
	return l.toAPI(), err
}

// ChangeWatchlist implements monitoring.Watchlists.
func (s *Lists) ChangeWatchlist(ctx context.Context, account string, id monitoring.WatchlistID,
	c monitoring.WatchlistChange) (*monitoring.Watchlist, error) {
	if _, err := s.open(ctx, account, id); err != nil {
		return nil, err
	}

	l, err := s.Store.ChangeList(ctx, account, id, func(l *List) {
		if l.apply(c); c.RotateFeeds {
			s.openFeeds(l, c.Key)
		}
	})
	return l.toAPI(), err
}

// DeleteWatchlist implements monitoring.Watchlists.
func (s *Lists) DeleteWatchlist(ctx context.Context, account string, id monitoring.WatchlistID) error {
	return s.Store.DeleteList(ctx, account, id)
}

// open returns a watch-list. It creates the default one if there is none.
func (s *Lists) open(ctx context.Context, account string, id monitoring.WatchlistID) (List, error) {
	l, err := s.Store.List(ctx, account, id)
	if errors.Is(err, op.ErrUnknown) && id == monitoring.DefaultWatchlist {
		return s.Store.AddList(ctx, s.newList(ctx, account, monitoring.WatchlistChange{}), 0)
	}
	return l, err
}

// Watch implements monitoring.Watchlists. It marks companies whose month is not paid as paid, then charges for them,
// then watches them. A crash in between may give a month away, but never charges twice.
func (s *Lists) Watch(
	ctx context.Context, account string, id monitoring.WatchlistID, order monitoring.WatchOrder, payment op.Payment,
) (outcome monitoring.WatchOutcome, err error) {
	l, err := s.open(ctx, account, id)
	if err != nil {
		return outcome, err
	}

	diff, err := s.Store.Compare(ctx, &l, order)
	if err != nil {
		return outcome, err
	}

	most := s.Limits.WithDefaults().Companies
	if would := l.Companies + len(diff.Added) - len(diff.Removed); len(diff.Added) > 0 && would > most {
		return outcome, monitoring.TooManyWatched(would, most)
	}

	if err := s.pay(ctx, account, diff.Added, payment); err != nil {
		return outcome, err
	}

	// The companies are paid for, so the order is completed even if the caller disconnects.
	diff, err = s.Store.Watch(context.WithoutCancel(ctx), &l, order, most, time.Now())
	return monitoring.WatchOutcome{Changes: diff.Changes, Removed: len(diff.Removed)}, err
}

// pay charges for the companies whose month the account has not paid.
func (s *Lists) pay(ctx context.Context, account string, companies []ro.CUI, payment op.Payment) error {
	if len(companies) == 0 {
		return nil
	}

	month := MonthOf(time.Now())
	due, err := s.Store.MarkPaid(ctx, account, companies, month,
		func(due int) error { return payment.Reserve(ctx, due) })
	if err != nil || len(due) == 0 {
		return err
	}

	err = payment.Charge(ctx)
	switch {
	case errors.Is(err, metering.ErrUncertain):
		s.Log.Error("it is unknown whether watched companies were charged; they count as paid", "account", account,
			"companies", len(due), "error", err)
	case err != nil:
		if undo := s.Store.Unpay(context.WithoutCancel(ctx), account, due, month); undo != nil {
			return fmt.Errorf("%w; %w", err, undo)
		}
	}

	return err
}

// Unwatch implements monitoring.Watchlists.
func (s *Lists) Unwatch(ctx context.Context, account string, id monitoring.WatchlistID, company ro.CUI) error {
	l, err := s.Store.List(ctx, account, id)
	if errors.Is(err, op.ErrUnknown) && id == monitoring.DefaultWatchlist {
		return nil // the default list is created with its first company
	}
	if err != nil {
		return err
	}

	return s.Store.Unwatch(ctx, &l, company)
}
