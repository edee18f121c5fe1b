package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Changes is the source of subscription updates: the events of accounts' watch-lists.
type Changes interface {
	monitoring.Events
	// Watches reports whether one of the account's watch-lists contains the company.
	Watches(ctx context.Context, account string, company ro.CUI) (bool, error)
	// WatchlistID returns the id of the account's watch-list with a given name, which may be "default"; empty if there
	// is none.
	WatchlistID(ctx context.Context, account, named string) (string, error)
	// Now returns the end of the account's feed.
	Now(ctx context.Context, account string) (monitoring.EventCursor, error)
}

// maxSubscriptions is the maximum number of resources that one client can subscribe to. The resource of a watch-list
// covers all of its companies.
const maxSubscriptions = 100

// topic is a resource that can change: a company or a watch-list.
type topic struct {
	company   ro.CUI
	watchlist string
}

// feedPage is the maximum number of events read at once.
const feedPage = 1000

// changed returns the resources that have changed since the previous call, each once.
func (s *stream) changed(ctx context.Context, changes Changes) ([]string, error) {
	var uris []string
	for {
		page, err := changes.Feed(ctx, s.account, s.after, monitoring.EventFilter{}, feedPage)
		if err != nil {
			return uris, err
		}

		uris = s.apply(uris, page)
		if !page.More && !page.Expired {
			slices.Sort(uris)
			return slices.Compact(uris), nil
		}
	}
}

// apply moves the cursor past a page of events and appends the resources that the events concern.
func (s *stream) apply(uris []string, page monitoring.EventPage) []string {
	s.after = page.Next
	for i := range page.Events {
		e := &page.Events[i].Data
		for uri, t := range s.topics {
			if e.TaxID != nil && *e.TaxID == t.company || e.Watchlist != nil && *e.Watchlist == t.watchlist {
				uris = append(uris, uri)
			}
		}
	}

	return uris
}

// topic returns the company or watch-list behind a URI, if the caller may subscribe to it. The second result is false
// for resources that never change or do not exist.
func (h *Handler) topic(ctx context.Context, caller *account.Caller, uri string) (topic, bool, error) {
	text, ofCompany := strings.CutPrefix(uri, companyScheme)
	named, ofList := strings.CutPrefix(uri, watchlistScheme)
	owner := caller.Account()
	switch {
	case h.Changes == nil || !ofCompany && !ofList:
		return topic{}, false, nil
	case owner == "":
		return topic{}, true, problem.Unauthorized.New("subscribing needs a key: send it as \"Authorization: Bearer " +
			"<key>\"")
	}
	if err := op.CheckScope(caller, account.WatchScope); err != nil {
		return topic{}, true, err
	}
	if ofCompany {
		return h.companyTopic(ctx, owner, text)
	}

	id, err := h.Changes.WatchlistID(ctx, owner, named)
	if err == nil && id == "" {
		err = problem.NotFound.New("this account has no watch-list %s; GET /v1/watchlists lists those that it has",
			problem.Quoted(named))
	}

	return topic{watchlist: id}, true, err
}

func (h *Handler) companyTopic(ctx context.Context, owner, text string) (topic, bool, error) {
	var company ro.CUI
	if wrong, ok := errors.AsType[*problem.InputError](company.UnmarshalText([]byte(text))); ok {
		wrong.Parameter, wrong.Received = "cui", problem.Excerpt(text)
		return topic{}, true, problem.Invalid(wrong)
	}

	watched, err := h.Changes.Watches(ctx, owner, company)
	if err == nil && !watched {
		err = problem.Forbidden.New("company %s is in none of this account's watch-lists: call watch_company first, "+
			"then subscribe", company)
	}

	return topic{company: company}, true, err
}

// The limits of streams.
const (
	heartbeat           = 15 * time.Second // well below the idle timeout of proxies
	recheckTime         = 5 * time.Minute  // the time after which a stream authenticates its caller again
	updatePause         = time.Second      // the minimum time between two reads of the feed
	maxStreamsPerCaller = 64               // an account may be a connector that serves many people
)

