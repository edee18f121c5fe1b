package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// maxSubscriptions is the maximum number of resources that one client can subscribe to. The resource of a watch-list
// covers all of its companies.
const maxSubscriptions = 100

// topic is a resource that can change: a company or a watch-list.
type topic struct {
	company   ro.CUI
	watchlist string
}

// subscriptions are the resources that one client has subscribed to. The zero value has none.
type subscriptions struct {
	account string
	topics  map[string]topic       // by URI, as the client wrote it
	after   monitoring.EventCursor // events up to this cursor have been reported
}

// add subscribes to a resource, beginning with the next event.
func (s *subscriptions) add(ctx context.Context, changes Changes, uri string, t topic) error {
	now, err := changes.Now(ctx, s.account)
	if err != nil {
		return err
	}

	if _, subscribed := s.topics[uri]; !subscribed && len(s.topics) == maxSubscriptions {
		return errTooMany
	}
	if len(s.topics) == 0 {
		s.topics, s.after = make(map[string]topic), now
	}

	s.topics[uri] = t
	return nil
}

var errTooMany = problem.Invalid(&problem.InputError{Parameter: "uri", Code: problem.OutOfRange,
	Accepted: fmt.Sprintf("at most %d subscriptions of a client; watchlist://{id} stands for all companies of a "+
		"watch-list", maxSubscriptions)})

func (s *subscriptions) isEmpty() bool { return len(s.topics) == 0 }

// feedPage is the maximum number of events read at once.
const feedPage = 1000

// updates returns the resources that have changed since the previous call, each once.
func (s *subscriptions) updates(ctx context.Context, changes Changes) ([]string, error) {
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
func (s *subscriptions) apply(uris []string, page monitoring.EventPage) []string {
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
	owner, named := caller.Account(), strings.TrimPrefix(uri, watchlistScheme)
	switch {
	case h.Changes == nil || !isWatchable(uri):
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
		err = problem.NotFound.New("this account has no watch-list %s; list_watchlists lists those that it has",
			problem.Quoted(named))
	}

	return topic{watchlist: id}, true, err
}

func (h *Handler) companyTopic(ctx context.Context, owner, text string) (topic, bool, error) {
	var company ro.CUI
	if err := company.UnmarshalText([]byte(text)); err != nil {
		wrong := problem.InputError{Parameter: "cui", Code: problem.InvalidFormat, Received: problem.Excerpt(text),
			Accepted: "a tax id, digits only"}
		if rule := (*problem.InputError)(nil); errors.As(err, &rule) {
			wrong.Code, wrong.Accepted = rule.Code, rule.Accepted
		}
		return topic{}, true, problem.Invalid(&wrong)
	}

	watched, err := h.Changes.Watches(ctx, owner, company)
	if err == nil && !watched {
		err = problem.Forbidden.New("company %s is in none of this account's watch-lists: call watch_company first, "+
			"then subscribe", company)
	}

	return topic{company: company}, true, err
}
