package invoice

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Category is the VAT category of an invoice, by its code in the European norm (EN 16931, code list UNTDID 5305).
type Category string

// The possible categories for a digital service sold from Romania.
const (
	// Standard: Romanian VAT at the standard rate.
	Standard Category = "S"
	// ReverseCharge: the customer, a business elsewhere in the Union, owes the tax in its own country.
	ReverseCharge Category = "AE"
	// OutsideScope: supplied outside the Union, where Romanian VAT does not apply.
	OutsideScope Category = "O"
)

// Percent is a rate in hundredths of a percent: 2100 is 21 %.
type Percent int

// String returns the rate with two decimals: 21.00.
func (p Percent) String() string { return Amount(p).String() }

// Short returns the rate without trailing zeros: 21, or 9.5.
func (p Percent) Short() string { return strconv.FormatFloat(float64(p)/100, 'f', -1, 64) }

// VATRate is a standard rate and the day on which it takes effect.
type VATRate struct {
	From    Date
	Percent Percent
}

// VATRates are standard rates, ordered by day.
type VATRates []VATRate

// StandardVATRates are Romania's: 19 % since 1 January 2017 and 21 % since 1 August 2025 (Law 141/2025).
var StandardVATRates = VATRates{
	{Date{2017, time.January, 1}, 1900},
	{Date{2025, time.August, 1}, 2100},
}

// On returns the rate in effect on a day. It fails for a day before the first rate.
func (r VATRates) On(day Date) (Percent, error) {
	for _, rate := range slices.Backward(r) {
		if rate.From.Compare(day) <= 0 {
			return rate.Percent, nil
		}
	}

	return 0, fmt.Errorf("no VAT rate is known for %s", day)
}

// union lists the member states by country code.
var union = strings.Fields("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK")

// treatment returns the VAT category and rate of a supply by a Romanian seller. A customer elsewhere in the Union
// without a VAT number pays Romanian VAT like a consumer, as long as the seller stays below the Union's threshold for
// distance sales of 10 000 EUR a year (Directive 2006/112/EC art. 59c).
func treatment(c Customer, supplied Date, rates VATRates) (Category, Percent, error) {
	country := c.Address.Country
	switch {
	case !slices.Contains(union, country):
		return OutsideScope, 0, nil
	case country != romania && c.VATID != "":
		return ReverseCharge, 0, nil
	}

	percent, err := rates.On(supplied)
	return Standard, percent, err
}
