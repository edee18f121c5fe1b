package client

import (
	"context"
	"encoding/json"
)

// Decimal is a number exactly as published.
type Decimal = json.Number

// Rate is the price of 1 unit of a currency in RON.
type Rate struct {
	Currency string  `json:"currency"`
	Rate     Decimal `json:"rate"`
	// Unit is "gram" for XAU, which is a gram of gold; empty for all others.
	Unit string `json:"unit,omitempty"`
}

// DayRates are the central bank's rates for a day.
type DayRates struct {
	// Date is the day of the fixing that applies to RequestedDate.
	Date          Date   `json:"date"`
	RequestedDate Date   `json:"requestedDate"`
	Target        string `json:"target"`
	Source        string `json:"source"`
	Items         []Rate `json:"items"`
	// NotQuoted are requested currencies that are missing from this fixing.
	NotQuoted []string `json:"notQuoted,omitempty"`
}

// RateHistory is the rate of a currency over time.
type RateHistory struct {
	Currency string      `json:"currency"`
	Target   string      `json:"target"`
	Unit     string      `json:"unit,omitempty"`
	Source   string      `json:"source"`
	From     Date        `json:"from"`
	To       Date        `json:"to"`
	Items    []DatedRate `json:"items"`
}

// DatedRate is the rate of a day with a publication.
type DatedRate struct {
	Date Date    `json:"date"`
	Rate Decimal `json:"rate"`
}

// LastQuotation is the last day on which a currency was published.
type LastQuotation struct {
	Currency string `json:"currency"`
	Date     Date   `json:"date"`
}

// Conversion is an amount converted at the official rate.
type Conversion struct {
	Amount Decimal `json:"amount"`
	From   string  `json:"from"`
	To     string  `json:"to"`
	Date   Date    `json:"date"`
	Rate   Decimal `json:"rate"`
	Result Decimal `json:"result"`
	Unit   string  `json:"unit,omitempty"` // "gram" if one of the currencies is XAU
	Source string  `json:"source"`
}

// Basis is the rule that selects the fixing for a day.
type Basis string

// The rules.
const (
	// FixingBasis selects the last fixing published on or before the day. It is the default.
	FixingBasis Basis = "fixing"
	// InvoiceBasis selects the last fixing published before the day, as required for Romanian invoices in foreign
	// currency.
	InvoiceBasis Basis = "invoice"
)

// Rates returns the rates for a day; the zero day selects the latest fixing. Without currencies it returns all.
func (c *Client) Rates(ctx context.Context, day Date, basis Basis, currencies ...string) (*DayRates, error) {
	return get[DayRates](ctx, c, "/v1/fx-rates",
		params{"date": day, "basis": basis, "currency": list(currencies)})
}

// RateHistory returns the rates of a currency in a range of days; zero days use the gateway's defaults.
func (c *Client) RateHistory(ctx context.Context, currency string, from, to Date) (*RateHistory, error) {
	return get[RateHistory](ctx, c, "/v1/fx-rates/history", params{"currency": currency, "from": from, "to": to})
}

// Convert converts an amount at the rates for a day; the zero day selects the latest fixing.
func (c *Client) Convert(ctx context.Context, amount Decimal, from, to string, day Date,
	basis Basis) (*Conversion, error) {
	return get[Conversion](ctx, c, "/v1/fx-rates/convert",
		params{"amount": amount, "from": from, "to": to, "date": day, "basis": basis})
}
