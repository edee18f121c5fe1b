package mcp

import (
	"io"
	"log/slog"
	"net/http"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/account"
)

// updatePause is the minimum time between two reads of the feed, so that rapid changes are sent together.
const updatePause = time.Second

// notify writes a notification for each resource that changes, and a comment every heartbeat, until the client
// disconnects, its key is revoked or the server shuts down.
func (h *Handler) notify(w *response, r *http.Request, m *message, s *subscriptions) {
	beat, recheck, look := time.NewTicker(heartbeat), time.NewTicker(recheckTime), time.NewTimer(0)
	defer beat.Stop()
	defer recheck.Stop()
	defer look.Stop()
	stopped, revoked := h.streams.Stopped(r), h.streams.Changed(s.account)

	var changed <-chan struct{}
	var looked time.Time
	for alive := h.recognizes(r, m.caller) && w.comment(); alive; {
		select {
		case <-beat.C:
			alive = w.comment()
			look.Reset(0) // for data that could not be read the last time
		case <-changed:
			changed = nil
			look.Reset(time.Until(looked.Add(updatePause)))
		case <-look.C:
			changed = h.Changes.Wait() // before the read, so that no event is missed in between
			looked, alive = time.Now(), h.sendUpdates(w, r, m, s)
		case <-recheck.C:
			alive = h.recognizes(r, m.caller)
		case <-revoked:
			revoked = h.streams.Changed(s.account)
			alive = h.recognizes(r, m.caller)
		case <-stopped:
			return
		case <-h.streams.Closed():
			return
		case <-r.Context().Done():
			return
		}
	}
}

// recognizes reports whether a stream's caller may still receive it.
func (h *Handler) recognizes(r *http.Request, caller *account.Caller) bool {
	return h.Gateway.Recognizes(r.Context(), h.call(r, nil, nil), caller)
}

// sendUpdates writes a notification for each resource that has changed. It returns false if the client has
// disconnected.
func (h *Handler) sendUpdates(w *response, r *http.Request, m *message, s *subscriptions) bool {
	uris, err := s.updates(r.Context(), h.Changes)
	if err != nil && r.Context().Err() == nil {
		h.Logger.LogAttrs(r.Context(), slog.LevelError,
			"changes cannot be read for a subscription; the next try is within "+heartbeat.String(),
			slog.Any("error", err))
	}

	meta := map[string]any{protocol.MetaKeySubscriptionID: m.ID}
	for _, uri := range uris {
		if _, err := w.Write(event(notification(protocol.MethodNotificationResourceUpdated, meta,
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
