package watch

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit"
)

// shelf holds a watch-list with two events.
type shelf struct{ FeedStore }

const shelfToken = "wlf_abcdefghijklmnopqrstuvwxyz"

func (shelf) ListOfFeed(_ context.Context, hash string) (List, error) {
	if hash != hashed(shelfToken) {
		return List{}, op.ErrUnknown
	}
	return List{ID: "wl_a", Account: "a", Name: "A & B <suppliers>",
		CreatedAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}, nil
}

func (s shelf) List(ctx context.Context, _ string, _ monitoring.WatchlistID) (List, error) {
	return s.ListOfFeed(ctx, hashed(shelfToken))
}

func (shelf) Newest(context.Context, *List, int) ([]monitoring.Event, error) {
	cancelled := Event{
		Company: 9900000010, At: time.Date(2026, 11, 20, 4, 12, 9, 0, time.UTC), Type: monitoring.VATCancelled,
		Severity: monitoring.High, Name: new("EXEMPLU & FIII SRL"),
		Changes: []monitoring.EventChange{{Type: monitoring.VATCancelled, Field: "vatPayer",
			Before: &company.FactValue{Bool: new(true)},
			After:  &company.FactValue{Bool: new(false)}}},
	}
	unpaid := Event{At: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC), Type: monitoring.WatchlistUnpaid,
		Severity: monitoring.Low}
	return []monitoring.Event{cancelled.In(Position{Number: 2, List: 1, Reference: new("S-1")}),
		unpaid.In(Position{Number: 1, List: 1})}, nil
}

func TestFeedsForReaders(t *testing.T) {
	feeds := &Feeds{Store: shelf{}, Hash: hashed}
	read := func(format monitoring.FeedFormat, id string) []byte {
		t.Helper()
		format.BaseURL = "https://api.example.ro"
		doc := testkit.Must(feeds.Feed(t.Context(), "", id, format))
		return doc.JSON
	}

	text := read(monitoring.FeedFormat{Atom: true}, shelfToken)
	var feed atomFeed
	if err := xml.Unmarshal(text, &feed); err != nil {
		t.Fatalf("%v in %s", err, text)
	}

	if feed.Title != "A & B <suppliers>" || feed.Updated != "2026-11-20T04:12:09Z" || len(feed.Entries) != 2 ||
		feed.Author != "rodata" ||
		feed.Links[0].Href != "https://api.example.ro/v1/watchlists/"+shelfToken+"/feed.atom" {
		t.Errorf("%s", text)
	}

	if e := feed.Entries[0]; e.Title != "EXEMPLU & FIII SRL, CUI 9900000010, S-1: VAT registration cancelled" ||
		!strings.HasPrefix(e.ID, "urn:rodata:evt_") ||
		e.Category.Term != "high" || e.Content != "VAT registration cancelled: yes → no" {
		t.Errorf("%+v", e)
	}

	if !strings.Contains(string(text), `xml:lang="en"`) {
		t.Errorf("%s", text)
	}

	var items struct {
		Version, Language, Title string
		Items                    []struct{ ID, Title string }
	}
	testkit.NoError(t, json.Unmarshal(read(monitoring.FeedFormat{Romanian: true}, shelfToken), &items))

	if items.Version != "https://jsonfeed.org/version/1.1" || items.Language != "ro" || len(items.Items) != 2 ||
		items.Items[0].Title != "EXEMPLU & FIII SRL, CUI 9900000010, S-1: înregistrarea în scopuri de TVA anulată" ||
		!strings.HasPrefix(items.Items[1].Title, "A & B <suppliers>: creditele nu au ajuns pentru unele firme") {
		t.Errorf("%+v", items)
	}

	if _, err := feeds.Feed(t.Context(), "", "wlf_zbcdefghijklmnopqrstuvwxyz", monitoring.FeedFormat{}); err == nil {
		t.Error("a feed with an unknown token")
	}
}
