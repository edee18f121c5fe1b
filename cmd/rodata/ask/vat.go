package ask

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

func vatCommand() *cobra.Command {
	var requester string
	q := question{
		use: "vat <number>...", short: "Checks VAT numbers of the European Union", minArgs: 1,
		long: `
Checks VAT numbers with VIES: valid, invalid, or unknown while a member state cannot be
asked. Unknown is never invalid: the exit code is 4, and trying again helps. With
--requester there are consultation numbers, which prove the checks.

A number that is valid or invalid costs 1 credit with a key.`,
		examples: `  rodata vat DE811569869
  rodata vat DE811569869 RO14399840 --requester RO14399840 --csv`,
		run: func(ctx context.Context, s *session, args []string) error {
			var items []client.VATItem
			for item, err := range s.CheckVATNumbers(ctx,
				client.VATBatch{VATNumbers: args, Requester: requester, InOrder: true}) {
				if err != nil {
					return err
				}
				items = append(items, item)
			}

			if len(items) == 1 && items[0].Problem != nil {
				return s.explainProblem(items[0].Problem)
			}
			if err := s.printChecks(items); err != nil {
				return err
			}

			return s.checkError(items)
		},
	}

	cmd := q.command()
	cmd.Flags().StringVar(&requester, "requester", "",
		"VAT number on whose behalf VIES is asked (default: the one on the account's invoices)")
	return cmd
}

func (s *session) printChecks(items []client.VATItem) error {
	switch s.form {
	case asJSON:
		for _, item := range items {
			if item.Check == nil {
				continue
			}
			if err := printJSON(s.out, item.Check); err != nil {
				return err
			}
		}

		return nil
	case asCSV:
		columns := []string{"vatNumber", "countryCode", "status", "name", "address", "consultationNumber", "reason"}
		return printCSV(s.out, columns, items, func(item *client.VATItem) []string {
			number, c := checkOf(item)
			return []string{
				number, c.CountryCode, vatWord(item).text, text(c.Name), text(c.Address), text(c.ConsultationNumber),
				text(c.Reason),
			}
		})
	}

	t := grid{head: []string{"NUMBER", "STATUS", "NAME", "ADDRESS", "CONSULTATION", "ASKED"}}
	for i := range items {
		number, c := checkOf(&items[i])
		state := vatWord(&items[i])
		if c.LastKnown != nil && c.Status == client.VATUnknown {
			state.text += ", " + string(c.LastKnown.Status) + " " + ago(c.LastKnown.At)
		}

		t.add(cell{text: number}, state, cell{text: text(c.Name)}, cell{text: oneLine(text(c.Address))},
			cell{text: text(c.ConsultationNumber)}, oldest(c.Sources))
	}

	return t.print(s.out, s.colours)
}

// checkOf returns the normalised number of an item, and its check, empty without one.
func checkOf(item *client.VATItem) (number string, check *client.VATCheck) {
	number = item.Input
	if item.VATNumber != nil {
		number = *item.VATNumber
	}
	if item.Check == nil {
		return number, new(client.VATCheck)
	}

	return number, item.Check
}

// vatWord is the status of a number.
func vatWord(item *client.VATItem) cell {
	switch {
	case item.Status >= http.StatusInternalServerError, item.Check != nil && item.Check.Status == client.VATUnknown:
		return cell{"unknown", doubt}
	case item.Check != nil && item.Check.Status == client.VATValid:
		return cell{"valid", good}
	}

	return cell{"invalid", bad}
}

// checkError is the error for numbers that are invalid, or of unknown status.
func (s *session) checkError(items []client.VATItem) error {
	invalid, unknown := 0, 0
	for i := range items {
		if items[i].Problem != nil {
			number, _ := checkOf(&items[i])
			s.say("%s: %s", number, sentence(items[i].Problem.Detail))
		}

		switch vatWord(&items[i]).text {
		case "invalid":
			invalid++
		case "unknown":
			unknown++
		}
	}

	switch {
	case unknown > 0:
		return fail(exitTryAgain, "%d of %d numbers could not be checked now; try again", unknown, len(items))
	case invalid > 0:
		return fail(exitNotFound, "%d of %d numbers are invalid", invalid, len(items))
	}

	return nil
}
