package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
)

// ErrCut is the error of a stream that ended without its summary, so that items may be missing.
var ErrCut = errors.New("the answer was cut off: items may be missing")

// listRequest is a request for the items of a list. Without an explicit key, a call gets a random Idempotency-Key, so
// that its retries are not charged.
func listRequest(path string, inOrder bool, key string) request {
	r := request{method: http.MethodPost, path: path, bodyType: jsonType, idempotency: cmp.Or(key, rand.Text())}
	if inOrder {
		r.query = url.Values{"order": {"input"}}
	}

	return r
}

// items sends a list, and yields each item of the stream in the answer. The summary, unless it is nil, receives the end
// of the stream; complete finishes a decoded item.
func items[Item, Summary any](ctx context.Context, c *Client, r request, list any, summary *Summary,
	complete func(*Item) error) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		var none Item
		var err error
		if r.body, err = json.Marshal(list); err != nil {
			yield(none, err)
			return
		}

		ended, malformed := false, error(nil)
		err = c.stream(ctx, r, func(line []byte) bool {
			var item Item
			end, err := readLine[Item, Summary](line, &item)
			switch {
			case err == nil && end == nil:
				err = complete(&item)
			case err == nil && summary != nil:
				*summary = *end
			}

			if err != nil {
				malformed = fmt.Errorf("reading an item of the answer: %w", err)
				return false
			}

			ended = end != nil || !yield(item, nil)
			return !ended
		})
		switch {
		case err == nil && malformed != nil:
			yield(none, malformed)
		case err != nil && !ended:
			yield(none, err)
		case !ended:
			yield(none, ErrCut)
		}
	}
}

// readLine reads a line of the stream: an item, or the summary at its end.
func readLine[Item, Summary any](line []byte, item *Item) (*Summary, error) {
	var end struct {
		Summary *Summary `json:"summary"`
	}
	if err := json.Unmarshal(line, &end); err != nil || end.Summary != nil {
		return end.Summary, err
	}
	return nil, json.Unmarshal(line, item)
}
