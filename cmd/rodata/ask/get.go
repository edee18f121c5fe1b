package ask

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

func getCommand() *cobra.Command {
	var asOf client.Date
	var fields, include []string
	q := question{
		use: "get <tax id>...", short: "Shows companies", minArgs: 1,
		long: `
Shows companies by tax id (CUI, with or without RO) or trade-register number: VAT,
state, inactivity, e-Factura, address, and how old each part is. - reads standard input,
a number a line. With --date, the statuses apply to that day. One company is shown as a
page, several as a table. A value that no register provides is "unknown", never "no".

Each company found costs 1 credit with a key.`,
		examples: `  rodata get 9900000010
  rodata get 9900000010 9900000028 --fields taxId,name,vatPayer --csv
  rodata get 9900000010 --date 2026-06-10
  rodata get - --csv < numbers.txt`,
		run: func(ctx context.Context, s *session, args []string) (err error) {
			if len(args) == 1 && args[0] == "-" {
				if args, err = readIDs(); err != nil {
					return err
				}
			}

			batch := client.Batch{Fields: fields, InOrder: true}
			for _, part := range include {
				batch.Include = append(batch.Include, client.Part(part))
			}

			for _, id := range args {
				batch.Items = append(batch.Items, client.BatchQuery{TaxID: id, Date: asOf})
			}

			return s.get(ctx, batch)
		},
	}

	cmd := q.command()
	dayFlag(cmd, &asOf, "date", "Day whose statuses are wanted, such as 2026-06-10 (default today)")
	cmd.Flags().StringSliceVar(&fields, "fields", nil, "Only these fields, such as name,vatPayer,seat.city")
	cmd.Flags().StringSliceVar(&include, "include", nil, "Parts to add: "+strings.Join(parts, ", "))
	complete(cmd, "include", parts)
	return cmd
}

var parts = []string{
	string(client.WithBalanceSheets), string(client.WithLegalRepresentatives), string(client.WithRegisters),
	string(client.WithInsolvency), string(client.WithVerdict),
}

// readIDs reads the identifiers in the lines of standard input.
func readIDs() (ids []string, err error) {
	file, err := readInput("-")
	if err != nil {
		return nil, err
	}

	for line := range strings.Lines(string(file.data)) {
		if id := strings.TrimSpace(line); id != "" {
			ids = append(ids, id)
		}
	}

	return ids, nil
}

// get looks up companies and prints them. The companies that it could not look up determine the exit code.
func (s *session) get(ctx context.Context, batch client.Batch) error {
	var items []client.BatchItem
	for item, err := range s.Batch(ctx, batch) {
		if err != nil {
			return err
		}
		items = append(items, item)
	}

	if len(items) == 1 && items[0].Problem != nil {
		return s.explainProblem(items[0].Problem)
	}
	if err := s.printCompanies(items, batch.Fields); err != nil {
		return err
	}

	return s.missingError(items)
}

func (s *session) printCompanies(items []client.BatchItem, fields []string) error {
	switch {
	case s.form == asJSON:
		for _, item := range items {
			if item.Company == nil {
				continue
			}
			if err := printJSON(s.out, item.Raw); err != nil {
				return err
			}
		}

		return nil
	case s.form == asCSV:
		return s.companiesCSV(items, fields)
	case len(fields) > 0:
		return s.fieldsTable(items, fields)
	case len(items) == 1:
		return s.companyPage(items[0].Company)
	}

	return s.companiesTable(items)
}

func (s *session) companiesCSV(items []client.BatchItem, fields []string) error {
	if len(fields) == 0 {
		fields = csvFields
	}

	columns := append([]string{"input", "status", "problem"}, fields...)
	return printCSV(s.out, columns, items, func(item *client.BatchItem) []string {
		return append([]string{inputOf(item), strconv.Itoa(item.Status), problemText(item)},
			fieldsOf(item.Raw, fields)...)
	})
}

func (s *session) fieldsTable(items []client.BatchItem, fields []string) error {
	t := grid{head: fields}
	for i := range items {
		if items[i].Company != nil {
			t.add(plain(fieldsOf(items[i].Raw, fields)...)...)
		}
	}

	return t.print(s.out, s.colours)
}

func (s *session) companiesTable(items []client.BatchItem) error {
	t := grid{head: []string{"TAX ID", "NAME", "STATE", "VAT", "INACTIVE", "E-FACTURA", "COUNTY", "ASKED"}}
	for i := range items {
		c := items[i].Company
		if c == nil {
			t.add(cell{text: inputOf(&items[i])}, outcome(items[i].Status))
			continue
		}

		inactive, _ := inactive(c)
		eInvoice, _ := eInvoice(c)
		t.add(cell{text: strconv.FormatInt(c.TaxID, 10)}, cell{c.Name, strong}, stateCell(c.StateRegistration),
			yesNo(c.VATPayer, new(true)), yesNo(inactive, new(false)), yesNo(eInvoice, nil), cell{text: text(c.County)},
			oldest(c.Sources))
	}

	return t.print(s.out, s.colours)
}

// missingError is the error for items without a company.
func (s *session) missingError(items []client.BatchItem) error {
	failed, code := 0, exitNotFound
	for i := range items {
		if items[i].Problem == nil {
			continue
		}

		failed++
		if items[i].Status >= http.StatusInternalServerError {
			code = exitTryAgain
		}
		if s.form != asCSV { // CSV has a column for it
			s.say("%s: %s", inputOf(&items[i]), problemText(&items[i]))
		}
	}

	if failed == 0 {
		return nil
	}

	return fail(code, "%d of %d companies could not be shown", failed, len(items))
}
