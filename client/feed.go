package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"
)

// EventQuery selects events. Empty fields do not restrict them.
type EventQuery struct {
	// After is a cursor; only later events are returned. Empty means all stored events, which go back 90 days.
	After string
	// Watchlist is the id of a watch-list.
	Watchlist string
	// TaxID is the tax id of a company; 0 for all.
	TaxID int64
	// Types are kinds of events, such as company.vat.cancelled.
	Types []string
	// Limit is the size of a page, 1 to 100; 0 means 50.
	Limit int
}

func (q *EventQuery) params() params {
	return params{
		"after": q.After, "watchlist": q.Watchlist, "taxId": q.TaxID, "type": list(q.Types), "limit": q.Limit,
	}
}

const eventsPath = "/v1/events"

// EventPage returns a page of events.
func (c *Client) EventPage(ctx context.Context, q EventQuery) (*EventPage, error) {
	return get[EventPage](ctx, c, eventsPath, q.params())
}

// Events yields the existing events, page by page, the oldest first. An error ends the iteration. A *Problem with
// CodeCursorExpired contains the oldest valid cursor.
func (c *Client) Events(ctx context.Context, q EventQuery) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			page, err := c.EventPage(ctx, q)
			if err != nil {
				yield(Event{}, err)
				return
			}

			for _, event := range page.Items {
				if !yield(event, nil) {
					return
				}
			}

			if q.After = page.NextCursor; !page.HasMore {
				return
			}
		}
	}
}

// Follow yields the existing events and then new ones as they happen, until the context ends. If the gateway ends the
// stream, as it does after some minutes, or the connection breaks, Follow reconnects and continues after the last
// event. The iteration ends with an error if the first connection fails, or if a later one is answered with a client
// error (4xx).
func (c *Client) Follow(ctx context.Context, q EventQuery) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		q.Limit = 0
		var backoff reconnectBackoff
		for {
			stopped, malformed := false, error(nil)
			r := request{method: http.MethodGet, path: eventsPath, query: q.params().values()}
			err := c.stream(ctx, r, func(line []byte) bool {
				var event Event
				if err := json.Unmarshal(line, &event); err != nil {
					malformed = fmt.Errorf("reading an event: %w", err)
					return false
				}

				backoff.reset()
				q.After = event.Cursor
				stopped = !yield(event, nil)
				return !stopped
			})
			if stopped {
				return
			}
			if malformed != nil {
				yield(Event{}, malformed)
				return
			}
			if err = backoff.pause(ctx, err); err != nil {
				yield(Event{}, err)
				return
			}
		}
	}
}

// reconnectBackoff is the exponential backoff between the connections of a stream.
type reconnectBackoff struct {
	connected bool // at least once
	wait      time.Duration
}

const (
	minReconnect = time.Second
	maxReconnect = time.Minute
)

// reset notes that the connection works.
func (b *reconnectBackoff) reset() { b.connected, b.wait = true, 0 }

// pause waits before the next connection. It returns the error of the last stream, if that is final.
func (b *reconnectBackoff) pause(ctx context.Context, err error) error {
	refused, ok := errors.AsType[*Problem](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil: // the gateway has ended the stream
		b.reset()
	case !b.connected, ok && refused.Status < 500 && refused.Status != http.StatusTooManyRequests:
		return err
	}

	b.wait = min(max(2*b.wait, minReconnect), maxReconnect)
	if !pause(ctx, b.wait) {
		return ctx.Err()
	}

	return nil
}
