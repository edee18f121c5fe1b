package client

import "context"

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
	page, err := get[CountyPage](ctx, c, "/v1/counties", params{"limit": 100})
	return page.Items, err
}
