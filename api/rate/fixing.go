package rate

import (
	"context"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// Fixings is the archive of the central bank's reference rates.
type Fixings interface {
	// On returns the last fixing published on or before a day; the zero Date means the latest. ErrUnknown means that
	// the archive starts later.
	On(ctx context.Context, day ro.Date) (Fixing, op.Freshness, error)
	// Between returns the rates of one currency from one day to another inclusive, in ascending order; days without a
	// quotation are absent.
	Between(ctx context.Context, currency ro.Currency, from, to ro.Date) ([]Quotation, op.Freshness, error)
	// LastQuoted returns the last day, on or before a given one, on which the bank published the currency; false if
	// there is none.
	LastQuoted(ctx context.Context, currency ro.Currency, day ro.Date) (ro.Date, bool, error)
	// Currencies lists all currencies that the bank ever published, sorted, without RON.
	Currencies() []ro.Currency
}

// Fixing is the central bank's rates of one day.
type Fixing struct {
	Date  ro.Date
	Rates []Rate // sorted by currency
}

// Rate is the price of one unit of a currency in RON.
type Rate struct {
	Currency ro.Currency `json:"currency" doc:"ISO 4217 code."`
	Rate     ro.Decimal  `json:"rate" brief:"RON for 1 unit." doc:"RON for 1 unit of the currency, exactly as published, divided by the multiplier if the bank quotes 100 units."`
	Unit     ro.Unit     `json:"unit,omitempty" doc:"gram for XAU: a gram of gold, where ISO 4217 means a troy ounce. Absent for all others."`
}

// Quotation is the rate of a currency on one day.
type Quotation struct {
	Date ro.Date    `json:"date" doc:"Day of the fixing."`
	Rate ro.Decimal `json:"rate" brief:"RON for 1 unit." doc:"RON for 1 unit of the currency."`
}

// SchemaName is the type's name in the API description.
func (Rate) SchemaName() string { return "FXRate" }

// SchemaName is the type's name in the API description.
func (Quotation) SchemaName() string { return "FXQuotation" }
