package monitoring

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Watchlists keeps the watch-lists of accounts. The error for a watch-list that the account does not have is
// ErrUnknown; a change beyond a limit fails with its problem.
type Watchlists interface {
	// CreateWatchlist creates a watch-list.
	CreateWatchlist(ctx context.Context, account string, settings WatchlistChange) (*Watchlist, error)
	// Watchlists returns the watch-lists of an account, the oldest first, never nil.
	Watchlists(ctx context.Context, account string) ([]Watchlist, error)
	// Watchlist returns one watch-list.
	Watchlist(ctx context.Context, account string, id WatchlistID) (*Watchlist, error)
	// ChangeWatchlist applies the settings that are not nil. It creates the default watch-list if there is none.
	ChangeWatchlist(ctx context.Context, account string, id WatchlistID, change WatchlistChange) (*Watchlist, error)
	// DeleteWatchlist deletes a watch-list with its companies and its events.
	DeleteWatchlist(ctx context.Context, account string, id WatchlistID) error

	// Watch adds companies to a watch-list, or replaces its companies. It charges for each company that the account
	// has not paid for in this month. It creates the default watch-list if there is none. If it fails, nothing changes.
	Watch(ctx context.Context, account string, id WatchlistID, order WatchOrder, payment op.Payment) (WatchOutcome,
		error)
	// Unwatch removes a company. Removing a company that is not in the watch-list succeeds.
	Unwatch(ctx context.Context, account string, id WatchlistID, company ro.CUI) error
	// Watched returns a page of the companies of a watch-list, sorted by tax id. With problemsFirst, companies with
	// problems come first and are counted, if the list has at most MostSorted companies.
	Watched(ctx context.Context, account string, id WatchlistID, limit, offset int,
		problemsFirst bool) (WatchedPage, error)
}

// WatchOrder is an order to watch companies.
type WatchOrder struct {
	// Companies are distinct.
	Companies []WatchedReference
	// Replace removes all other companies.
	Replace bool
}

// WatchedReference is a company with the account's reference; an empty one keeps the stored reference.
type WatchedReference struct {
	Company   ro.CUI
	Reference string
}

// WatchOutcome is the outcome of an order.
type WatchOutcome struct {
	// Changes are the changes to the order's companies, in the order's sequence.
	Changes []WatchChange
	Removed int
}

// WatchChange is the effect of an order on one company.
type WatchChange string

// The changes.
const (
	WatchAdded     WatchChange = "added"
	WatchUpdated   WatchChange = "updated" // only its reference changed
	WatchUnchanged WatchChange = "unchanged"
)

// Schema lists the changes.
func (WatchChange) Schema() jsonschema.Schema {
	return jsonschema.Enum(WatchAdded, WatchUpdated, WatchUnchanged)
}

// TooManyWatchlists is the problem of an account that has reached its maximum number of watch-lists.
func TooManyWatchlists(most int) *problem.Problem {
	return op.Malformed(problem.TooMany,
		"the account has %d watch-lists, the maximum; use one of them, or delete one (DELETE /v1/watchlists/{id})",
		fmt.Sprintf("at most %d watch-lists per account", most), most)
}

// TooManyWatched is the problem of a watch-list that would have more companies than the maximum.
func TooManyWatched(would, most int) *problem.Problem {
	return op.Malformed(problem.TooMany,
		"the watch-list would have %d companies, more than the maximum of %d; nothing was changed or charged. "+
			"Remove some, or use another watch-list",
		fmt.Sprintf("at most %d companies in a watch-list", most), would, most)
}

// MostSorted is the maximum number of companies in a watch-list that is sorted by problems.
const MostSorted = 5_000

// TooManySorted is the problem of a watch-list with more than MostSorted companies.
func TooManySorted(companies int) *problem.Problem {
	return op.Malformed(problem.TooMany, "the watch-list has %d companies; at most %d can be sorted by their "+
		"problems, so omit problemsFirst", fmt.Sprintf("at most %d companies", MostSorted), companies, MostSorted)
}

// Watchlist is a list of companies. Its account is notified of changes to them.
type Watchlist struct {
	ID        string         `json:"id" doc:"Id of the watch-list."`
	Name      string         `json:"name" doc:"Name chosen by its owner."`
	Events    []EventKind    `json:"events" doc:"The kinds of events that it reports."`
	Digest    Digest         `json:"digest" doc:"How often a summary of changes is mailed to the account's address, once it is confirmed; none is sent if nothing has changed."`
	Language  DigestLanguage `json:"language" doc:"Language of the digests: ro, en, or both in one mail."`
	Every     Every          `json:"every" doc:"How often its companies are checked."`
	Companies int            `json:"companies" doc:"Number of companies in it."`
	Unpaid    *string        `json:"unpaid" doc:"The month, such as 2026-11, that the credits do not cover: unpaid companies are not checked. null while all are paid."`
	Feeds     WatchlistFeeds `json:"feeds" doc:"Paths of feeds of its events for feed readers. Those in the answers that create the list or give it new addresses (rotateFeeds) need no key, and are shown only there: anyone who knows them can read the feeds. Those in other answers need a key."`
	CreatedAt time.Time      `json:"createdAt" doc:"When it was created, UTC."`
}

