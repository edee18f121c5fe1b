package ask

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

func vatCommand() *cobra.Command {
	var requester string
	q := question{
		use: "vat <number>...", short: "Checks VAT numbers of the European Union", least: 1,
		long: `
Checks VAT numbers with VIES: valid, invalid, or unknown while a member state cannot be
asked. Unknown is never invalid: the exit code is 4, and trying again helps. With
--requester there are consultation numbers, which prove the checks.

A number that is valid or invalid costs 1 credit with a key.`,
		examples: `  rodata vat DE811569869
  rodata vat DE811569869 RO14399840 --requester RO14399840 --csv`,
		run: func(ctx context.Context, s *session, args []string) error {
			var checks []*client.VATCheck
			for _, number := range args {
				check, err := s.CheckVATNumber(ctx, number, requester)
				if err != nil {
					return err
				}
				checks = append(checks, check)
			}
			if err := s.printChecks(checks); err != nil {
				return err
			}
			return verdict(checks)
		},
	}

	cmd := q.command()
	cmd.Flags().StringVar(&requester, "requester", "", "VAT number on whose behalf VIES is asked (default that of the account's invoices)")
	return cmd
}

func (s *session) printChecks(checks []*client.VATCheck) error {
	switch s.form {
	case asJSON:
		for _, check := range checks {
			if err := printJSON(s.out, check); err != nil {
				return err
			}
		}
		return nil
	case asCSV:
		var rows [][]string
		for _, c := range checks {
			rows = append(rows, []string{c.VATNumber, c.CountryCode, string(c.Status), text(c.Name), text(c.Address), text(c.ConsultationNumber), text(c.Reason)})
		}
		return printCSV(s.out, []string{"vatNumber", "countryCode", "status", "name", "address", "consultationNumber", "reason"}, rows)
	}

	t := table{head: []string{"NUMBER", "STATUS", "NAME", "ADDRESS", "CONSULTATION", "ASKED"}}
	for _, c := range checks {
		t.add(cell{text: c.VATNumber}, vatCell(c), cell{text: text(c.Name)}, cell{text: oneLine(text(c.Address))},
			cell{text: text(c.ConsultationNumber)}, oldest(c.Sources))
	}
	return t.print(s.out, s.colours)
}

// vatCell is the status of a number; what was known before is said of one that is unknown.
func vatCell(c *client.VATCheck) cell {
	switch c.Status {
	case client.VATValid:
		return cell{"valid", good}
	case client.VATInvalid:
		return cell{"invalid", bad}
	}
	told := string(c.Status)
	if c.LastKnown != nil {
		told += ", " + string(c.LastKnown.Status) + " " + ago(c.LastKnown.At)
	}
	return cell{told, doubt}
}

// verdict is the error for numbers that are not valid, or not known to be.
func verdict(checks []*client.VATCheck) error {
	invalid, unknown := 0, 0
	for _, c := range checks {
		switch c.Status {
		case client.VATInvalid:
			invalid++
		case client.VATUnknown:
			unknown++
		}
	}
	switch {
	case unknown > 0:
		return fail(exitTryAgain, "%d of %d numbers could not be checked now; try again", unknown, len(checks))
	case invalid > 0:
		return fail(exitNotFound, "%d of %d numbers are invalid", invalid, len(checks))
	}
	return nil
}
