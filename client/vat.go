package client

import (
	"context"
	"net/url"
	"time"
)

// VATStatus is what VIES says of a VAT number.
type VATStatus string

// The statuses of a VAT number.
const (
	VATValid   VATStatus = "valid"
	VATInvalid VATStatus = "invalid"
	// VATUnknown means that the member state could not be asked. It is not invalid: ask again.
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
	// ConsultationNumber proves the check; it is given on behalf of a requester.
	ConsultationNumber *string `json:"consultationNumber"`
	Requester          *string `json:"requester"`
	// Reason says why the status is unknown, and RetryAfterSeconds when to ask again.
	Reason            *string `json:"reason"`
	RetryAfterSeconds *int    `json:"retryAfterSeconds"`
	// LastKnown is the last status that is known of a number whose status is unknown now.
	LastKnown        *KnownVATStatus   `json:"lastKnown"`
	RomanianRegister *RomanianRegister `json:"romanianRegister"`
	Sources          []Source          `json:"sources"`
	Receipt          *string           `json:"receipt"`
}

// KnownVATStatus is a status at an instant in the past.
type KnownVATStatus struct {
	Status VATStatus `json:"status"`
	At     time.Time `json:"at"`
}

// RomanianRegister is what the tax authority says of a Romanian number.
type RomanianRegister struct {
	VATPayer *bool `json:"vatPayer"`
	AsOf     *Date `json:"asOf"`
}

// CheckVATNumber checks a VAT number, as DE811569869. Requester is the number on whose behalf VIES is asked; empty for
// that of the account's invoices.
func (c *Client) CheckVATNumber(ctx context.Context, number, requester string) (*VATCheck, error) {
	query := make(url.Values)
	setText(query, "requester", requester)
	check := new(VATCheck)
	return check, c.Get(ctx, "/v1/vat-numbers/"+url.PathEscape(number), query, check)
}
