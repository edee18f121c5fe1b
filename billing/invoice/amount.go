package invoice

import (
	"fmt"
	"math/big"
	"regexp"
)

// Amount is money in minor units of its currency, which are hundredths: bani,
// cents.
type Amount int64

// largest is the largest total that an invoice may have either way: a hundred
// thousand million units. Nothing that is computed from it overflows.
const largest Amount = 1e13

// String is the amount in whole units with two decimals: -1234.50.
func (a Amount) String() string {
	sign, n := "", uint64(a)
	if a < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}

// share is a·numerator/denominator, rounded to whole minor units.
func (a Amount) share(numerator, denominator int64) Amount {
	return round(new(big.Rat).Mul(big.NewRat(int64(a), 1), big.NewRat(numerator, denominator)))
}

// round goes to the nearest whole number, and with a half away from zero: what a
// correction takes back is what the invoice had charged.
func round(r *big.Rat) Amount {
	doubled := new(big.Int).Lsh(r.Num(), 1)
	if r.Sign() < 0 {
		doubled.Sub(doubled, r.Denom())
	} else {
		doubled.Add(doubled, r.Denom())
	}
	return Amount(doubled.Quo(doubled, new(big.Int).Lsh(r.Denom(), 1)).Int64())
}

// Exchange is the rate at which the amounts of an invoice are expressed in lei
// (Fiscal Code art. 319 (23) and 290). The zero value is that of an invoice in
// lei.
type Exchange struct {
	// Rate is what one unit of the currency costs in lei: a plain decimal, as
	// the central bank published it, without a multiplier.
	Rate string
	// Date is the day of the fixing.
	Date Date
}

var plainDecimal = regexp.MustCompile(`^\d{1,5}(\.\d{1,10})?$`)

func (e Exchange) check() error {
	if e.Date.IsZero() {
		return fmt.Errorf("the exchange rate has no day")
	}
	if !plainDecimal.MatchString(e.Rate) || e.rate().Sign() == 0 {
		return fmt.Errorf("the exchange rate %q is not a decimal above zero, as 5.0900", e.Rate)
	}
	return nil
}

func (e Exchange) rate() *big.Rat {
	r, _ := new(big.Rat).SetString(e.Rate) // of a form that check has seen
	return r
}

// lei is a in bani, rounded half up.
func (e Exchange) lei(a Amount) Amount {
	if e == (Exchange{}) {
		return a
	}
	return round(new(big.Rat).Mul(big.NewRat(int64(a), 1), e.rate()))
}
