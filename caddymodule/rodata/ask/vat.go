package ask

import (
	"context"
	"errors"
	"net/http"

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
			var checks []vatAnswer
			for _, number := range args {
				check, err := s.CheckVATNumber(ctx, number, requester)
				a := vatAnswer{VATCheck: check}
				if err != nil && (!errors.As(err, &a.problem) || !ofOneNumber(a.problem)) {
					return err
				}
				if a.problem != nil {
					a.VATCheck = &client.VATCheck{VATNumber: number, Status: client.VATUnknown}
				}
				checks = append(checks, a)
			}
			if len(checks) == 1 && checks[0].problem != nil {
				return s.explainProblem(checks[0].problem)
			}
			if err := s.printChecks(checks); err != nil {
				return err
			}
			return s.verdict(checks)
		},
	}

	cmd := q.command()
	cmd.Flags().StringVar(&requester, "requester", "", "VAT number on whose behalf VIES is asked (default that of the account's invoices)")
	return cmd
}

// vatAnswer is what became of a number: its check or, if there is none, the problem.
type vatAnswer struct {
	*client.VATCheck
	problem *client.Problem
}

// ofOneNumber reports whether a problem is of one number, so that others can be checked all the same.
func ofOneNumber(p *client.Problem) bool {
	return p.Status >= http.StatusBadGateway || p.Code == client.CodeInvalidRequest && usageOf(p) == exitNotFound
}

func (s *session) printChecks(checks []vatAnswer) error {
	switch s.form {
	case asJSON:
		for _, c := range checks {
			if c.problem != nil {
				continue
			}
			if err := printJSON(s.out, c.VATCheck); err != nil {
				return err
			}
		}
		return nil
	case asCSV:
		var rows [][]string
		for _, c := range checks {
			rows = append(rows, []string{
				c.VATNumber, c.CountryCode, c.word().text, text(c.Name), text(c.Address), text(c.ConsultationNumber), text(c.Reason),
			})
		}
		return printCSV(s.out, []string{"vatNumber", "countryCode", "status", "name", "address", "consultationNumber", "reason"}, rows)
	}

	t := grid{head: []string{"NUMBER", "STATUS", "NAME", "ADDRESS", "CONSULTATION", "ASKED"}}
	for _, c := range checks {
		state := c.word()
		if c.LastKnown != nil && c.Status == client.VATUnknown {
			state.text += ", " + string(c.LastKnown.Status) + " " + ago(c.LastKnown.At)
		}
		t.add(cell{text: c.VATNumber}, state, cell{text: text(c.Name)}, cell{text: oneLine(text(c.Address))},
			cell{text: text(c.ConsultationNumber)}, oldest(c.Sources))
	}
	return t.print(s.out, s.colours)
}

// word is the status of a number.
func (a *vatAnswer) word() cell {
	switch {
	case a.problem != nil && a.problem.Status < http.StatusInternalServerError, a.Status == client.VATInvalid:
		return cell{"invalid", bad}
	case a.Status == client.VATValid:
		return cell{"valid", good}
	}
	return cell{"unknown", doubt}
}

// verdict is the error for numbers that are not valid, or not known to be.
func (s *session) verdict(checks []vatAnswer) error {
	invalid, unknown := 0, 0
	for _, c := range checks {
		if c.problem != nil {
			s.say("%s: %s", c.VATNumber, sentence(c.problem.Detail))
		}
		switch c.word().text {
		case "invalid":
			invalid++
		case "unknown":
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
