package client

import "context"

// CompanyStatus is the statuses of a company on a day.
type CompanyStatus struct {
	TaxID int64  `json:"taxId"`
	Name  string `json:"name"`
	Date  Date   `json:"date"`
	// RegistrationDate is the day on which the company was registered; nil if unknown. A status on a day before it is
	// nil, never false.
	RegistrationDate *Date `json:"registrationDate"`
	// KnownAt is the day on whose evening the register gave this answer; nil for the register's current data.
	KnownAt *Date `json:"knownAt"`
	DayStatuses
	// Now is the register's current answer about the same day, and ChangedRetroactively reports whether it differs; nil
	// without KnownAt.
	Now                  *DayStatuses `json:"now"`
	ChangedRetroactively *bool        `json:"changedRetroactively"`
	Sources              []Source     `json:"sources"`
	// Receipt is the id of the signed receipt for this answer; nil if there is no receipt.
	Receipt *string `json:"receipt"`
}

// DayStatuses are the statuses of a company on a day in the tax authority's registers.
type DayStatuses struct {
	VATPayer        DayStatus `json:"vatPayer"`
	VATOnCollection DayStatus `json:"vatOnCollection"`
	VATSplit        DayStatus `json:"vatSplit"`
	Inactive        DayStatus `json:"inactive"`
	EInvoice        DayStatus `json:"eInvoice"`
}

// DayStatus is a register's answer about a company on a day.
type DayStatus struct {
	// Value is nil if it is unknown whether the status held.
	Value *bool `json:"value"`
	// From is the first day of the period, and To the first day after it.
	From      *Date   `json:"from"`
	To        *Date   `json:"to"`
	EnteredOn *Date   `json:"enteredOn"`
	Reason    *string `json:"reason"`
	// Basis is register, observed or periods; nil without a value.
	Basis *string `json:"basis"`
}

// CompanyStatus returns the statuses of a company on a day; the zero day is today. If knownAt is not zero, it returns
// what was known about that day at the end of knownAt.
func (c *Client) CompanyStatus(ctx context.Context, taxID string, day, knownAt Date) (*CompanyStatus, error) {
	path := "/v1/companies/" + pathID(taxID) + "/status"
	return get[CompanyStatus](ctx, c, path, params{"date": day, "knownAt": knownAt})
}
