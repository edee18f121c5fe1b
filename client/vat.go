package client

import (
	"context"
	"iter"
	"net/url"
	"time"
)

// VATStatus is the status of a VAT number in VIES.
type VATStatus string

// The statuses of a VAT number.
const (
	VATValid   VATStatus = "valid"
	VATInvalid VATStatus = "invalid"
	// VATUnknown means that the member state could not be queried. It does not mean invalid: retry later.
	VATUnknown VATStatus = "unknown"
)

// VATCheck is the check of a VAT number of the Union.
type VATCheck struct {
	VATNumber   string     `json:"vatNumber"`
	CountryCode string     `json:"countryCode"`
	Status      VATStatus  `json:"status"`
	Name        *string    `json:"name"`
	Address     *string    `json:"address"`
	RequestDate *time.Time `json:"requestDate"`
	// ConsultationNumber proves the check; it is issued to a requester.
	ConsultationNumber *string `json:"consultationNumber"`
	Requester          *string `json:"requester"`
	// Reason is the reason for an unknown status, and RetryAfterSeconds the pause before a retry.
	Reason            *string `json:"reason"`
	RetryAfterSeconds *int    `json:"retryAfterSeconds"`
	// LastKnown is the last known status of a number whose status is unknown now.
	LastKnown        *KnownVATStatus   `json:"lastKnown"`
	RomanianRegister *RomanianRegister `json:"romanianRegister"`
	Sources          []Source          `json:"sources"`
	Receipt          *string           `json:"receipt"`
}

// KnownVATStatus is a status at a time in the past.
type KnownVATStatus struct {
	Status VATStatus `json:"status"`
	At     time.Time `json:"at"`
}

// RomanianRegister is the tax authority's answer about a Romanian number.
type RomanianRegister struct {
	VATPayer *bool `json:"vatPayer"`
	AsOf     *Date `json:"asOf"`
}

// CheckVATNumber checks a VAT number, such as DE811569869. requester is the VAT number on whose behalf VIES is queried;
// empty for the VAT number on the account's invoices.
func (c *Client) CheckVATNumber(ctx context.Context, number, requester string) (*VATCheck, error) {
	return get[VATCheck](ctx, c, "/v1/vat-numbers/"+url.PathEscape(number), params{"requester": requester})
}

// VATBatch is a list of VAT numbers to check in one call.
type VATBatch struct {
	VATNumbers []string `json:"vatNumbers"`
	// Requester is the number on whose behalf VIES is queried; empty for the one on the account's invoices.
	Requester string `json:"requester,omitempty"`
	// WaitSeconds bounds the wait for VIES, 1 to 25; 0 means 20.
	WaitSeconds int `json:"waitSeconds,omitempty"`
	// InOrder returns the items in the order of the list, instead of as they become known.
	InOrder bool `json:"-"`
	// IdempotencyKey is as in [Batch].
	IdempotencyKey string `json:"-"`
	// Summary, unless it is nil, receives the totals once all items have arrived.
	Summary *VATSummary `json:"-"`
}

// VATItem is the outcome for one number of a list.
type VATItem struct {
	// Index is its position in the list, from 0.
	Index int `json:"index"`
	// Input is the text that was sent if it differs from VATNumber.
	Input     string  `json:"input,omitempty"`
	VATNumber *string `json:"vatNumber,omitempty"`
	// Status is the HTTP status that a single check would have.
	Status int `json:"status"`
	// Check is set with the status 200, Problem otherwise.
	Check   *VATCheck `json:"check,omitempty"`
	Problem *Problem  `json:"problem,omitempty"`
}

// VATSummary holds the totals of a list.
type VATSummary struct {
	Count   int `json:"count"`
	Valid   int `json:"valid"`
	Invalid int `json:"invalid"`
	// Refused is the number of malformed VAT numbers, Unknown the number that could not be checked now.
	Refused          int    `json:"refused"`
	Unknown          int    `json:"unknown"`
	TookMs           int64  `json:"tookMs"`
	CreditsCost      int64  `json:"creditsCost"`
	CreditsRemaining *int64 `json:"creditsRemaining,omitempty"`
}

// CheckVATNumbers checks VAT numbers and yields each result as it arrives. If a number cannot be checked, its item has
// a Problem and the iteration continues. An error ends the iteration.
func (c *Client) CheckVATNumbers(ctx context.Context, b VATBatch) iter.Seq2[VATItem, error] {
	r := listRequest("/v1/vat-numbers/batch", b.InOrder, b.IdempotencyKey)
	return items(ctx, c, r, &b, b.Summary, func(*VATItem) error { return nil })
}
