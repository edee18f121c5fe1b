package client

import (
	"context"
	"net/url"
)

// CAENCode is a code of the classification of activities, CAEN Rev.3.
type CAENCode struct {
	Code   string `json:"code"`
	Name   string `json:"name"`
	NameEn string `json:"nameEn"`
	// Type is section, division, group or class.
	Type              string  `json:"type"`
	Description       *string `json:"description"`
	ParentCode        *string `json:"parentCode"`
	ReplacesRev2Codes []int   `json:"replacesRev2Codes"`
}

// CAENDetails is a code with its ancestors and children.
type CAENDetails struct {
	CAENCode
	Parents  []CAENCode `json:"parents"`
	Children []CAENCode `json:"children"`
}

// CAENPage is a page of codes.
type CAENPage struct {
	TotalCount int        `json:"totalCount"`
	Limit      int        `json:"limit"`
	Offset     int        `json:"offset"`
	Items      []CAENCode `json:"items"`
	// ParentReplacedBy has the CAEN Rev.3 codes that replace the parent of the search, if Rev.3 dropped it.
	ParentReplacedBy []string `json:"parentReplacedBy,omitempty"`
}

// CAENCode returns a code. For a code that Rev.3 replaced, the error is a *Problem with CodeCAENCodeReplaced that
// lists the successors.
func (c *Client) CAENCode(ctx context.Context, code string) (*CAENDetails, error) {
	return get[CAENDetails](ctx, c, "/v1/caen-codes/"+url.PathEscape(code), nil)
}

// SearchCAENCodes returns the codes that match the words, the best match first; limit 0 means 25.
func (c *Client) SearchCAENCodes(ctx context.Context, words string, limit int) (*CAENPage, error) {
	page := new(CAENPage)
	query := params{"limit": limit}.values()
	query.Set("q", words) // also if it is empty: without it, all codes match
	return page, c.Get(ctx, "/v1/caen-codes", query, page)
}
