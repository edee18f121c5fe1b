package operate

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/caddymodule/adminapi"
	"github.com/rodata/rodata/cmd/rodata/command"
)

// invoicesCommand groups the commands on invoices.
func invoicesCommand() *cobra.Command {
	return command.Group("invoices", "Lists invoices, and sends them to RO e-Factura again", listInvoices(),
		showInvoice(), retryInvoice())
}

// paymentsCommand groups the commands on payments.
func paymentsCommand() *cobra.Command {
	return command.Group("payments", "Lists the payments that need attention", listPayments())
}

func listInvoices() *cobra.Command {
	var state, after string
	var limit int
	cmd := gatewayCommand("list [--state <state>] [--after <id>] [--limit <number>]", "Lists invoices", `
Lists the invoices of all accounts, the oldest first. --state keeps those in a state
at RO e-Factura: not_required, pending, processing, accepted, rejected, failed or
held; --after continues a list after its last id.`,
		"rodata invoices list --state held", 0, func(g *Gateway, _ []string) error {
			query := url.Values{"limit": {strconv.Itoa(limit)}, "state": {state}, "after": {after}}
			return show(g, "/rodata/invoices?"+query.Encode(), printInvoices)
		})

	cmd.Flags().StringVar(&state, "state", "", "State at RO e-Factura")
	cmd.Flags().StringVar(&after, "after", "", "Id of the invoice after which to continue")
	cmd.Flags().IntVar(&limit, "limit", 100, "Maximum number of invoices to list, 1 to 100")
	return cmd
}

func printInvoices(w io.Writer, invoices []adminapi.Invoice) {
	fmt.Fprintln(w, "NUMBER\tISSUED\tGROSS\tSTATE\tSINCE\tID\tACCOUNT")
	for _, i := range invoices {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", i.Number, i.IssueDate, gross(i), i.State, moment(i.Since), i.ID,
			i.Account)
	}
}

// gross returns the total with VAT, such as 121.00 RON.
func gross(i adminapi.Invoice) string {
	sign, amount := "", i.Gross
	if amount < 0 {
		sign, amount = "-", -amount
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, amount/100, amount%100, i.Currency)
}

func moment(t *time.Time) string { return timeOr(t, time.RFC3339, "-") }

// emptyNumber is the error message if the number of an invoice is missing.
const emptyNumber = `the number is empty; "rodata invoices list" lists the invoices`

func showInvoice() *cobra.Command {
	return gatewayCommand("show <invoice>", "Shows an invoice and its state at RO e-Factura", `
Shows an invoice, its state at RO e-Factura, and why it is in that state. <invoice> is
its number or its id.`,
		"rodata invoices show RD-0000042", 1, func(g *Gateway, args []string) error {
			path, err := resourcePath("/rodata/invoices", args[0], emptyNumber)
			if err != nil {
				return err
			}
			return show(g, path, printInvoice)
		})
}

func printInvoice(w io.Writer, i adminapi.Invoice) {
	for _, line := range [][2]string{
		{"number", i.Number}, {"id", i.ID}, {"account", i.Account}, {"payment", i.Payment}, {"issued", i.IssueDate},
		{"gross", gross(i)}, {"PDF", map[bool]string{true: "ready", false: "not made yet"}[i.PDFReady]},
		{"e-Factura", string(i.State)}, {"since", moment(i.Since)}, {"message", orDash(i.Message)},
		{"upload", orDash(i.UploadID)}, {"next step", moment(i.NextStep)},
	} {
		fmt.Fprintf(w, "%s\t%s\n", line[0], line[1])
	}
}

func retryInvoice() *cobra.Command {
	var in adminapi.Retry
	cmd := gatewayCommand("retry <invoice> [--upload <id>]", "Sends an invoice to RO e-Factura again", `
Continues with an invoice that RO e-Factura has not accepted. <invoice> is its number
or its id. What happens depends on its state:

  held          The answer to its upload was lost, so it may have arrived or not. Look
                for it at RO e-Factura. If it is there, give the id of its upload ("index
                de încărcare") with --upload. If not, leave --upload out: it is looked
                for once more and then uploaded.
  rejected      It is uploaded again.
  failed        It continues at the step that failed.
  not_required  It is sent if its customer is in Romania: it was issued while efactura
                was off.`,
		"rodata invoices retry RD-0000042", 1, func(g *Gateway, args []string) error {
			path, err := resourcePath("/rodata/invoices", args[0], emptyNumber)
			if err != nil {
				return err
			}
			return printAnswer(g, http.MethodPost, path+"/retry", in, func(w io.Writer, i adminapi.Invoice) {
				fmt.Fprintf(w, "the state of invoice %s is %s\n", i.Number, i.State)
			})
		})

	cmd.Flags().StringVar(&in.UploadID, "upload", "", "Id of the upload that was found at RO e-Factura")
	return cmd
}

func listPayments() *cobra.Command {
	return gatewayCommand("list", "Lists the payments that need attention", `
Lists the payments without an invoice, the oldest 100, each with the problem. Once that
is corrected, they are invoiced at the next attempt.

Payments of the last 90 days that were invoiced with a warning follow, the newest 100:
customers in Romania paid them in a currency other than RON.`,
		"rodata payments list", 0, func(g *Gateway, _ []string) error {
			return show(g, "/rodata/payments", func(w io.Writer, payments []adminapi.Payment) {
				fmt.Fprintln(w, "PAYMENT\tACCOUNT\tSINCE\tTRIES\tNEXT\tPROBLEM")
				for _, p := range payments {
					fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", p.ID, p.Account, moment(&p.NotedAt), p.Tries,
						moment(p.NextTry), orDash(trouble(p)))
				}
			})
		})
}

// trouble returns the reason why a payment needs attention.
func trouble(p adminapi.Payment) string {
	if p.Warning != "" {
		return "warning: " + p.Warning
	}
	return p.Problem
}
