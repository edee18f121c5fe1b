package bnr

import (
	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/ro"
)

// published are the currencies that the bank is known to have published, so that they are recognised before their years
// have been fetched: the 37 of 2026, the lev (until 2025) and the kuna (until 2022-12-30).
var published = []ro.Currency{
	"AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EGP", "EUR", "GBP", "HKD",
	"HRK", "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KRW", "MDL", "MXN", "MYR", "NOK", "NZD",
	"PHP", "PLN", "RSD", "RUB", "SEK", "SGD", "THB", "TRY", "UAH", "USD", "XAU", "XDR", "ZAR",
}

// learnCurrencies adds the currencies of a fixing to those that the bank is known to have published.
func (l *Library) learnCurrencies(f rate.Fixing) {
	for _, r := range f.Rates {
		l.currencies[r.Currency] = true
	}
}
