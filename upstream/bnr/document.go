package bnr

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/ro"
)

// document is the content of a published XML file: the fixings of a day, of ten days or of a year.
//
// Elements are matched by their local names, because the namespace is http://www.bnr.ro/xsd up to 2025 and
// https://www.bnr.ro/xsd since, and the 2026 year file changed from one to the other in place. The day of a fixing is
// Cube@date; Header/PublishingDate is the day of the file.
type document struct {
	// fixings are in ascending order by date. Neither the list nor any fixing in it is empty.
	fixings []rate.Fixing
	// oldLei counts the fixings in pre-redenomination lei (ROL).
	oldLei int
}

type xmlDocument struct {
	XMLName  xml.Name  `xml:"DataSet"`
	Currency string    `xml:"Body>OrigCurrency"`
	Cubes    []xmlCube `xml:"Body>Cube"`
}

type xmlCube struct {
	Date  string    `xml:"date,attr"`
	Rates []xmlRate `xml:"Rate"`
}

type xmlRate struct {
	Currency   string `xml:"currency,attr"`
	Multiplier string `xml:"multiplier,attr"`
	Text       string `xml:",chardata"`
}

// readDocument parses a document with rates in RON. It rejects HTML pages, truncated files and other structures. A
// currency without a number is not quoted, and a cube without quotations is not a fixing.
func readDocument(body []byte) (document, error) {
	var read xmlDocument
	if err := xml.NewDecoder(bytes.NewReader(body)).Decode(&read); err != nil {
		return document{}, fmt.Errorf("reading XML: %w", err)
	}
	if currency := strings.TrimSpace(read.Currency); currency != string(ro.RON) {
		return document{}, fmt.Errorf("rates are expressed in %q, not in RON", currency)
	}

	var doc document
	for _, cube := range read.Cubes {
		fixing, err := readCube(cube)
		if err != nil {
			return document{}, fmt.Errorf("cube of %q: %w", cube.Date, err)
		}
		if len(fixing.Rates) == 0 {
			continue
		}
		if inOldLei(fixing) {
			toNewLei(fixing)
			doc.oldLei++
		}

		doc.fixings = append(doc.fixings, fixing)
	}

	if len(doc.fixings) == 0 {
		return document{}, errors.New("the document has no rates")
	}

	slices.SortFunc(doc.fixings, func(a, b rate.Fixing) int { return int(a.Date - b.Date) })
	for i, fixing := range doc.fixings[1:] {
		if fixing.Date == doc.fixings[i].Date {
			return document{}, fmt.Errorf("there are two cubes of %s", fixing.Date)
		}
	}

	return doc, nil
}

func readCube(cube xmlCube) (rate.Fixing, error) {
	day, err := ro.ParseDate(cube.Date)
	if err != nil {
		return rate.Fixing{}, err
	}

	fixing := rate.Fixing{Date: day, Rates: make([]rate.Rate, 0, len(cube.Rates))}
	for _, r := range cube.Rates {
		price, quoted, err := readRate(r.Text, r.Multiplier)
		if err != nil {
			return rate.Fixing{}, fmt.Errorf("rate of %q: %w", r.Currency, err)
		}
		if !quoted {
			continue
		}

		currency, err := readCurrency(r.Currency)
		if err != nil {
			return rate.Fixing{}, fmt.Errorf("rate of %q: %w", r.Currency, err)
		}

		fixing.Rates = append(fixing.Rates, rate.Rate{Currency: currency, Rate: price})
	}

	return fixing, sortRates(fixing.Rates)
}

// sortRates sorts by currency and rejects duplicates.
func sortRates(rates []rate.Rate) error {
	slices.SortFunc(rates, func(a, b rate.Rate) int { return cmp.Compare(a.Currency, b.Currency) })
	for i := 1; i < len(rates); i++ {
		if rates[i].Currency == rates[i-1].Currency {
			return fmt.Errorf("%s is quoted twice", rates[i].Currency)
		}
	}

	return nil
}

// readCurrency parses a currency code, interned to keep one copy of each in memory.
func readCurrency(text string) (ro.Currency, error) {
	var c ro.Currency
	if err := c.UnmarshalText([]byte(text)); err != nil {
		return "", err
	}
	if c == ro.RON {
		return "", errors.New("RON is not quoted against itself")
	}

	return unique.Make(c).Value(), nil
}

// maxRateText bounds the length of a rate; the bank's have at most seven digits.
const maxRateText = 24

// readRate returns the price of one unit: the published number divided by the multiplier. If the text is not a number,
// or is zero, the currency is not quoted.
func readRate(text, multiplier string) (rate ro.Decimal, quoted bool, err error) {
	text = strings.TrimSpace(text)
	if len(text) > maxRateText {
		return rate, false, errors.New("the number is too long")
	}

	rate, err = ro.ParseDecimal(text)
	if err != nil || rate.Sign() == 0 {
		return rate, false, nil
	}
	if rate.Sign() < 0 {
		return rate, false, fmt.Errorf("%s is negative", text)
	}

	places, err := readMultiplier(strings.TrimSpace(multiplier))
	return rate.Shift(places), err == nil, err
}

// readMultiplier returns the number of zeros of a power of ten; empty means 1.
func readMultiplier(text string) (int, error) {
	if text == "" {
		return 0, nil
	}

	zeros, one := strings.CutPrefix(text, "1")
	if !one || len(zeros) > 6 || strings.Trim(zeros, "0") != "" {
		return 0, fmt.Errorf("multiplier %q is not a power of ten", text)
	}

	return len(zeros), nil
}

// On 2005-07-01, 10,000 old lei (ROL) became 1 leu (RON). It is unclear which currency the bank's file of that year
// uses for the months before. The euro rate, then about 3.6 RON, shows which one it is.
var (
	redenomination = ro.NewDate(2005, time.July, 1)
	oldLeiFrom     = mustDecimal("1000")
)

const oldLeiPlaces = 4

func inOldLei(f rate.Fixing) bool {
	if f.Date >= redenomination {
		return false
	}

	euro, ok := rateOf(f, "EUR")
	return ok && euro.Cmp(oldLeiFrom) > 0
}

func toNewLei(f rate.Fixing) {
	for i := range f.Rates {
		f.Rates[i].Rate = f.Rates[i].Rate.Shift(oldLeiPlaces)
	}
}

// rateOf returns the rate of a currency in a fixing.
func rateOf(f rate.Fixing, c ro.Currency) (ro.Decimal, bool) {
	for _, r := range f.Rates {
		if r.Currency == c {
			return r.Rate, true
		}
	}

	return ro.Decimal{}, false
}

func mustDecimal(text string) ro.Decimal {
	d, err := ro.ParseDecimal(text)
	if err != nil { // only called with constants
		panic(err)
	}
	return d
}

// published are the currencies that the bank is known to have published, so that they are recognised before their years
// have been fetched: the 37 of 2026, the lev (until 2025) and the kuna (until 2022-12-30).
var published = []ro.Currency{
	"AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EGP", "EUR", "GBP", "HKD",
	"HRK", "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KRW", "MDL", "MXN", "MYR", "NOK", "NZD",
	"PHP", "PLN", "RSD", "RUB", "SEK", "SGD", "THB", "TRY", "UAH", "USD", "XAU", "XDR", "ZAR",
}

// learnCurrencies adds the currencies of a fixing to those that the bank is known to have published.
func (r *Registry) learnCurrencies(f rate.Fixing) {
	for _, one := range f.Rates {
		r.currencies[one.Currency] = true
	}
}
