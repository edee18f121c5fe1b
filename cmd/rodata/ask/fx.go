package ask

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

// rateQuestion holds the arguments of "rodata fx".
type rateQuestion struct {
	amount, into    string
	invoice         bool
	on, first, last client.Date
	currencies      []string
}

func fxCommand() *cobra.Command {
	var rates rateQuestion
	q := question{
		use: "fx [<currency>...]", short: "Shows exchange rates, and converts amounts",
		long: `
Shows the official rates of the National Bank of Romania in RON for 1 unit of a
currency, exactly as published: of the latest fixing, of a day (--date), or of a
range of days (--from, --to). XAU is a gram of gold, not a troy ounce. With
--convert it converts an amount. --invoice takes the last fixing before the day,
as invoices in foreign currency need (Fiscal Code, art. 290). It is free.`,
		examples: `  rodata fx
  rodata fx EUR USD --date 2026-06-10
  rodata fx EUR --convert 100 --date 2026-06-10
  rodata fx EUR --from 2026-06-01 --to 2026-06-30 --csv`,
		run: func(ctx context.Context, s *session, args []string) error {
			rates.currencies = args
			if err := rates.check(); err != nil {
				return err
			}

			switch {
			case rates.amount != "":
				return s.convert(ctx, &rates)
			case rates.isRange():
				return s.rateHistory(ctx, &rates)
			}

			return s.rates(ctx, &rates)
		},
	}

	cmd := q.command()
	cmd.ValidArgs, cmd.ValidArgsFunction = currencies, nil
	flags := cmd.Flags()
	dayFlag(cmd, &rates.on, "date", "Day, such as 2026-06-10 (default: the latest fixing)")
	dayFlag(cmd, &rates.first, "from", "First day of a range")
	dayFlag(cmd, &rates.last, "to", "Last day of a range")
	flags.StringVar(&rates.amount, "convert", "", "Amount to convert, such as 100 or 99.90")
	flags.StringVar(&rates.into, "into", "RON", "Currency to convert the amount into")
	flags.BoolVar(&rates.invoice, "invoice", false, "Take the last fixing before the day")
	complete(cmd, "into", append([]string{"RON"}, currencies...))
	return cmd
}

func (q *rateQuestion) isRange() bool { return !q.first.IsZero() || !q.last.IsZero() }

// check rejects incompatible flags.
func (q *rateQuestion) check() error {
	for i, c := range q.currencies {
		q.currencies[i] = strings.ToUpper(c)
	}

	switch {
	case q.isRange() && (!q.on.IsZero() || q.amount != "" || q.invoice):
		return WrongUsage("--from and --to cannot be combined with --date, --convert or --invoice, as in: rodata fx " +
			"EUR --from 2026-06-01 --to 2026-06-30")
	case q.isRange() && len(q.currencies) != 1:
		return WrongUsage("a range of days is about one currency, as in: rodata fx EUR --from 2026-06-01 --to " +
			"2026-06-30")
	case q.amount != "" && len(q.currencies) != 1:
		return WrongUsage("--convert converts from one currency, as in: rodata fx EUR --convert 100")
	}

	return nil
}

func (q *rateQuestion) basis() client.Basis {
	if q.invoice {
		return client.InvoiceBasis
	}
	return ""
}

var rateColumns = []string{"date", "currency", "rate"}

func (s *session) rates(ctx context.Context, q *rateQuestion) error {
	rates, err := s.Rates(ctx, q.on, q.basis(), q.currencies...)
	if err != nil {
		return err
	}

	if s.form == asJSON {
		return printJSON(s.out, rates)
	}

	if s.form == asCSV {
		return printCSV(s.out, rateColumns, rates.Items, func(r *client.Rate) []string {
			return []string{rates.Date.String(), r.Currency, r.Rate.String()}
		})
	}

	t := grid{head: []string{"CURRENCY", "RON"}}
	for _, r := range rates.Items {
		t.add(cell{currencyWithUnit(r.Currency, r.Unit), strong}, cell{text: r.Rate.String()})
	}
	if err := t.print(s.out, s.colours); err != nil {
		return err
	}

	heading := "Fixing of " + rates.Date.String()
	if rates.Date != rates.RequestedDate {
		heading += ", which applies to " + rates.RequestedDate.String()
	}
	if len(rates.NotQuoted) > 0 {
		heading += "; not in it: " + strings.Join(rates.NotQuoted, ", ")
	}

	fmt.Fprintln(s.out, "\n"+paint(heading, quiet, s.colours))
	return nil
}

func (s *session) rateHistory(ctx context.Context, q *rateQuestion) error {
	history, err := s.RateHistory(ctx, q.currencies[0], q.first, q.last)
	if err != nil {
		return err
	}

	if s.form == asJSON {
		return printJSON(s.out, history)
	}

	if s.form == asCSV {
		return printCSV(s.out, rateColumns, history.Items, func(r *client.DatedRate) []string {
			return []string{r.Date.String(), history.Currency, r.Rate.String()}
		})
	}

	t := grid{head: []string{"DATE", currencyWithUnit(history.Currency, history.Unit) + " IN RON"}}
	for _, r := range history.Items {
		t.add(plain(r.Date.String(), r.Rate.String())...)
	}

	return t.print(s.out, s.colours)
}

func (s *session) convert(ctx context.Context, q *rateQuestion) error {
	c, err := s.Convert(ctx, client.Decimal(q.amount), q.currencies[0], strings.ToUpper(q.into), q.on, q.basis())
	if err != nil {
		return err
	}

	switch s.form {
	case asJSON:
		return printJSON(s.out, c)
	case asCSV:
		return printFields(s.out, []*client.Conversion{c}, "amount", "from", "to", "date", "rate", "result")
	}

	note := fmt.Sprintf("1 %s = %s %s, fixing of %s", c.From, c.Rate, c.To, c.Date)
	if c.Unit != "" {
		note += "; 1 XAU is a " + c.Unit + " of gold"
	}

	_, err = fmt.Fprintf(s.out, "%s %s = %s %s\n%s\n", c.Amount, c.From, paint(c.Result.String(), strong, s.colours),
		c.To, paint(note, quiet, s.colours))
	return err
}

// currencyWithUnit names a currency with its unit: "XAU (gram)".
func currencyWithUnit(currency, unit string) string {
	if unit == "" {
		return currency
	}
	return currency + " (" + unit + ")"
}
