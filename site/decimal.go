package site

import (
	"strings"

	"github.com/rodata/rodata/ro"
)

// rate formats an exchange rate with all its decimals, at least four.
func (w words) rate(d ro.Decimal) string { return w.decimal(d.Padded(4)) }

// amount formats an amount of money with all its decimals, at least two.
func (w words) amount(d ro.Decimal) string { return w.decimal(d.Padded(2)) }

// exact formats a number with all its decimals.
func (w words) exact(d ro.Decimal) string { return w.decimal(d.String()) }

// decimal formats the text of a decimal with grouped digits and the decimal separator of the language.
func (w words) decimal(text string) string {
	whole, fraction, pointed := strings.Cut(text, ".")
	group, mark := ",", "."
	if w.lang == romanian {
		group, mark = ".", ","
	}

	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}

	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	if pointed {
		whole += mark + fraction
	}

	return sign + whole
}

// currency returns the name of a currency, or its code if it has no name.
func (w words) currency(c ro.Currency) string {
	name, err := w.t("currency." + string(c))
	if err != nil {
		return string(c)
	}

	return name
}