// WatchlistFeeds are the paths of the feeds of a watch-list.
type WatchlistFeeds struct {
	Atom string `json:"atom" doc:"Path of the Atom feed (RFC 4287)."`
	JSON string `json:"json" doc:"Path of the JSON Feed (version 1.1)."`
}

// FeedsOf returns the paths of the feeds with a token.
func FeedsOf(token string) WatchlistFeeds {
	path := "/v1/watchlists/" + token + "/feed."
	return WatchlistFeeds{path + "atom", path + "json"}
}

// WatchlistChange changes the settings of a watch-list. Nil or zero settings keep their value, or the default in a new
// list.
type WatchlistChange struct {
	Name   string
	Events []EventKind
	Digest Digest
	// Language is the language of the digests.
	Language DigestLanguage
	Every    Every
	// RotateFeeds gives the feeds new addresses.
	RotateFeeds bool
	// Key is the id of the caller's key, with which new addresses of feeds end. It is empty for a browser.
	Key string
}

// WatchlistID is the id of a watch-list.
type WatchlistID string

// DefaultWatchlist is the id of the account's first watch-list, which is created on first use.
const DefaultWatchlist WatchlistID = "default"

const watchlistIDForm = "default, or the id of a watch-list: wl_ and 26 letters a to z and digits 2 to 7"

var watchlistIDPattern = regexp.MustCompile(`^(default|wl_[a-z2-7]{26})$`)

// UnmarshalText checks the format.
func (i *WatchlistID) UnmarshalText(text []byte) error {
	if !watchlistIDPattern.Match(text) {
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: watchlistIDForm}
	}

	*i = WatchlistID(text)
	return nil
}

// Schema describes the format of an id.
func (WatchlistID) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: watchlistIDPattern.String()}
}

// WatchlistName is the name of a watch-list: 1 to 100 characters.
type WatchlistName string

// UnmarshalText accepts a name; surrounding space is dropped.
func (n *WatchlistName) UnmarshalText(text []byte) (err error) {
	*n, err = op.ShownText[WatchlistName]([]byte(strings.TrimSpace(string(text))), 1, 100)
	return err
}

// Schema describes the format of a name.
func (WatchlistName) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 1, MaxLength: 100}
}

// Digest is the frequency of mails that summarize the changes.
type Digest string

// The frequencies.
const (
	NoDigest     Digest = "none"
	DailyDigest  Digest = "daily"
	WeeklyDigest Digest = "weekly"
)

// UnmarshalText parses a frequency.
func (d *Digest) UnmarshalText(text []byte) (err error) {
	*d, err = op.OneOf(text, NoDigest, DailyDigest, WeeklyDigest)
	return err
}

// Schema lists the frequencies.
func (Digest) Schema() jsonschema.Schema { return jsonschema.Enum(NoDigest, DailyDigest, WeeklyDigest) }

// DigestLanguage is the language in which a watch-list's digests are written.
type DigestLanguage string

// The languages of digests.
const (
	// BothLanguages writes a digest in Romanian and then in English.
	BothLanguages  DigestLanguage = "both"
	RomanianDigest DigestLanguage = "ro"
	EnglishDigest  DigestLanguage = "en"
)

// UnmarshalText parses both, ro or en.
func (l *DigestLanguage) UnmarshalText(text []byte) (err error) {
	*l, err = op.OneOf(text, BothLanguages, RomanianDigest, EnglishDigest)
	return err
}

// Schema lists the languages.
func (DigestLanguage) Schema() jsonschema.Schema {
	return jsonschema.Enum(BothLanguages, RomanianDigest, EnglishDigest)
}

// Every is the interval between two looks at a company.
type Every string

// The intervals.
const (
	EveryDay  Every = "day"
	EveryWeek Every = "week"
)

// UnmarshalText parses an interval.
func (e *Every) UnmarshalText(text []byte) (err error) {
	*e, err = op.OneOf(text, EveryDay, EveryWeek)
	return err
}

// Schema lists the intervals.
func (Every) Schema() jsonschema.Schema { return jsonschema.Enum(EveryDay, EveryWeek) }

// Interval returns the time between two looks.
func (e Every) Interval() time.Duration {
	if e == EveryWeek {
		return 7 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// watchlistProblem turns an error of Watchlists into a problem.
func watchlistProblem(ctx context.Context, id WatchlistID, err error) error {
	return op.StoreProblem(ctx, err, func() *problem.Problem {
		if id == DefaultWatchlist {
			return problem.NotFound.New("the account has no watch-list yet; it is created with the first company (PUT " +
				"/v1/watchlists/default/companies/{cui}), or with POST /v1/watchlists")
		}
		return problem.NotFound.New("the account has no watch-list %s; GET /v1/watchlists lists its watch-lists", id)
	}, "watch-lists cannot be read or changed right now; try again shortly")
}
