package mcp

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// telling describes the notifications that a stream sends to its client. The zero value sends no notifications.
type telling struct {
	*subscriptions
	// meta is in each notification; nil for none.
	meta map[string]any
	// woken receives a value when the stream should check the subscriptions; nil if they never change.
	woken <-chan struct{}
	// mine reports whether this stream, and not another one, sends the notifications of its session. If it is nil,
	// this stream does.
	mine func() bool
	// still is called every streamTime and reports whether the stream may continue. If it is nil, the stream ends
	// after streamTime.
	still func(context.Context) bool
}

// silent reports whether the stream can never send a notification.
func (t *telling) silent() bool {
	return t.subscriptions == nil || t.empty() || t.mine != nil && !t.mine()
}

// updatePause is the minimum time between two reads of the feed, so that rapid changes are sent together.
const updatePause = time.Second

// tell writes a notification for each resource that changes, and a comment every heartbeat, until the client
// disconnects, the stream reaches its age limit or the server shuts down.
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
			look.Reset(0) // for data that could not be read the last time
		case <-t.woken:
			look.Reset(0)
		case <-changed:
			changed = nil
			look.Reset(time.Until(looked.Add(updatePause)))
		case <-look.C:
			if changed = nil; !t.silent() {
				changed = h.Changes.Wait() // before the read, so that no event is missed in between
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

// tellUpdates writes a notification for each resource that has changed. It returns false if the client has
// disconnected.
func (h *Handler) tellUpdates(w *response, r *http.Request, t *telling) bool {
	uris, err := t.updated(r.Context(), h.Changes)
	if err != nil && r.Context().Err() == nil {
		h.Logger.LogAttrs(r.Context(), slog.LevelError,
			"changes cannot be read for a subscription; the next try is within "+heartbeat.String(),
			slog.Any("error", err))
	}

	for _, uri := range uris {
		if _, err := w.Write(event(notification(protocol.MethodNotificationResourceUpdated, t.meta,
			map[string]any{"uri": uri}))); err != nil {
			return false
		}
	}

	if len(uris) > 0 {
		w.Flush()
	}

	return true
}

// comment keeps proxies from closing an idle stream. It returns false if the client has disconnected.
func (w *response) comment() bool {
	_, err := io.WriteString(w, ": nothing to tell\n\n")
	w.Flush()
	return err == nil
}
