package watch

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/rodata/rodata/api/monitoring"
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

func (s *Lists) newList(account string, settings monitoring.WatchlistChange) List {
	l := List{
		ID: "wl_" + strings.ToLower(rand.Text()), Account: account, Name: defaultName, Events: monitoring.DefaultEvents,
		Digest: monitoring.NoDigest, Language: monitoring.BothLanguages, Every: monitoring.EveryDay,
		CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
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