// stream is an open stream of notifications about the resources that a client subscribed to. mcp-go writes them, and
// this package the comments and the last message.
type stream struct {
	account string
	topics  map[string]topic       // by URI, as the client wrote it
	after   monitoring.EventCursor // events up to this cursor have been reported
	filter  protocol.SubscriptionFilter
	ended   chan struct{}
	leave   func()
	updates chan<- protocol.JSONRPCNotification
}

// listen prepares the answer to subscriptions/listen: a stream of notifications about the requested resources, until
// the client disconnects. It reduces the filter to the resources that can change. Only accounts have such resources, so
// that anonymous callers hold no stream.
func (x *exchange) listen(ctx context.Context, filter *protocol.SubscriptionFilter) {
	s := &stream{account: x.caller.Account(), topics: make(map[string]topic), ended: make(chan struct{})}
	uris := filter.ResourceSubscriptions
	*filter = protocol.SubscriptionFilter{}
	if len(uris) > maxSubscriptions { // also if most are the same: each is looked up
		x.refuseTopic(uris[maxSubscriptions], problem.Invalid(&problem.InputError{Parameter: "uri",
			Code: problem.OutOfRange, Accepted: fmt.Sprintf("at most %d subscriptions of a client; watchlist://{id} "+
				"stands for all companies of a watch-list", maxSubscriptions)}))
		return
	}

	if !x.admit(x.w, x.r, x.caller, 1+int64(len(uris))/10) {
		x.replace(func() {}) // the answer has been sent
		return
	}

	for _, uri := range uris {
		t, changes, err := x.topic(ctx, x.caller, uri)
		if err == nil && changes && len(s.topics) == 0 {
			s.after, err = x.Changes.Now(ctx, s.account)
		}
		if err != nil {
			x.refuseTopic(uri, err)
			return
		}
		if changes {
			s.topics[uri] = t
		}
	}

	if len(s.topics) == 0 {
		x.replace(func() { // mcp-go may lose a notification that is followed by the result at once
			x.acknowledge(*filter)
			_, _ = x.w.Write(x.streamEnd())
		})
		return
	}

	id := x.caller.Bucket()
	if !x.streams.Enter(id, maxStreamsPerCaller) {
		x.refuseWith(&op.Reply{Problem: problem.RateLimited.New("this account has %d open streams, the maximum, or the "+
			"service has too many; close one, or call list_changes", maxStreamsPerCaller).After(time.Minute)})
		return
	}

	filter.ResourceSubscriptions = slices.Sorted(maps.Keys(s.topics))
	s.filter, s.updates = *filter, server.ClientSessionFromContext(ctx).NotificationChannel()
	s.leave, x.stream = func() { x.streams.Leave(id) }, s
	go x.notify(ctx)
}

// refuseTopic answers with the reason why a client cannot subscribe to a resource.
func (x *exchange) refuseTopic(uri string, err error) {
	var p *problem.Problem
	if !errors.As(err, &p) {
		x.Logger.LogAttrs(x.r.Context(), slog.LevelError, "watch-lists cannot be read", slog.Any("error", err))
		p = problem.Unavailable.New("the watch-lists cannot be read just now; try again shortly").After(heartbeat)
	}

	reply := &op.Reply{Status: p.Status(), Problem: p}
	if x.challenges(p) {
		x.refuseWith(reply)
		return
	}

	x.fail(x.resourceFault(uri, reply))
}

