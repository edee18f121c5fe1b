package ro

import (
	"strings"

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Currency is an ISO 4217 code in upper case, such as EUR. XAU (a gram of gold) and XDR (special drawing rights) are
// among the codes that the central bank publishes. The empty string is an absent parameter.
type Currency string

// RON is the Romanian leu, in which all rates are expressed.
const RON Currency = "RON"

// Unit is what the central bank quotes a currency for, if that differs from ISO 4217; otherwise it is empty.
type Unit string

// Gram is the unit of XAU: the bank lists it as "gramul de aur", while in ISO 4217 it is a troy ounce.
const Gram Unit = "gram"

// Schema lists the units.
func (Unit) Schema() jsonschema.Schema { return jsonschema.Enum(Gram) }

// Unit returns the currency's unit.
func (c Currency) Unit() Unit {
	if c == "XAU" {
		return Gram
	}
	return ""
}

// UnmarshalText parses three letters in any case. The error for the common name of a currency suggests its code.
func (c *Currency) UnmarshalText(text []byte) error {
	upper := strings.ToUpper(string(text))
	if len(text) == 3 && strings.Trim(string(text), letters) == "" {
		*c = Currency(upper)
		return nil
	}

	return &problem.InputError{Code: problem.InvalidFormat,
		Accepted: "a three-letter ISO 4217 currency code, such as EUR", Suggestion: string(currencyNames[upper])}
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// CurrencyNamed returns the currency that people mean by a word in upper case, such as LEI or EURO.
func CurrencyNamed(word string) (c Currency, ok bool) {
	c, ok = currencyNames[word]
	return c, ok
}

// currencyNames are names that people write instead of the codes, in upper case.
var currencyNames = map[string]Currency{
	"LEI": RON, "LEU": RON, "ROL": RON, "EURO": "EUR", "DOLAR": "USD", "DOLARI": "USD", "DOLLAR": "USD",
}

// Schema describes the format of a code.
func (Currency) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: "^[A-Za-z]{3}$"}
}
