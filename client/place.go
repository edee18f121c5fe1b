package client

import (
	"context"
	"net/url"
)

// County is a county of Romania, or Bucharest.
type County struct {
	ID         int    `json:"id"`
	Name       string `json:"name"`
	Slug       string `json:"slug"`
	Code       string `json:"code"`
	ANAFCode   int    `json:"anafCode"`
	SIRUTACode int    `json:"sirutaCode"`
}

// CountyPage is a page of counties.
type CountyPage struct {
	TotalCount int      `json:"totalCount"`
	Limit      int      `json:"limit"`
	Offset     int      `json:"offset"`
	Items      []County `json:"items"`
}

// Counties returns all counties.
func (c *Client) Counties(ctx context.Context) ([]County, error) {
	page, err := get[CountyPage](ctx, c, "/v1/counties", url.Values{"limit": {"100"}})
	return page.Items, err
}

// Usage is the credits of an account this month.
type Usage struct {
	Plan   string `json:"plan"`
	Period string `json:"period"`
	// MonthlyCredits is negative for a plan without a limit; CreditsRemaining is nil then.
	MonthlyCredits   int64     `json:"monthlyCredits"`
	CreditsUsed      int64     `json:"creditsUsed"`
	CreditsRemaining *int64    `json:"creditsRemaining"`
	RateLimit        RateLimit `json:"rateLimit"`
}

// RateLimit is a plan's rate of requests a second, and its burst.
type RateLimit struct {
	PerSecond int `json:"rps"`
	Burst     int `json:"burst"`
}

// Usage returns the credits of the account of the key.
func (c *Client) Usage(ctx context.Context) (*Usage, error) {
	return get[Usage](ctx, c, "/v1/usage", nil)
}