// notify sends a notification for each resource that changes, and a comment every heartbeat, until the client
// disconnects, its key is revoked or the server shuts down.
func (x *exchange) notify(ctx context.Context) {
	defer close(x.stream.ended)
	defer x.cancel()
	beat, recheck, look := time.NewTicker(heartbeat), time.NewTicker(recheckTime), time.NewTimer(updatePause)
	stopped, revoked := x.streams.Stopped(x.r), x.streams.Changed(x.stream.account)

	var changed <-chan struct{} // nil during the pause after a read
	for alive := x.isRecognized(); alive; {
		select {
		case <-beat.C:
			alive = x.comment()
			x.sendUpdates(ctx) // those that could not be read the last time
		case <-changed:
			changed = nil
			x.sendUpdates(ctx)
			look.Reset(updatePause)
		case <-look.C:
			changed = x.Changes.Wait() // before the read, so that no event is missed in between
			x.sendUpdates(ctx)
		case <-recheck.C:
			alive = x.isRecognized()
		case <-revoked:
			revoked = x.streams.Changed(x.stream.account)
			alive = x.isRecognized()
		case <-stopped:
			return
		case <-x.streams.Closed():
			return
		case <-ctx.Done():
			return
		}
	}
}

// isRecognized reports whether the stream's caller may still receive it.
func (x *exchange) isRecognized() bool {
	return x.Gateway.Recognizes(x.r.Context(), x.call(x.r, nil, nil), x.caller)
}

// sendUpdates sends a notification for each resource that has changed.
func (x *exchange) sendUpdates(ctx context.Context) {
	uris, err := x.stream.changed(ctx, x.Changes)
	if err != nil && ctx.Err() == nil {
		x.Logger.LogAttrs(ctx, slog.LevelError,
			"changes cannot be read for a subscription; the next try is within "+heartbeat.String(),
			slog.Any("error", err))
	}

	for _, uri := range uris {
		select {
		case x.stream.updates <- protocol.JSONRPCNotification{
			JSONRPC: protocol.JSONRPC_VERSION,
			Notification: protocol.Notification{Method: protocol.MethodNotificationResourceUpdated,
				Params: protocol.NotificationParams{AdditionalFields: map[string]any{"uri": uri}}},
		}:
		case <-ctx.Done():
			return
		}
	}
}

// comment keeps proxies from closing an idle stream. It returns false if the client has disconnected.
func (x *exchange) comment() bool {
	_, err := io.WriteString(x, ": nothing to tell\n\n")
	x.Flush()
	return err == nil
}

// endStream waits until the stream's notifications have ended, and sends its result to a client that is still
// connected. mcp-go loses the acknowledgement of a stream that ends while it is being sent.
func (x *exchange) endStream() {
	if x.stream == nil {
		return
	}

	x.cancel()
	<-x.stream.ended
	x.stream.leave()
	if !x.started {
		x.acknowledge(x.stream.filter)
	}

	_, _ = x.Write(x.streamEnd())
}

// acknowledge begins a stream with the resources that it is about.
func (x *exchange) acknowledge(filter protocol.SubscriptionFilter) {
	x.w.Header().Set("Content-Type", op.SSEType)
	passThrough(x.w.Header())
	_, _ = x.w.Write(event(map[string]any{"jsonrpc": protocol.JSONRPC_VERSION,
		"method": protocol.MethodNotificationSubscriptionsAcknowledged,
		"params": map[string]any{"_meta": map[string]any{protocol.MetaKeySubscriptionID: x.ID},
			"notifications": filter}}))
}

// streamEnd returns the result of subscriptions/listen.
func (x *exchange) streamEnd() []byte {
	result := protocol.SubscriptionsListenResult{Result: protocol.Result{ResultType: protocol.ResultTypeComplete}}
	meta := result.EnsureResultMeta()
	meta.SetSubscriptionID(x.ID)
	meta.SetServerInfo(serverInfo)
	return event(map[string]any{"jsonrpc": protocol.JSONRPC_VERSION, "id": x.ID, "result": result})
}

// event frames a message as an event of a stream.
func event(message any) []byte {
	return fmt.Appendf(nil, "event: message\ndata: %s\n\n", mustEncode(message))
}
