package monitoring

import (
	"context"
	"errors"
	"regexp"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// The media types of feeds.
const (
	AtomType     = "application/atom+xml"
	JSONFeedType = "application/feed+json"
)

// WatchlistFeed creates the feeds of watch-lists for feed readers.
type WatchlistFeed interface {
	// Feed returns the feed of a watch-list by its feed token, or by its id if it belongs to the account. The error is
	// ErrUnknown if there is none.
	Feed(ctx context.Context, account, id string, as FeedFormat) (*op.Document, error)
}

// FeedFormat is the format in which a feed is requested.
type FeedFormat struct {
	// Atom selects Atom; otherwise the feed is a JSON Feed.
	Atom bool
	// Romanian selects Romanian; otherwise the feed is in English.
	Romanian bool
	// BaseURL is the service's address, without a trailing slash.
	BaseURL string
}

// NewFeed wraps a feed as a document that browsers display instead of downloading.
func NewFeed(content []byte, mediaType string) *op.Document {
	d := op.NewDocument(content)
	d.File = &op.File{Type: []string{mediaType + "; charset=utf-8"}}
	return d
}

type watchlistFeedInput struct {
	ID   FeedID       `arg:"id" in:"path" doc:"The feed's own id, which needs no key: see feeds in GET /v1/watchlists/{id}. Or, with a key, the id of the watch-list." example:"wlf_oc625sltxzf6r3osrvcbe362ma"`
	Lang FeedLanguage `arg:"lang" default:"ro" doc:"Language of the sentences: ro or en."`
}

// FeedID is the feed token of a watch-list, or its id.
type FeedID string

var feedIDPattern = regexp.MustCompile(`^(default|wlf?_[a-z2-7]{26})$`)

// UnmarshalText checks the format. Errors do not repeat a malformed id, because it may be a secret with a typing error.
func (i *FeedID) UnmarshalText(text []byte) error {
	if !feedIDPattern.Match(text) {
		return &problem.InputError{Code: problem.InvalidFormat, Received: new("…"),
			Accepted: "the address of a feed, from GET /v1/watchlists/{id}"}
	}

	*i = FeedID(text)
	return nil
}

// Schema describes the format.
func (FeedID) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: feedIDPattern.String()}
}

// FeedLanguage is the language of a feed.
type FeedLanguage string

// UnmarshalText parses ro or en.
func (l *FeedLanguage) UnmarshalText(text []byte) (err error) {
	*l, err = op.OneOf[FeedLanguage](text, "ro", "en")
	return err
}

// Schema lists the languages.
func (FeedLanguage) Schema() jsonschema.Schema { return jsonschema.Enum("ro", "en") }

// GetWatchlistFeed returns the operation for one of the formats.
func GetWatchlistFeed(feeds WatchlistFeed, atom bool) *op.Operation {
	const purpose = ", for feed readers, which cannot send a key: the URL has a token that grants no other access. " +
		"Free."
	spec := op.Spec{
		Name: "get_watchlist_json_feed", Method: "GET", Path: "/v1/watchlists/{id}/feed.json", Tag: tag.Watching,
		Media:       JSONFeedType,
		Title:       "Get a watch-list's JSON Feed",
		Description: "The newest 100 events of a watch-list as a JSON Feed (version 1.1)" + purpose,
		Errors:      []*problem.Kind{problem.NotFound, problem.Unavailable},
	}
	if atom {
		spec.Name, spec.Path, spec.Media = "get_watchlist_atom_feed", "/v1/watchlists/{id}/feed.atom", AtomType
		spec.Title = "Get a watch-list's Atom feed"
		spec.Description = "The newest 100 events of a watch-list as an Atom feed (RFC 4287)" + purpose
	}

	o := op.Define(spec, func(ctx context.Context, caller account.Caller, in watchlistFeedInput) (op.Answer[string],
		error) {
		if in.ID[:3] != "wlf" && caller.Account() == "" {
			return op.Answer[string]{}, problem.Unauthorized.New(
				"a watch-list's id works only with a key; feed readers use the addresses in feeds of GET " +
					"/v1/watchlists/{id}")
		}

		feed, err := feeds.Feed(ctx, caller.Account(), string(in.ID),
			FeedFormat{Atom: atom, Romanian: in.Lang == "ro", BaseURL: op.BaseURLOf(ctx)})
		if errors.Is(err, op.ErrUnknown) {
			return op.Answer[string]{}, problem.NotFound.New("there is no feed at this address; its watch-list was " +
				"deleted, or its feeds have new addresses (see GET /v1/watchlists)")
		}

		return op.Answer[string]{Document: feed}, watchlistProblem(ctx, "", err)
	})
	if !atom {
		o.DescribeOutput(jsonschema.Schema{Type: "object",
			Description: "A JSON Feed: https://www.jsonfeed.org/version/1.1/."})
	}

	return o
}
