package api

import "context"

// Companies is what the service knows of companies, from both registers.
type Companies interface {
	// Company is the profile of one company. ErrUnknown means that no register
	// knows the number; a *Failure, that none could be asked and none is stored.
	Company(ctx context.Context, cui CUI) (Answer[Company], error)
}

// Fixings is the archive of the central bank's reference rates.
type Fixings interface {
	// On is the last fixing published on or before a day; the zero Date means
	// the latest there is. ErrUnknown means that the archive begins later.
	On(ctx context.Context, day Date) (Fixing, Freshness, error)
	// Between are the rates of one currency from one day to another, both
	// included, ascending; days without a quotation are absent.
	Between(ctx context.Context, currency Currency, from, to Date) ([]Quotation, Freshness, error)
	// LastQuoted is the last day on or before a day on which the bank published
	// the currency; false when it never did until then.
	LastQuoted(ctx context.Context, currency Currency, day Date) (Date, bool, error)
	// Currencies are all that the bank ever published, sorted; RON is not among
	// them.
	Currencies() []Currency
}

// Fixing is what the central bank published on one day.
type Fixing struct {
	Date  Date
	Rates []Rate // sorted by currency
}

// Rate is the price of one unit of a currency in RON.
type Rate struct {
	Currency Currency `json:"currency" doc:"ISO 4217 code."`
	Rate     Decimal  `json:"rate" doc:"RON for 1 unit of the currency, exactly as published, divided by the multiplier where the bank quotes 100 units."`
}

// Quotation is the rate of a currency on one day.
type Quotation struct {
	Date Date    `json:"date" doc:"Day of the fixing."`
	Rate Decimal `json:"rate" doc:"RON for 1 unit of the currency."`
}
