package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// refuseTopic answers with the reason why a client cannot subscribe to a resource.
func (h *Handler) refuseTopic(w *response, r *http.Request, m *message, uri json.RawMessage, err error) {
	var p *problem.Problem
	if !errors.As(err, &p) {
		h.Logger.LogAttrs(r.Context(), slog.LevelError, "watch-lists cannot be read", slog.Any("error", err))
		p = problem.Unavailable.New("the watch-lists cannot be read just now; try again shortly").After(heartbeat)
	}

	reply := &op.Reply{Status: p.Status(), Problem: p}
	if h.challenges(p) {
		h.write(w, r, reply)
		return
	}

	o := outcome{Reply: reply, document: p.JSON(h.BaseURL(r)), modern: m.modern}
	o.resourceFault(uri).answer(w, m)
}

// listen answers subscriptions/listen of the revisions without sessions: the answer is a stream of notifications about
// the requested resources, until the client disconnects. Only accounts have resources that change, so that anonymous
// callers hold no stream.
func (h *Handler) listen(w *response, r *http.Request, m *message) {
	s := &subscriptions{account: m.caller.Account()}
	uris := requestedResources(m)
	if len(uris) > maxSubscriptions { // also if most are the same: each is looked up
		h.refuseTopic(w, r, m, mustEncode(uris[maxSubscriptions]), errTooMany)
		return
	}

	for _, uri := range uris {
		t, changes, err := h.topic(r.Context(), m.caller, uri)
		if err == nil && changes {
			err = s.add(r.Context(), h.Changes, uri, t)
		}
		if err != nil {
			h.refuseTopic(w, r, m, mustEncode(uri), err)
			return
		}
	}

	if s.isEmpty() {
		eventStream(w.Header())
		_, _ = fmt.Fprintf(w, "%s%s", event(acknowledgement(m.ID, s)), event(m.subscriptionEnd()))
		return
	}

	id := m.caller.Bucket()
	if !h.streams.Enter(id, maxStreamsPerCaller) {
		h.refuse(w, r, problem.RateLimited.New("this caller has %d streams open, which is the maximum; close one",
			maxStreamsPerCaller))
		return
	}
	defer h.streams.Leave(id)

	eventStream(w.Header())
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(event(acknowledgement(m.ID, s)))
	h.notify(w, r, m, s)
	_, _ = w.Write(event(m.subscriptionEnd())) // for a client that is still connected
}

// subscriptionEnd returns the result that ends a stream of notifications.
func (m *message) subscriptionEnd() []byte {
	b := append(m.begin(nil), `{"_meta":{"`+protocol.MetaKeyServerInfo+`":`...)
	b = append(append(b, serverInfo...), `,"`+protocol.MetaKeySubscriptionID+`":`...)
	return append(append(b, m.ID...), `},"resultType":"complete"}}`...)
}

// requestedResources returns the resources that a client asks to subscribe to.
func requestedResources(m *message) []string {
	var filter protocol.SubscriptionFilter
	_ = json.Unmarshal(m.Params["notifications"], &filter) // its shape has been checked
	return filter.ResourceSubscriptions
}

// acknowledgement lists the resources for which notifications will be sent.
func acknowledgement(id json.RawMessage, s *subscriptions) []byte {
	return notification(protocol.MethodNotificationSubscriptionsAcknowledged,
		map[string]any{protocol.MetaKeySubscriptionID: id},
		map[string]any{"notifications": protocol.SubscriptionFilter{ResourceSubscriptions: slices.Sorted(
			maps.Keys(s.topics))}})
}

// notification is a message to a client that expects no answer.
func notification(method string, meta, params map[string]any) []byte {
	return mustEncode(protocol.JSONRPCNotification{
		JSONRPC: protocol.JSONRPC_VERSION,
		Notification: protocol.Notification{
			Method: method, Params: protocol.NotificationParams{Meta: meta, AdditionalFields: params},
		},
	})
}

// event frames a message as an event of a stream.
func event(message []byte) []byte {
	return fmt.Appendf(nil, "event: message\ndata: %s\n\n", message)
}
