package api

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/rodata/rodata/api/problem"
)

// Watchlists keeps the watch-lists of accounts. An account that does not have a watch-list gets ErrUnknown for it.
type Watchlists interface {
	// CreateWatchlist makes a watch-list. The error is a *WatchlistsFull when the account has as many as it may.
	CreateWatchlist(ctx context.Context, account string, settings WatchlistChange) (*Watchlist, error)
	// Watchlists returns those of an account, the oldest first, never nil.
	Watchlists(ctx context.Context, account string) ([]Watchlist, error)
	// Watchlist returns one of them.
	Watchlist(ctx context.Context, account string, id WatchlistID) (*Watchlist, error)
	// ChangeWatchlist changes what is not nil. It makes the default watch-list if there is none.
	ChangeWatchlist(ctx context.Context, account string, id WatchlistID, change WatchlistChange) (*Watchlist, error)
	// DeleteWatchlist deletes a watch-list with its companies and its events.
	DeleteWatchlist(ctx context.Context, account string, id WatchlistID) error

	// Watch adds companies to a watch-list, or replaces those that it has, and charges for those whose month the
	// account has not paid. It makes the default watch-list if there is none. The error is a *WatchlistsFull, or what
	// the payment returned; nothing has changed then.
	Watch(ctx context.Context, account string, id WatchlistID, order WatchOrder, payment Payment) (WatchOutcome, error)
	// Unwatch removes a company. It is no error if the watch-list does not have it.
	Unwatch(ctx context.Context, account string, id WatchlistID, company CUI) error
	// Watched returns a page of the companies of a watch-list, by tax id, and how many there are.
	Watched(ctx context.Context, account string, id WatchlistID, limit, offset int) ([]WatchedCompany, int, error)
}

// WatchOrder is companies to be watched.
type WatchOrder struct {
	// Companies are distinct.
	Companies []WatchedReference
	// Replace removes all companies that are not among them.
	Replace bool
}

// WatchedReference is a company with its account's reference; an empty one stands for that which it has.
type WatchedReference struct {
	Company   CUI
	Reference string
}

// WatchOutcome says what became of the companies of an order.
type WatchOutcome struct {
	// Changes are those of the companies, in the order's order.
	Changes []WatchChange
	Removed int
}

// WatchChange is what became of a company that was to be watched.
type WatchChange string

// The changes.
const (
	WatchAdded     WatchChange = "added"
	WatchUpdated   WatchChange = "updated" // its reference
	WatchUnchanged WatchChange = "unchanged"
)

// Schema lists the changes.
func (WatchChange) Schema() Schema {
	return Schema{Type: "string", Enum: []string{string(WatchAdded), string(WatchUpdated), string(WatchUnchanged)}}
}

// WatchlistsFull is the error of what would exceed the bounds of an account: its watch-lists, or the companies in one.
type WatchlistsFull struct {
	// Lists is the most watch-lists; 0 when it is the Companies that would be too many.
	Lists int
	// Companies is the most companies of a watch-list, and Would how many it would have.
	Companies, Would int
}

func (f *WatchlistsFull) Error() string {
	if f.Lists > 0 {
		return fmt.Sprintf("the account has %d watch-lists already", f.Lists)
	}
	return fmt.Sprintf("the watch-list would have %d companies, more than %d", f.Would, f.Companies)
}

// Watchlist is companies about whose changes an account is told.
type Watchlist struct {
	ID        string         `json:"id" doc:"Names the watch-list."`
	Name      string         `json:"name" doc:"What its owner calls it."`
	Events    []EventKind    `json:"events" doc:"The kinds of events that it tells of."`
	Digest    Digest         `json:"digest" doc:"How often a mail sums up what changed; none is sent when nothing did."`
	Every     Every          `json:"every" doc:"How often its companies are looked at."`
	Companies int            `json:"companies" doc:"How many companies it has."`
	Unpaid    *string        `json:"unpaid" doc:"The month, as 2026-11, for which the credits do not suffice: companies that are not paid are not looked at. null while all are paid."`
	Feeds     WatchlistFeeds `json:"feeds" doc:"Where feed readers find its events, without a key. Whoever knows the addresses can read them."`
	CreatedAt time.Time      `json:"createdAt" doc:"When it was made, UTC."`
}

// WatchlistFeeds are the addresses of the feeds of a watch-list.
type WatchlistFeeds struct {
	Atom string `json:"atom" doc:"Path of the Atom feed (RFC 4287)."`
	JSON string `json:"json" doc:"Path of the JSON Feed (version 1.1)."`
}

// FeedsOf are the addresses with a feed token.
func FeedsOf(token string) WatchlistFeeds {
	path := "/v1/watchlists/" + token + "/feed."
	return WatchlistFeeds{path + "atom", path + "json"}
}

// WatchlistChange is settings of a watch-list; those that are nil or zero stay as they are, or as they are by default.
type WatchlistChange struct {
	Name   string
	Events []EventKind
	Digest Digest
	Every  Every
	// RotateFeeds gives the feeds new addresses.
	RotateFeeds bool
}

// WatchedCompany is a company in a watch-list.
type WatchedCompany struct {
	TaxID         CUI          `json:"taxId" doc:"Its tax id."`
	Name          *string      `json:"name" doc:"Its name; null when it is not known."`
	Reference     *string      `json:"reference" doc:"Your reference; null for none."`
	State         WatchedState `json:"state" doc:"What the last look at it said: new before the first one, found, or not_found when no register knows the number."`
	Paid          bool         `json:"paid" doc:"False when the credits did not suffice for this month, so that it is not looked at."`
	AddedAt       time.Time    `json:"addedAt" doc:"When it was added, UTC."`
	LastCheckedAt *time.Time   `json:"lastCheckedAt" doc:"When it was last looked at, UTC; null when it never was."`
	NextCheckAt   *time.Time   `json:"nextCheckAt" doc:"From when it is to be looked at again, UTC; null while it is not paid."`
	LastEventAt   *time.Time   `json:"lastEventAt" doc:"When it last changed, UTC; null when it has not since it was added."`
}

