package watch

import (
	"context"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
)

// newestInFeed is the number of events in a feed.
const newestInFeed = 100

// FeedStore reads watch-lists and events for feeds. store.DB implements it.
type FeedStore interface {
	List(ctx context.Context, account string, id api.WatchlistID) (List, error)
	ListOfFeed(ctx context.Context, token string) (List, error)
	Newest(ctx context.Context, l *List, limit int) ([]api.Event, error)
}

// Feeds are the feeds of watch-lists for feed readers. It implements api.WatchlistFeed.
type Feeds struct{ Store FeedStore }

// Feed implements api.WatchlistFeed.
func (f *Feeds) Feed(ctx context.Context, account, id string, as api.FeedFormat) (*api.Document, error) {
	var l List
	var err error
	if strings.HasPrefix(id, "wlf_") {
		l, err = f.Store.ListOfFeed(ctx, id)
	} else {
		l, err = f.Store.List(ctx, account, api.WatchlistID(id))
	}

	if err != nil {
		return nil, err
	}

	events, err := f.Store.Newest(ctx, &l, newestInFeed)
	if err != nil {
		return nil, err
	}

	p := publication{words: english, list: &l, events: events}
	if as.Romanian {
		p.words = romanian
	}

	paths := api.FeedsOf(l.FeedToken)
	if as.Atom {
		return p.atom(as.BaseURL, as.BaseURL+paths.Atom)
	}

	return p.json(as.BaseURL, as.BaseURL+paths.JSON)
}

// publication is a feed in one language.
type publication struct {
	words  *words
	list   *List
	events []api.Event // newest first
}

// updated returns the time of the newest event, or of the list's creation if there is none.
func (p *publication) updated() time.Time {
	if len(p.events) == 0 {
		return p.list.CreatedAt.UTC()
	}
	return p.events[0].Timestamp
}

// headline describes an event in one sentence.
func (p *publication) headline(e *api.Event) string {
	kinds := make([]string, 0, len(e.Data.Changes)+1)
	for i := range e.Data.Changes {
		kinds = append(kinds, p.words.kind(e.Data.Changes[i].Type))
	}
	if len(kinds) == 0 {
		kinds = append(kinds, p.words.kind(e.Type))
	}

	about := p.list.Name
	if e.Data.TaxID != nil {
		about = title(*e.Data.TaxID, &e.Data)
	}

	return about + ": " + strings.Join(kinds, ", ")
}

// lines describe the changes of an event.
func (p *publication) lines(e *api.Event) string {
	return strings.Join((&letter{words: p.words}).Lines(*e), "\n")
}

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

func (p *publication) atom(home, self string) (*api.Document, error) {
	feed := atomFeed{
		Lang: p.words.Lang, ID: urn(p.list.ID), Title: p.list.Name, Updated: p.updated().Format(time.RFC3339),
		Author: "rodata",
		Links:  []atomLink{{"self", api.AtomType, self}, {"alternate", "text/html", home + "/dashboard/monitoring"}},
	}
	for i := range p.events {
		e := &p.events[i]
		feed.Entries = append(feed.Entries, atomEntry{
			ID: urn(e.ID), Title: p.headline(e), Updated: e.Timestamp.Format(time.RFC3339),
			Category: atomCategory{string(e.Data.Severity)}, Content: p.lines(e),
		})
	}

	text, err := xml.MarshalIndent(feed, "", " ")
	if err != nil {
		return nil, fmt.Errorf("writing the Atom feed of a watch-list: %w", err)
	}

	return api.NewFeed(append([]byte(xml.Header), text...), api.AtomType), nil
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

func (p *publication) json(home, self string) (*api.Document, error) {
	feed := jsonFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: p.list.Name, Home: home + "/dashboard/monitoring",
		Self: self, Lang: p.words.Lang, Items: make([]jsonItem, 0, len(p.events)),
	}
	for i := range p.events {
		e := &p.events[i]
		feed.Items = append(feed.Items, jsonItem{urn(e.ID), p.headline(e), p.lines(e), e.Timestamp,
			[]string{string(e.Type), string(e.Data.Severity)}})
	}

	document, err := api.EncodeDocument(feed)
	if err != nil {
		return nil, fmt.Errorf("writing the JSON Feed of a watch-list: %w", err)
	}

	return api.NewFeed(document.JSON, api.JSONFeedType), nil
}
