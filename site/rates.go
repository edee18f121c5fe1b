package site

import (
	"math"
	"strconv"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/ro"
)

// fixingPage is the data of the rates of a day.
type fixingPage struct {
	rate.DayRates
	// Previous is the day of the previous fixing; zero if there is none.
	Previous ro.Date
	Rows     []fixingRow
	// Today is the last day that a visitor can choose.
	Today    ro.Date
	Outdated bool
}

// HasMoved reports whether the fixing is from another day than the requested one.
func (p fixingPage) HasMoved() bool { return p.Date != p.RequestedDate }

// fixingRow is a currency in a fixing.
type fixingRow struct {
	rate.Rate
	Change *change // since the previous fixing; nil if that fixing does not have the currency
}

// change is how much a rate differs from an earlier one.
type change struct {
	// Up and Down are both false if the rate has not changed.
	Up, Down bool
	// Percent is the absolute difference in percent, with two decimals.
	Percent string
}

// newChange compares a rate with an earlier one, which is not zero.
func newChange(w words, earlier, later ro.Decimal) *change {
	percent := math.Round((float(later)/float(earlier)-1)*100_00) / 100
	c := &change{Up: percent > 0, Down: percent < 0}
	c.Percent = w.decimal(strconv.FormatFloat(math.Abs(percent), 'f', 2, 64))
	return c
}

// loadFixing loads the rates of a day and of the previous fixing.
func loadFixing(v *visit) (any, error) {
	fixing, err := ask[rate.DayRates](v, "get_fx_rates", "date", v.param("date"))
	if err != nil {
		return nil, err
	}

	// The rule for invoices picks the last fixing before a day. Before the first one, there is none.
	previous, _ := ask[rate.DayRates](v, "get_fx_rates", "date", fixing.Date.String(), "basis",
		string(rate.InvoiceBasis))
	page := fixingPage{DayRates: fixing, Previous: previous.Date, Today: ro.Today(), Outdated: v.outdated}
	earlier := make(map[ro.Currency]ro.Decimal)
	for _, rate := range previous.Items {
		earlier[rate.Currency] = rate.Rate
	}

	for _, rate := range fixing.Items {
		row := fixingRow{Rate: rate}
		if previous, ok := earlier[rate.Currency]; ok && previous.Sign() > 0 {
			row.Change = newChange(words{v.lang}, previous, rate.Rate)
		}

		page.Rows = append(page.Rows, row)
	}

	return page, nil
}
