package client

import "context"

// Peers compares a company's figures of a year with those of the companies with the same activity in the Ministry of
// Finance's files of that year.
type Peers struct {
	TaxID int64 `json:"taxId"`
	Year  int   `json:"year"`
	// CAENCode is the main activity in the company's statement of the year; nil if the files have no such statement.
	CAENCode *string `json:"caenCode"`
	// Level is the level requested: class, group or division.
	Level string `json:"level"`
	// Reason says why there are no peers; nil if there are.
	Reason    *string    `json:"reason"`
	Turnover  PeerFigure `json:"turnover"`
	NetResult PeerFigure `json:"netResult"`
	Employees PeerFigure `json:"employees"`
	Equity    PeerFigure `json:"equity"`
	// FilesAsOf is the date of the oldest of the ministry's files of the year.
	FilesAsOf *Date    `json:"filesAsOf"`
	Sources   []Source `json:"sources"`
}

// PeerFigure compares one figure with that of the peers that state it.
type PeerFigure struct {
	// Value is the company's figure; nil if the company does not state it.
	Value *int64 `json:"value"`
	// Level is the level of the peers: the requested one or, if fewer than 30 state the figure, the next wider one.
	// Code is the code that they share. Both are nil without peers.
	Level *string `json:"level"`
	Code  *string `json:"code"`
	// P10 to P90 are nearest-rank percentiles; nil if no peer states the figure.
	P10 *int64 `json:"p10"`
	P25 *int64 `json:"p25"`
	P50 *int64 `json:"p50"`
	P75 *int64 `json:"p75"`
	P90 *int64 `json:"p90"`
	// Rank is the position of Value among the peers, 1 for the largest; equal figures share the best position.
	Rank *int `json:"rank"`
	// N is the number of peers that state the figure, including the company if it does.
	N int `json:"n"`
}

// Peers compares a company with its peers. Year 0 is the newest with a statement of the company in the files, and level
// "" the class.
func (c *Client) Peers(ctx context.Context, taxID string, year int, level string) (*Peers, error) {
	return get[Peers](ctx, c, "/v1/companies/"+pathID(taxID)+"/peers", params{"year": year, "level": level})
}
