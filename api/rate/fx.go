package rate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// rateSource names the publisher of all rates.
const rateSource = "BNR"

// firstFixing is the first day for which the central bank publishes a file.
var firstFixing = ro.NewDate(2005, 1, 3)

// Basis is the rule that selects the fixing for a day.
type Basis string

// The rules.
const (
	// FixingBasis selects the last fixing published on or before the day.
	FixingBasis Basis = "fixing"
	// InvoiceBasis selects the last fixing published before the day, as the Fiscal Code (art. 290) requires for
	// invoices in foreign currency.
	InvoiceBasis Basis = "invoice"
)

// UnmarshalText parses fixing or invoice.
func (b *Basis) UnmarshalText(text []byte) (err error) {
	*b, err = op.OneOf(text, FixingBasis, InvoiceBasis)
	return err
}

// Schema lists the rules.
func (Basis) Schema() jsonschema.Schema { return jsonschema.Enum(FixingBasis, InvoiceBasis) }

// fixingFor returns the fixing that applies to a day by a rule, and the day; the zero day means today.
func fixingFor(ctx context.Context, fixings Fixings, day ro.Date, basis Basis) (Fixing, op.Freshness, ro.Date, error) {
	asked := day
	if asked == 0 {
		asked = ro.Today()
	}
	if err := checkDay("date", asked); err != nil {
		return Fixing{}, op.Freshness{}, asked, err
	}
	if basis == InvoiceBasis {
		day = asked - 1
	}

	fixing, fresh, err := fixings.On(ctx, day)
	if errors.Is(err, op.ErrUnknown) {
		err = op.OutOfRange("date", asked, "a day after "+firstFixing.String(),
			fmt.Sprintf("no fixing was published before %s, the day of the first one is %s", asked, firstFixing))
	}

	return fixing, fresh, asked, err
}

// checkDay rejects days that cannot have a fixing.
func checkDay(name string, day ro.Date) error {
	today := ro.Today()
	accepted := fmt.Sprintf("a day from %s to today, %s", firstFixing, today)
	switch {
	case day > today:
		return op.OutOfRange(name, day, accepted,
			"it lies in the future; the latest day accepted is today, "+today.String())
	case day < firstFixing:
		return op.OutOfRange(name, day, accepted, "it is before the first fixing, of "+firstFixing.String())
	}

	return nil
}

// checkForeign rejects RON, in which rates are expressed, and currencies that the central bank never published.
func checkForeign(fixings Fixings, name string, asked ...ro.Currency) error {
	for _, c := range asked {
		if c == ro.RON {
			return problem.Invalid(&problem.InputError{
				Parameter: name, Code: problem.NotOneOf, Received: problem.Excerpt(string(c)),
				Accepted: "one of " + join(fixings.Currencies()),
				Reason: "all rates are in RON; choose another currency, or use convert_currency (GET " +
					"/v1/fx-rates/convert)",
			})
		}

		if e := unknownCurrency(fixings.Currencies(), name, c); e != nil {
			return problem.Invalid(e)
		}
	}

	return nil
}

// unknownCurrency returns the error of a currency that is not known, with the most similar one as its suggestion; nil
// for a known one.
func unknownCurrency(known []ro.Currency, name string, c ro.Currency) *problem.InputError {
	if slices.Contains(known, c) {
		return nil
	}

	e := &problem.InputError{
		Parameter: name, Code: problem.NoSuchValue, Received: problem.Excerpt(string(c)),
		Accepted: "one of " + join(known),
		Reason:   fmt.Sprintf("the central bank never published %s; it has published %s", c, join(known)),
	}

	if near := slices.IndexFunc(known, func(k ro.Currency) bool {
		return spelling.Distance(string(c), string(k)) == 1
	}); near >= 0 {
		e.Suggestion = string(known[near])
	}

	return e
}

func join(currencies []ro.Currency) string { return strings.Join(op.Texts(currencies), ", ") }

// rate finds a currency in a fixing.
func (f *Fixing) In(c ro.Currency) (ro.Decimal, bool) {
	i, ok := slices.BinarySearchFunc(f.Rates, c, func(r Rate, c ro.Currency) int {
		return strings.Compare(string(r.Currency), string(c))
	})
	if !ok {
		return ro.Decimal{}, false
	}
	return f.Rates[i].Rate, true
}

// searchPatience limits the search for the last day on which a currency was published, because the search may have to
// fetch past years.
const searchPatience = 5 * time.Second

// NotQuoted holds the extension members of the problem of currencies without a rate.
type NotQuoted struct {
	LastQuoted []LastQuotation `json:"lastQuoted"`
}

// LastQuotation is the last day on which a currency was published.
type LastQuotation struct {
	Currency ro.Currency `json:"currency" doc:"ISO 4217 code."`
	Date     ro.Date     `json:"date" doc:"Date of the last fixing with the currency, up to the requested date."`
}

// notQuoted is the problem of currencies that are missing from a fixing but were published before. It is a 404 even if
// the last quoted day cannot be determined.
func notQuoted(ctx context.Context, fixings Fixings, day ro.Date, currencies ...ro.Currency) error {
	ctx, cancel := context.WithTimeout(ctx, searchPatience)
	defer cancel()
	var reasons []string
	var extension NotQuoted
	for _, c := range currencies {
		last, ok, err := fixings.LastQuoted(ctx, c, day)
		switch {
		case err != nil:
			reasons = append(reasons, fmt.Sprintf("when %s was last published cannot be determined right now", c))
		case ok:
			reasons = append(reasons, fmt.Sprintf("%s was last published on %s", c, last))
			extension.LastQuoted = append(extension.LastQuoted, LastQuotation{c, last})
		default:
			reasons = append(reasons, fmt.Sprintf("%s was not published until then", c))
		}
	}

	p := problem.NotFound.New("not quoted in the fixing of %s: %s", day, strings.Join(reasons, "; "))
	if extension.LastQuoted != nil {
		p.Extensions = extension
	}

	return p
}
