package mcp

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// telling is what a stream tells its client of. The zero value tells of nothing.
type telling struct {
	*subscriptions
	// meta is in each notification; nil for none.
	meta map[string]any
	// woken gets a value when the stream is to look at the subscriptions; nil when they never change.
	woken <-chan struct{}
	// mine reports whether this stream is the one of its session that tells; nil for always.
	mine func() bool
	// still is asked every streamTime whether the stream may go on; nil for a stream that ends then.
	still func(context.Context) bool
}

// silent reports whether there is nothing that the stream could tell.
func (t *telling) silent() bool {
	return t.subscriptions == nil || t.empty() || t.mine != nil && !t.mine()
}

// updatePause is the least time between two looks at the feed: changes that come fast are told together.
const updatePause = time.Second

// tell writes a notification for each resource that changes, and a comment now and then, until the client
// disconnects, the stream reaches its age limit, or the server shuts down.
func (h *Handler) tell(w *response, r *http.Request, t *telling) {
	beat, end, look := time.NewTicker(heartbeat), time.NewTimer(streamTime), time.NewTimer(0)
	defer beat.Stop()
	defer end.Stop()
	defer look.Stop()
	stopped := h.streams.Stopped(r)

	var changed <-chan struct{}
	var looked time.Time
	for alive := w.comment(); alive; {
		select {
		case <-beat.C:
			alive = w.comment()
			look.Reset(0) // for what could not be read the last time
		case <-t.woken:
			look.Reset(0)
		case <-changed:
			changed = nil
			look.Reset(time.Until(looked.Add(updatePause)))
		case <-look.C:
			if changed = nil; !t.silent() {
				changed = h.Changes.Wait() // before the look, so that nothing falls between the two
				looked, alive = time.Now(), h.tellUpdates(w, r, t)
			}
		case <-end.C:
			alive = t.still != nil && t.still(r.Context())
			end.Reset(streamTime)
		case <-stopped:
			return
		case <-h.streams.Closed():
			return
		case <-r.Context().Done():
			return
		}
	}
}

// tellUpdates writes a notification for each resource that has changed. It returns false when the client has gone.
func (h *Handler) tellUpdates(w *response, r *http.Request, t *telling) bool {
	uris, err := t.updated(r.Context(), h.Changes)
	if err != nil && r.Context().Err() == nil {
		h.Logger.LogAttrs(r.Context(), slog.LevelError, "changes cannot be read for a subscription; the next try is within "+heartbeat.String(), slog.Any("error", err))
	}

	for _, uri := range uris {
		if _, err := w.Write(event(notification(protocol.MethodNotificationResourceUpdated, t.meta, map[string]any{"uri": uri}))); err != nil {
			return false
		}
	}
	if len(uris) > 0 {
		w.Flush()
	}
	return true
}

// comment keeps proxies from closing a stream on which nothing happens. It returns false when the client has gone.
func (w *response) comment() bool {
	_, err := io.WriteString(w, ": nothing to tell\n\n")
	w.Flush()
	return err == nil
}
