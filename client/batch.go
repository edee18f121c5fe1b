package client

import (
	"context"
	"encoding/json"
	"iter"
)

// Batch is a list of companies to look up in one call: up to 1,000 with a key, 100 without one, unless the gateway's
// operator sets other limits.
type Batch struct {
	Items []BatchQuery `json:"items"`
	// Fields limits the answer to some fields of the profile; a dot selects a member of an object: seat.city.
	Fields []string `json:"fields,omitempty"`
	// Include lists the parts to embed.
	Include []Part `json:"include,omitempty"`
	// WaitSeconds is the maximum time to wait for the registries, 1 to 25; 0 means 20. A company that is not known by
	// then gets the status 504, and the gateway fetches it in the background.
	WaitSeconds int `json:"waitSeconds,omitempty"`
	// InOrder returns the items in the order of the list, instead of as they become known.
	InOrder bool `json:"-"`
	// IdempotencyKey identifies the call, so that a repeated one is not charged again within 24 hours. Default: a
	// random one for each call.
	IdempotencyKey string `json:"-"`
	// Summary, unless it is nil, receives the totals once all items have arrived.
	Summary *BatchSummary `json:"-"`
}

// BatchQuery is one company of a list.
type BatchQuery struct {
	// TaxID is a tax id, with or without RO, or a trade register number.
	TaxID string `json:"taxId"`
	// Date is the day of the requested statuses; zero for today.
	Date Date `json:"date,omitzero"`
	// Reference is a text of your own, repeated in the answer.
	Reference string `json:"reference,omitempty"`
}

// BatchItem is the outcome for one company of a list.
type BatchItem struct {
	// Index is its position in the list, from 0.
	Index     int    `json:"index"`
	Reference string `json:"reference,omitempty"`
	// Input is the text that was sent if it is not a valid tax id.
	Input string `json:"input,omitempty"`
	TaxID *int64 `json:"taxId,omitempty"`
	Date  *Date  `json:"date,omitempty"`
	// Status is the HTTP status that a single look-up would have.
	Status int `json:"status"`
	// Company is set if Status is 200. If the request had Fields, Company has only those fields. Otherwise Problem is
	// set.
	Company *Company `json:"-"`
	Problem *Problem `json:"problem,omitempty"`
	// Raw is the company as sent.
	Raw json.RawMessage `json:"company,omitempty"`
}

// BatchSummary holds the totals of a list.
type BatchSummary struct {
	Count int `json:"count"`
	// Found counts the items with status 200, NotFound the unknown companies, Invalid the items with status 400, and
	// Failed those that could not be answered now.
	Found    int   `json:"found"`
	NotFound int   `json:"notFound"`
	Invalid  int   `json:"invalid"`
	Failed   int   `json:"failed"`
	TookMs   int64 `json:"tookMs"`
	// CreditsCost is the price of the call in credits; CreditsRemaining is nil without a key, or without a limit.
	CreditsCost      int64  `json:"creditsCost"`
	CreditsRemaining *int64 `json:"creditsRemaining,omitempty"`
}

// Batch looks up companies and yields each result as it arrives. If the look-up of a company fails, its item has a
// Problem and the iteration continues. An error ends the iteration.
func (c *Client) Batch(ctx context.Context, b Batch) iter.Seq2[BatchItem, error] {
	return items(ctx, c, listRequest("/v1/companies/batch", b.InOrder, b.IdempotencyKey), &b, b.Summary,
		func(item *BatchItem) error {
			if len(item.Raw) == 0 {
				return nil
			}

			item.Company = new(Company)
			return json.Unmarshal(item.Raw, item.Company)
		})
}
