package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// subscribe answers resources/subscribe of the revisions with sessions. Notifications are sent on the stream that the
// session has opened with GET on this edge.
func (h *Handler) subscribe(w *response, r *http.Request, m *message) {
	uri := m.text("uri")
	t, changes, err := h.topic(r.Context(), m.caller.Account(), uri)
	if err == nil && !changes {
		h.subscribeOther(w, r, m)
		return
	}
	if err == nil {
		err = h.subscribeSession(r, m, uri, t)
	}
	if err != nil {
		h.refuseTopic(w, r, m, m.Params["uri"], err)
		return
	}

	sendJSON(w, http.StatusOK, append(m.begin(nil), "{}}\n"...))
}

func (h *Handler) subscribeSession(r *http.Request, m *message, uri string, t topic) error {
	c := client{r.Header.Get(sessionHeader), m.caller.Account()}
	if c.session == "" {
		return problem.Invalid(&problem.InputError{Parameter: sessionHeader, Code: problem.Required,
			Accepted: "the session id that initialize answered with",
			Reason:   "subscriptions belong to a session"})
	}

	s := h.Subscribers.await(r.Context(), c)
	if s == nil {
		return problem.Unavailable.New("this session has no open stream at this edge, on which it could be told of " +
			"changes: open one (GET with Accept: text/event-stream and the same key), then subscribe; a load balancer " +
			"must route by Mcp-Session-Id")
	}

	if err := s.add(r.Context(), h.Changes, uri, t); err != nil {
		return err
	}

	s.wake()
	return nil
}

// unsubscribe answers resources/unsubscribe. It also succeeds for resources that the session is not subscribed to.
func (h *Handler) unsubscribe(w *response, r *http.Request, m *message) {
	uri := m.text("uri")
	if !watchable(uri) || h.Changes == nil {
		h.subscribeOther(w, r, m)
		return
	}

	if s := h.Subscribers.find(client{r.Header.Get(sessionHeader), m.caller.Account()}); s != nil {
		s.remove(uri)
	}

	sendJSON(w, http.StatusOK, append(m.begin(nil), "{}}\n"...))
}

// subscribeOther answers for a URI that is neither a company nor a watch-list. The resources that mcp-go serves never
// change.
func (h *Handler) subscribeOther(w *response, r *http.Request, m *message) {
	if h.Changes == nil || h.server.ListResources()[m.text("uri")] != nil {
		h.transport.ServeHTTP(w, r)
		return
	}

	f := invalid(protocol.INVALID_PARAMS,
		"%s never changes or does not exist; subscribe to company://{cui} or watchlist://{id}",
		problem.Quoted(m.text("uri")))
	if m.text("uri") == "" {
		f.Text = "uri is required"
	}

	f.answer(w, m)
}

// refuseTopic answers with the reason why a client cannot subscribe to a resource.
func (h *Handler) refuseTopic(w *response, r *http.Request, m *message, uri json.RawMessage, err error) {
	var p *problem.Problem
	if !errors.As(err, &p) {
		h.Logger.LogAttrs(r.Context(), slog.LevelError, "watch-lists cannot be read", slog.Any("error", err))
		p = problem.Unavailable.New("the watch-lists cannot be read just now; try again shortly")
		p.RetryAfter = heartbeat
	}

	reply := &api.Reply{Status: p.Status(), Problem: p}
	if p.Kind == problem.Unauthorized && h.Challenge != "" {
		h.write(w, r, reply)
		return
	}

	o := outcome{Reply: reply, document: p.JSON(h.BaseURL(r)), modern: m.modern}
	o.resourceFault(uri).answer(w, m)
}

// listen answers subscriptions/listen of the revisions without sessions: the answer is a stream of notifications about
// the requested resources, until the client disconnects.
func (h *Handler) listen(w *response, r *http.Request, m *message) {
	s := &subscriptions{account: m.caller.Account()}
	for _, uri := range requestedResources(m) {
		t, changes, err := h.topic(r.Context(), s.account, uri)
		if err == nil && changes {
			err = s.add(r.Context(), h.Changes, uri, t)
		}
		if err != nil {
			h.refuseTopic(w, r, m, mustEncode(uri), err)
			return
		}
	}

	if s.empty() {
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
	h.notify(w, r, &notifier{subscriptions: s, meta: map[string]any{protocol.MetaKeySubscriptionID: m.ID},
		mayContinue: h.keyCheck(r)})
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

// keyCheck returns a function that checks whether the caller's key is still valid.
func (h *Handler) keyCheck(r *http.Request) func(context.Context) bool {
	return func(ctx context.Context) bool {
		_, refused := h.Gateway.Authenticate(ctx, h.call(r, nil, nil))
		return refused == nil || refused.Kind != problem.Unauthorized
	}
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
