package invoice

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
)

// Amount is money in minor units of its currency, which are hundredths: bani, cents.
type Amount int64

// largest is the largest absolute total of an invoice: a hundred billion units. Computations with it cannot overflow.
const largest Amount = 1e13

// String returns the amount in whole units with two decimals: -1234.50.
func (a Amount) String() string {
	sign, n := "", uint64(a)
	if a < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}

// scale returns a·numerator/denominator, rounded to whole minor units.
func (a Amount) scale(numerator, denominator int64) Amount {
	return round(new(big.Rat).Mul(big.NewRat(int64(a), 1), big.NewRat(numerator, denominator)))
}

// round rounds to the nearest integer, and halves away from zero, so that a correction cancels the invoice exactly.
func round(r *big.Rat) Amount {
	doubled := new(big.Int).Lsh(r.Num(), 1)
	if r.Sign() < 0 {
		doubled.Sub(doubled, r.Denom())
	} else {
		doubled.Add(doubled, r.Denom())
	}

	return Amount(doubled.Quo(doubled, new(big.Int).Lsh(r.Denom(), 1)).Int64())
}

// Exchange is the rate that converts the amounts of an invoice to lei (Fiscal Code art. 319 (23) and 290). An invoice
// in lei has the zero value.
type Exchange struct {
	// Rate is the price of one unit of the currency in lei: a plain decimal as published by the central bank, without a
	// multiplier.
	Rate string
	// Date is the day of the fixing.
	Date Date
}

var plainDecimal = regexp.MustCompile(`^\d{1,5}(\.\d{1,10})?$`)

func (e Exchange) check() error {
	if e.Date.IsZero() {
		return errors.New("the exchange rate has no day")
	}
	if !plainDecimal.MatchString(e.Rate) || e.rate().Sign() == 0 {
		return fmt.Errorf("the exchange rate %q is not a decimal above zero, such as 5.0900", e.Rate)
	}
	return nil
}

func (e Exchange) rate() *big.Rat {
	r, _ := new(big.Rat).SetString(e.Rate) // in a format validated by check
	return r
}

func (e Exchange) lei(a Amount) Amount {
	if e == (Exchange{}) {
		return a
	}
	return round(new(big.Rat).Mul(big.NewRat(int64(a), 1), e.rate()))
}
