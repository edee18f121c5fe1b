package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// DefaultWatchlist is the id of an account's first watch-list, which is created on first use.
const DefaultWatchlist = "default"

// Watchlist is a list of companies whose changes are reported.
type Watchlist struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Events    []string `json:"events"`
	Digest    string   `json:"digest"`
	Language  string   `json:"language"`
	Every     string   `json:"every"`
	Companies int      `json:"companies"`
	// Unpaid is the month that the remaining credits do not cover; nil if all companies are paid for.
	Unpaid    *string   `json:"unpaid"`
	Feeds     Feeds     `json:"feeds"`
	CreatedAt time.Time `json:"createdAt"`
}

// Feeds are the paths of a watch-list's feeds for feed readers. Anyone who knows them can read them.
type Feeds struct {
	Atom string `json:"atom"`
	JSON string `json:"json"`
}

// WatchedCompany is a company in a watch-list.
type WatchedCompany struct {
	TaxID     int64   `json:"taxId"`
	Name      *string `json:"name"`
	Reference *string `json:"reference"`
	// State is new, found or not_found.
	State string `json:"state"`
	// StateRegistration, VATPayer, VATEndedOn and Inactive are from the registers' last data; nil if unknown.
	StateRegistration State `json:"stateRegistration"`
	VATPayer          *bool `json:"vatPayer"`
	// VATEndedOn is the first day after the last VAT registration, if it has ended.
	VATEndedOn    *Date      `json:"vatEndedOn"`
	Inactive      *bool      `json:"inactive"`
	Paid          bool       `json:"paid"`
	AddedAt       time.Time  `json:"addedAt"`
	LastCheckedAt *time.Time `json:"lastCheckedAt"`
	NextCheckAt   *time.Time `json:"nextCheckAt"`
	LastEventAt   *time.Time `json:"lastEventAt"`
}

// WatchedPage is a page of the companies of a watch-list.
type WatchedPage struct {
	Items      []WatchedCompany `json:"items"`
	TotalCount int              `json:"totalCount"`
	// ProblemCount is the number of companies with a problem; nil unless the page is sorted by problems.
	ProblemCount *int `json:"problemCount"`
}

// Watchlists returns the watch-lists of the account.
func (c *Client) Watchlists(ctx context.Context) ([]Watchlist, error) {
	var lists []Watchlist
	err := c.Get(ctx, "/v1/watchlists", nil, &lists)
	return lists, err
}

// Watch adds a company to a watch-list, for 1 credit a calendar month. Reference is a text of your own that its events
// repeat; empty keeps the existing one.
func (c *Client) Watch(ctx context.Context, list, taxID, reference string) error {
	r := request{method: http.MethodPut, path: watchedPath(list, taxID)}
	if reference != "" {
		r.body, _ = json.Marshal(map[string]string{"reference": reference}) // texts always have a JSON form
		r.bodyType = jsonType
	}

	return c.call(ctx, r, nil)
}

// Unwatch removes a company from a watch-list. It also succeeds if the company is not on the list.
func (c *Client) Unwatch(ctx context.Context, list, taxID string) error {
	return c.call(ctx, request{method: http.MethodDelete, path: watchedPath(list, taxID)}, nil)
}

// Watched returns a page of the companies of a watch-list, by tax id; limit 0 means 100.
func (c *Client) Watched(ctx context.Context, list string, limit, offset int) (*WatchedPage, error) {
	path := "/v1/watchlists/" + url.PathEscape(list) + "/companies"
	return get[WatchedPage](ctx, c, path, params{"offset": offset, "limit": limit})
}

func watchedPath(list, taxID string) string {
	return "/v1/watchlists/" + url.PathEscape(list) + "/companies/" + pathID(taxID)
}
