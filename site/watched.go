package site

import (
	"errors"
	"net/http"
	"slices"

	"github.com/rodata/rodata/api/monitoring"
	rules "github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// watchedPath is the path of the companies in a watch-list, with their badges, for the script of the dashboard.
const watchedPath = "/dashboard/watchlists/{id}/companies"

// watchedPage is a page of the companies of a watch-list: that of the operation list_watched_companies, with badges.
type watchedPage struct {
	monitoring.WatchedPage
	Items []watchedRow `json:"items"`
}

// watchedRow is a company in a watch-list.
type watchedRow struct {
	monitoring.WatchedCompany
	Badges []badge `json:"badges"`
}

// serveWatched serves a page of a watch-list of the visitor's account.
func (s *Site) serveWatched(w http.ResponseWriter, r *http.Request) {
	v := s.visit(r)
	v.bySession = true
	writeSecurity(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	page, err := ask[monitoring.WatchedPage](v, "list_watched_companies", "id", r.PathValue("id"),
		"limit", v.param("limit"), "offset", v.param("offset"), "problemsFirst", v.param("problemsFirst"))
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		web.WriteProblem(w, p, v.base)
		return
	}

	rows := make([]watchedRow, len(page.Items))
	for i := range page.Items {
		rows[i] = watchedRow{page.Items[i], words{v.lang}.watchedBadges(&page.Items[i], ro.Today())}
	}

	web.WriteJSON(w, http.StatusOK, watchedPage{page, rows})
}

// watchedBadges returns the badges of a watched company, the most important first.
func (w words) watchedBadges(c *monitoring.WatchedCompany, today ro.Date) (badges []badge) {
	if !c.Paid {
		badges = append(badges, badge{Fact: "paid", Kind: bad, Text: w.say("watched.unpaid")})
	}

	switch {
	case c.State == monitoring.WatchedNotFound:
		return append(badges, badge{Fact: "found", Kind: bad, Text: w.say("watched.not_found")})
	case c.State == monitoring.WatchedNew:
		badges = append(badges, badge{Fact: "found", Kind: neutral, Text: w.say("watched.new")})
	}
	if c.Profile != nil {
		badges = append(badges, w.listed(rules.OfProfile(c.Profile, today))...)
	}

	slices.SortStableFunc(badges, byRank)
	return badges
}
