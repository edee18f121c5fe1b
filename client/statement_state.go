package client

import "context"

// StatementState says whether a company has filed its yearly statement, as far as public data tells.
type StatementState struct {
	TaxID int64 `json:"taxId"`
	Year  int   `json:"year"`
	// State is filed, not_in_published_files, not_required or unknown, and Reason says why.
	State  string `json:"state"`
	Reason string `json:"reason"`
	// DueOn is the last day for filing; nil if no statement is required. FiveMonthsEndOn is the last day of the five
	// months after it that Law names; both are nil where that law does not apply.
	DueOn           *Date   `json:"dueOn"`
	FiveMonthsEndOn *Date   `json:"fiveMonthsEndOn"`
	Law             *string `json:"law"`
	// LastFiled is the newest year up to Year with a known statement, and FilesAsOf the date of the ministry's files;
	// nil if there are none.
	LastFiled *int  `json:"lastFiled"`
	FilesAsOf *Date `json:"filesAsOf"`
	// Caveats say what public data does not tell.
	Caveats []string `json:"caveats"`
	Sources []Source `json:"sources"`
}

// StatementState returns the state of a company's statement for a year; 0 is the newest year whose statement was due.
func (c *Client) StatementState(ctx context.Context, taxID string, year int) (*StatementState, error) {
	return get[StatementState](ctx, c, "/v1/companies/"+pathID(taxID)+"/statements", params{"year": year})
}