// WatchedState is what the last look at a watched company said.
type WatchedState string

// The states.
const (
	WatchedNew      WatchedState = "new"
	WatchedFound    WatchedState = "found"
	WatchedNotFound WatchedState = "not_found"
)

// Schema lists the states.
func (WatchedState) Schema() Schema {
	return Schema{Type: "string", Enum: []string{string(WatchedNew), string(WatchedFound), string(WatchedNotFound)}}
}

// WatchlistID is the id of a watch-list.
type WatchlistID string

// DefaultWatchlist is the id of the account's first watch-list, which is made when it is first used.
const DefaultWatchlist WatchlistID = "default"

const watchlistIDForm = "default, or the id of a watch-list: wl_ and 26 letters a to z and digits 2 to 7"

var watchlistIDPattern = regexp.MustCompile(`^(default|wl_[a-z2-7]{26})$`)

// UnmarshalText checks the form.
func (i *WatchlistID) UnmarshalText(text []byte) error {
	if !watchlistIDPattern.Match(text) {
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: watchlistIDForm}
	}
	*i = WatchlistID(text)
	return nil
}

// Schema describes the form of an id.
func (WatchlistID) Schema() Schema {
	return Schema{Type: "string", Pattern: watchlistIDPattern.String()}
}

// WatchlistName is the name of a watch-list: 1 to 100 characters.
type WatchlistName string

// UnmarshalText reads a name; surrounding space is dropped.
func (n *WatchlistName) UnmarshalText(text []byte) error {
	s, err := boundedText([]byte(strings.TrimSpace(string(text))), 1, 100)
	*n = WatchlistName(s)
	return err
}

// Schema describes the form of a name.
func (WatchlistName) Schema() Schema { return Schema{Type: "string", MinLength: 1, MaxLength: 100} }

// Reference is a text of an account's own about a company.
type Reference string

// UnmarshalText checks the length.
func (r *Reference) UnmarshalText(text []byte) error {
	s, err := boundedText(text, 1, longestReference)
	*r = Reference(s)
	return err
}

// Schema describes the form of a reference.
func (Reference) Schema() Schema {
	return Schema{Type: "string", MinLength: 1, MaxLength: longestReference}
}

// Digest is how often a mail sums up what changed.
type Digest string

// The digests.
const (
	NoDigest     Digest = "none"
	DailyDigest  Digest = "daily"
	WeeklyDigest Digest = "weekly"
)

// UnmarshalText reads one of them.
func (d *Digest) UnmarshalText(text []byte) error {
	name, err := oneOf(text, string(NoDigest), string(DailyDigest), string(WeeklyDigest))
	*d = Digest(name)
	return err
}

// Schema lists them.
func (Digest) Schema() Schema {
	return Schema{Type: "string", Enum: []string{string(NoDigest), string(DailyDigest), string(WeeklyDigest)}}
}

// Every is how often companies are looked at.
type Every string

// The intervals.
const (
	EveryDay  Every = "day"
	EveryWeek Every = "week"
)

// UnmarshalText reads one of them.
func (e *Every) UnmarshalText(text []byte) error {
	name, err := oneOf(text, string(EveryDay), string(EveryWeek))
	*e = Every(name)
	return err
}

// Schema lists them.
func (Every) Schema() Schema {
	return Schema{Type: "string", Enum: []string{string(EveryDay), string(EveryWeek)}}
}

// Interval is the time between two looks.
func (e Every) Interval() time.Duration {
	if e == EveryWeek {
		return 7 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// Flag is true or false.
type Flag bool

// UnmarshalText reads true or false.
func (f *Flag) UnmarshalText(text []byte) error {
	name, err := oneOf(text, "true", "false")
	*f = name == "true"
	return err
}

// Schema describes the form of a flag.
func (Flag) Schema() Schema { return Schema{Type: "boolean"} }

// watchlistProblem is the problem of a watch-list that is unknown or full, or that cannot be read.
func watchlistProblem(ctx context.Context, id WatchlistID, err error) error {
	full, known := (*WatchlistsFull)(nil), (*problem.Problem)(nil)
	switch {
	case err == nil, ctx.Err() != nil, errors.As(err, &known):
		return err
	case errors.Is(err, ErrUnknown) && id == DefaultWatchlist:
		return problem.NotFound.New("the account has no watch-list yet; one is made with the first company (PUT /v1/watchlists/default/companies/{cui}), or with POST /v1/watchlists")
	case errors.Is(err, ErrUnknown):
		return problem.NotFound.New("the account has no watch-list %s; GET /v1/watchlists lists those that it has", id)
	case errors.As(err, &full) && full.Lists > 0:
		return malformed(problem.TooMany, "the account has %d watch-lists, which is as many as it may have; use one of them, or delete one that is not needed (DELETE /v1/watchlists/{id})",
			fmt.Sprintf("at most %d watch-lists of an account", full.Lists), full.Lists)
	case errors.As(err, &full):
		return malformed(problem.TooMany, "the watch-list would have %d companies, and takes at most %d; nothing was changed or charged. Remove some, or use another watch-list",
			fmt.Sprintf("at most %d companies in a watch-list", full.Companies), full.Would, full.Companies)
	}
	return errors.Join(storeDown("watch-lists cannot be read or changed just now; try again shortly"), err)
}
