package bnr

import (
	"slices"

	"github.com/rodata/rodata/api"
)

// published are the currencies that the bank is known to have published, so that they
// are recognised before their years have been fetched: the 37 of 2026, the lev (until
// 2025) and the kuna (until 2022-12-30).
var published = []api.Currency{
	"AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EGP", "EUR", "GBP", "HKD",
	"HRK", "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KRW", "MDL", "MXN", "MYR", "NOK", "NZD",
	"PHP", "PLN", "RSD", "RUB", "SEK", "SGD", "THB", "TRY", "UAH", "USD", "XAU", "XDR", "ZAR",
}

// withCurrencies returns a sorted list extended by the currencies of a fixing. The
// list itself is not modified.
func withCurrencies(list []api.Currency, f api.Fixing) []api.Currency {
	shared := true
	for _, r := range f.Rates {
		i, found := slices.BinarySearch(list, r.Currency)
		if found {
			continue
		}
		if shared {
			list, shared = slices.Clone(list), false
		}

		list = slices.Insert(list, i, r.Currency)
	}

	return list
}
