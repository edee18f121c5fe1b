package ask

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

func statusCommand() *cobra.Command {
	var on, knownAt client.Date
	q := question{
		use: "status <tax id>", short: "Shows the statuses of a company on a day", minArgs: 1, maxArgs: 1,
		long: `
Shows whether a company was registered for VAT, applied VAT on collection, was inactive
or in the RO e-Factura register on a day, such as the date of an invoice. With
--known-at, shows the statuses as they could be known by the end of another day, and
whether the register's current answer differs. The receipt proves the answer
(GET /v1/receipts/{id}).

It costs 1 credit with a key.`,
		examples: `  rodata status 9900000010 --date 2026-06-10
  rodata status 9900000010 --date 2026-06-10 --known-at 2026-06-12 --json`,
		run: func(ctx context.Context, s *session, args []string) error {
			status, err := s.CompanyStatus(ctx, args[0], on, knownAt)
			if err != nil {
				return err
			}

			return s.printStatus(status)
		},
	}

	cmd := q.command()
	dayFlag(cmd, &on, "date", "The day, such as 2026-06-10 (default today)")
	dayFlag(cmd, &knownAt, "known-at", "Day by the end of which it was known (default: what the register says now)")
	return cmd
}

// namedStatus is a status with its display name, its field, and its positive value.
type namedStatus struct {
	name, field string
	client.DayStatus
	wanted *bool
}

func statusesOf(d client.DayStatuses) []namedStatus {
	return []namedStatus{
		{"VAT", "vatPayer", d.VATPayer, new(true)}, {"VAT on collection", "vatOnCollection", d.VATOnCollection, nil},
		{"VAT split payment", "vatSplit", d.VATSplit, nil}, {"Inactive", "inactive", d.Inactive, new(false)},
		{"RO e-Factura", "eInvoice", d.EInvoice, nil},
	}
}

func (s *session) printStatus(status *client.CompanyStatus) error {
	switch s.form {
	case asJSON:
		return printJSON(s.out, status)
	case asCSV:
		columns := []string{
			"taxId", "name", "date", "knownAt", "status", "value", "from", "to", "enteredOn", "reason", "basis",
		}
		return printCSV(s.out, columns, statusesOf(status.DayStatuses), func(each *namedStatus) []string {
			return []string{
				fmt.Sprint(status.TaxID), status.Name, status.Date.String(), text(status.KnownAt), each.field,
				text(each.Value), text(each.From), text(each.To), text(each.EnteredOn), text(each.Reason),
				text(each.Basis),
			}
		})
	}

	title := fmt.Sprintf("%s, %d, on %s", status.Name, status.TaxID, status.Date)
	if status.KnownAt != nil {
		title += ", as it could be known on " + status.KnownAt.String()
	}

	fmt.Fprintln(s.out, paint(title, strong, s.colours))
	if err := s.statusTable(status.DayStatuses); err != nil {
		return err
	}

	if founded := status.RegistrationDate; founded != nil && status.Date.String() < founded.String() {
		fmt.Fprintln(s.out, "\n"+paint("The company was registered on "+founded.String()+".", doubt, s.colours))
	}

	if status.ChangedRetroactively != nil && *status.ChangedRetroactively {
		fmt.Fprintln(s.out, "\n"+paint("The register now says something else about that day:", doubt, s.colours))
		if err := s.statusTable(*status.Now); err != nil {
			return err
		}
	}

	t := new(grid)
	t.addSources(status.Sources)
	t.line("Receipt", cell{text: text(status.Receipt)})
	fmt.Fprintln(s.out)
	return t.print(s.out, s.colours)
}

func (s *session) statusTable(statuses client.DayStatuses) error {
	t := grid{head: []string{"  STATUS", "VALUE", "FROM", "TO", "ENTERED", "BASIS"}}
	for _, each := range statusesOf(statuses) {
		t.add(cell{text: "  " + each.name}, yesNo(each.Value, each.wanted), cell{text: text(each.From)},
			cell{text: text(each.To)}, cell{text: text(each.EnteredOn)}, cell{text(each.Basis), quiet})
	}

	return t.print(s.out, s.colours)
}
