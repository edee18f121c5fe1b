package watch

import (
	"context"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/op"
)

// feedSize is the number of events in a feed.
const feedSize = 100

// FeedStore reads watch-lists and events for feeds. store.DB implements it.
type FeedStore interface {
	List(ctx context.Context, account string, id monitoring.WatchlistID) (List, error)
	ListOfFeed(ctx context.Context, hash string) (List, error)
	Newest(ctx context.Context, l *List, limit int) ([]monitoring.Event, error)
}

// Feeds are the feeds of watch-lists for feed readers. It implements monitoring.WatchlistFeed.
type Feeds struct {
	Store FeedStore
	// Hash returns the stored form of the secret of a feed.
	Hash func(secret string) string
}

// Feed implements monitoring.WatchlistFeed.
func (f *Feeds) Feed(ctx context.Context, account, id string, as monitoring.FeedFormat) (*op.Document, error) {
	var l List
	var err error
	if strings.HasPrefix(id, feedTokenPrefix) {
		l, err = f.Store.ListOfFeed(ctx, f.Hash(id))
	} else {
		l, err = f.Store.List(ctx, account, monitoring.WatchlistID(id))
		id = l.ID
	}

	if err != nil {
		return nil, err
	}

	events, err := f.Store.Newest(ctx, &l, feedSize)
	if err != nil {
		return nil, err
	}

	p := feed{words: english, list: &l, events: events}
	if as.Romanian {
		p.words = romanian
	}

	paths := monitoring.FeedsOf(id)
	if as.Atom {
		return p.atom(as.BaseURL, as.BaseURL+paths.Atom)
	}

	return p.json(as.BaseURL, as.BaseURL+paths.JSON)
}

// feed is the feed of a watch-list in one language.
type feed struct {
	words  *words
	list   *List
	events []monitoring.Event // newest first
}

// updatedAt returns the time of the newest event, or of the list's creation if there is none.
func (f *feed) updatedAt() time.Time {
	if len(f.events) == 0 {
		return f.list.CreatedAt.UTC()
	}
	return f.events[0].Timestamp
}

// headline describes an event in one sentence.
func (f *feed) headline(e *monitoring.Event) string {
	kinds := make([]string, 0, len(e.Data.Changes)+1)
	for i := range e.Data.Changes {
		kinds = append(kinds, f.words.kind(e.Data.Changes[i].Type))
	}
	if len(kinds) == 0 {
		kinds = append(kinds, f.words.kind(e.Type))
	}

	about := f.list.Name
	if e.Data.TaxID != nil {
		about = title(*e.Data.TaxID, &e.Data)
	}

	return about + ": " + strings.Join(kinds, ", ")
}

// lines describe an event, one line for each change.
func (f *feed) lines(e *monitoring.Event) string { return strings.Join(f.words.Lines(*e), "\n") }

// urn returns a URN for an item that has no URL.
func urn(id string) string { return "urn:rodata:" + id }

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string      `xml:"xml:lang,attr"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID       string       `xml:"id"`
	Title    string       `xml:"title"`
	Updated  string       `xml:"updated"`
	Category atomCategory `xml:"category"`
	Content  string       `xml:"content"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

func (f *feed) atom(home, self string) (*op.Document, error) {
	atom := atomFeed{
		Lang: f.words.Lang, ID: urn(f.list.ID), Title: f.list.Name, Updated: f.updatedAt().Format(time.RFC3339),
		Author: "rodata",
		Links: []atomLink{{"self", monitoring.AtomType, self}, {"alternate", "text/html", home +
			"/dashboard/monitoring"}},
	}
	for i := range f.events {
		e := &f.events[i]
		atom.Entries = append(atom.Entries, atomEntry{
			ID: urn(e.ID), Title: f.headline(e), Updated: e.Timestamp.Format(time.RFC3339),
			Category: atomCategory{string(e.Data.Severity)}, Content: f.lines(e),
		})
	}

	text, err := xml.MarshalIndent(atom, "", " ")
	if err != nil {
		return nil, fmt.Errorf("writing the Atom feed of a watch-list: %w", err)
	}

	return monitoring.NewFeed(append([]byte(xml.Header), text...), monitoring.AtomType), nil
}

type jsonFeed struct {
	Version string     `json:"version"`
	Title   string     `json:"title"`
	Home    string     `json:"home_page_url"`
	Self    string     `json:"feed_url"`
	Lang    string     `json:"language"`
	Items   []jsonItem `json:"items"`
}

type jsonItem struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Text      string    `json:"content_text"`
	Published time.Time `json:"date_published"`
	Tags      []string  `json:"tags"`
}

func (f *feed) json(home, self string) (*op.Document, error) {
	doc := jsonFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: f.list.Name, Home: home + "/dashboard/monitoring",
		Self: self, Lang: f.words.Lang, Items: make([]jsonItem, 0, len(f.events)),
	}
	for i := range f.events {
		e := &f.events[i]
		doc.Items = append(doc.Items, jsonItem{urn(e.ID), f.headline(e), f.lines(e), e.Timestamp,
			[]string{string(e.Type), string(e.Data.Severity)}})
	}

	document, err := op.EncodeDocument(doc)
	if err != nil {
		return nil, fmt.Errorf("writing the JSON Feed of a watch-list: %w", err)
	}

	return monitoring.NewFeed(document.JSON, monitoring.JSONFeedType), nil
}
