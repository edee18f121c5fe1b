package mcp

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// notifier describes the notifications that a stream sends to its client. The zero value sends no notifications.
type notifier struct {
	*subscriptions
	// meta is in each notification; nil for none.
	meta map[string]any
	// wake receives a value when the stream should check the subscriptions; nil if they never change.
	wake <-chan struct{}
	// newest reports whether this stream, and not another one, sends the notifications of its session. If it is nil,
	// this stream does.
	newest func() bool
	// mayContinue is called every streamTime and reports whether the stream may continue. If it is nil, the stream ends
	// after streamTime.
	mayContinue func(context.Context) bool
}

// silent reports whether the stream can never send a notification.
func (n *notifier) silent() bool {
	return n.subscriptions == nil || n.empty() || n.newest != nil && !n.newest()
}

// updatePause is the minimum time between two reads of the feed, so that rapid changes are sent together.
const updatePause = time.Second

// notify writes a notification for each resource that changes, and a comment every heartbeat, until the client
// disconnects, the stream reaches its age limit or the server shuts down.
func (h *Handler) notify(w *response, r *http.Request, n *notifier) {
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
		case <-n.wake:
			look.Reset(0)
		case <-changed:
			changed = nil
			look.Reset(time.Until(looked.Add(updatePause)))
		case <-look.C:
			if changed = nil; !n.silent() {
				changed = h.Changes.Wait() // before the read, so that no event is missed in between
				looked, alive = time.Now(), h.sendUpdates(w, r, n)
			}
		case <-end.C:
			alive = n.mayContinue != nil && n.mayContinue(r.Context())
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

// sendUpdates writes a notification for each resource that has changed. It returns false if the client has
// disconnected.
func (h *Handler) sendUpdates(w *response, r *http.Request, n *notifier) bool {
	uris, err := n.updated(r.Context(), h.Changes)
	if err != nil && r.Context().Err() == nil {
		h.Logger.LogAttrs(r.Context(), slog.LevelError,
			"changes cannot be read for a subscription; the next try is within "+heartbeat.String(),
			slog.Any("error", err))
	}

	for _, uri := range uris {
		if _, err := w.Write(event(notification(protocol.MethodNotificationResourceUpdated, n.meta,
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
