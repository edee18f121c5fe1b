package monitoring

import (
	"context"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Events provides the event feeds.
type Events interface {
	// Feed reads the events of an account after a cursor; the zero cursor is before all.
	Feed(ctx context.Context, account string, after EventCursor, filter EventFilter, limit int) (EventPage, error)
	// Changes reads the events of all companies, watched or not.
	Changes(ctx context.Context, after EventCursor, filter EventFilter, limit int) (EventPage, error)
	// Wait returns a channel that is closed when there may be new events.
	Wait() <-chan struct{}
}

// EventList is a page of events.
type EventList struct {
	Items      []Event     `json:"items" doc:"The events, oldest first. An event appears once for each watch-list with the company."`
	NextCursor EventCursor `json:"nextCursor" doc:"To continue, send it as after. It is always present, even without items."`
	HasMore    bool        `json:"hasMore" doc:"Whether there are already events after nextCursor."`
}

// Lines implements Followed.
func (l EventList) Lines() ([]op.FollowedLine, error) {
	lines := make([]op.FollowedLine, len(l.Items))
	for i := range l.Items {
		text, err := jsontext.Encode(&l.Items[i])
		if err != nil {
			return nil, err
		}

		lines[i] = op.FollowedLine{Cursor: cursorText(l.Items[i].Cursor), Type: string(l.Items[i].Type), JSON: text}
	}

	return lines, nil
}

// After implements Followed.
func (l EventList) After() string { return cursorText(l.NextCursor) }

// More implements Followed.
func (l EventList) More() bool { return l.HasMore }

func cursorText(c EventCursor) string {
	text, _ := c.MarshalText() // it never fails
	return string(text)
}

type listChangesInput struct {
	After     EventCursor        `arg:"after" doc:"A nextCursor, or an event's cursor; default: from the oldest event kept." example:"AAAAAAAAAAAAAAAAAAAAAAAAAAA"`
	Limit     op.Limit           `arg:"limit" default:"50" doc:"Page size, 1 to 100."`
	Watchlist WatchlistID        `arg:"watchlist" doc:"Only this watch-list; default means the account's first." example:"default"`
	TaxID     ro.CUI             `arg:"taxId" doc:"Only this company: its CUI, digits only." example:"9900000010"`
	Type      op.List[EventKind] `arg:"type" doc:"Only these kinds, separated by commas." example:"company.vat.cancelled,company.inactive.declared"`
}

// ListChanges returns the operation list_changes.
func ListChanges(events Events, lists Watchlists, limits WatchLimits) *op.Operation {
	return op.DefineFollowed(op.Spec{
		Name: "list_changes", Method: "GET", Path: "/v1/events", Tag: tag.Watching, Account: true, Tool: true,
		Title: "List changes to watched companies",
		Description: "Changes to the companies added with watch_company, oldest first: VAT, inactivity, insolvency, " +
			"name, registered office and more, with old and new values. Use it to catch up: continue from the " +
			"last nextCursor. Needs a key. Free. Events are kept for 90 days; a 410 has the oldest cursor. Without items, " +
			"nothing happened after the cursor. For current data call get_company.",
		Errors: []*problem.Kind{problem.NotFound, problem.CursorExpired},
	}, wakes(events), limits.WithDefaults().Followers, func(ctx context.Context, caller account.Caller,
		in listChangesInput) (EventList, error) {
		if err := ofFeed(in.After, caller.Account()); err != nil {
			return EventList{}, err
		}

		filter := EventFilter{Company: in.TaxID, Kinds: SetOf(in.Type...)}
		if in.Watchlist != "" {
			list, err := lists.Watchlist(ctx, caller.Account(), in.Watchlist)
			if err != nil {
				return EventList{}, watchlistProblem(ctx, in.Watchlist, err)
			}

			filter.Watchlist = list.ID
		}

		return eventList(ctx, in.After, func() (EventPage, error) {
			return events.Feed(ctx, caller.Account(), in.After, filter, int(in.Limit))
		})
	})
}

// wakes wakes the followers of events.
func wakes(events Events) func() <-chan struct{} {
	return func() <-chan struct{} { return events.Wait() }
}

// ofFeed rejects a cursor from another feed.
func ofFeed(after EventCursor, account string) error {
	if after == (EventCursor{}) || after.Feed == FeedOf(account) {
		return nil
	}

	text := cursorText(after)
	return problem.Invalid(&problem.InputError{Parameter: "after", Code: problem.Conflict, Received: &text,
		Accepted: "a cursor of this feed",
		Reason: "it belongs to another account or another feed; send a nextCursor of this feed, or leave it out to " +
			"begin with the oldest event"})
}

// eventList turns a page of a feed into an answer.
func eventList(ctx context.Context, after EventCursor, read func() (EventPage, error)) (EventList, error) {
	page, err := read()
	switch {
	case err != nil:
		return EventList{}, watchlistProblem(ctx, "", err)
	case page.Expired:
		p := problem.CursorExpired.New("events after this cursor have been deleted: they are kept for %d days. "+
			"Continue from oldestCursor, and fetch the companies themselves for what was "+
			"missed", EventRetention/(24*time.Hour))
		p.Extensions = struct {
			OldestCursor EventCursor `json:"oldestCursor"`
		}{page.Oldest}
		return EventList{}, p
	}

	if page.Events == nil {
		page.Events = []Event{}
	}

	return EventList{page.Events, page.Next, page.More}, nil
}

type listAllChangesInput struct {
	After EventCursor        `arg:"after" doc:"Only events after this cursor: a nextCursor, or an event's cursor. Without it, the page begins with the oldest event that is kept."`
	Limit op.Limit           `arg:"limit" default:"50" doc:"Page size, 1 to 100."`
	TaxID ro.CUI             `arg:"taxId" doc:"Only events of this company: its CUI, digits only."`
	Type  op.List[EventKind] `arg:"type" doc:"Only events of these kinds, separated by commas."`
}

// ListAllChanges is not a tool: it is for programs that keep a copy.
func ListAllChanges(events Events, limits WatchLimits, enabled bool) *op.Operation {
	return op.DefineFollowed(op.Spec{
		Name: "list_all_changes", Method: "GET", Path: "/v1/changes", Tag: tag.Watching, Account: true,
		Title: "List changes to all companies",
		Description: "Changes to every company that this gateway checks, watched or not, oldest first. Its cursors " +
			"differ from those of GET /v1/events. Returns 404 unless the operator has enabled it. Free.",
		Errors: []*problem.Kind{problem.NotFound, problem.CursorExpired},
	}, wakes(events), limits.WithDefaults().Followers, func(ctx context.Context, _ account.Caller,
		in listAllChangesInput) (EventList, error) {
		if !enabled {
			return EventList{}, problem.NotFound.New("this installation does not publish the changes of all " +
				"companies; its operator can enable it (changes on, in the block watch of the Caddyfile). GET " +
				"/v1/events has those of watched companies")
		}

		if err := ofFeed(in.After, ""); err != nil {
			return EventList{}, err
		}
		return eventList(ctx, in.After, func() (EventPage, error) {
			return events.Changes(ctx, in.After, EventFilter{Company: in.TaxID, Kinds: SetOf(in.Type...)},
				int(in.Limit))
		})
	})
}
