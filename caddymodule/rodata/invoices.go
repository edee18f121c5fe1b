package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

// invoicesCommand groups the commands on invoices.
func invoicesCommand() caddycmd.Command {
	return groupCommand("invoices", "Looks after the invoices of a running gateway", listInvoices(), showInvoice(), retryInvoice())
}

// paymentsCommand groups the commands on payments.
func paymentsCommand() caddycmd.Command {
	return groupCommand("payments", "Shows the payments that a running gateway has not invoiced", listPayments())
}

// invoiceInfo is an invoice as the admin API tells it.
type invoiceInfo struct {
	ID, Number, Account, Payment, IssueDate, Currency string
	GrossTotal                                        int64
	PDFReady                                          bool
	EFacturaStatus, Message, UploadID                 string
	Since, NextStep                                   *time.Time
}

func listInvoices() *cobra.Command {
	var state, after string
	var limit int
	cmd := gatewayCommand("list [--state <state>] [--after <id>] [--limit <number>]", "Lists invoices", `
Lists the invoices of all accounts in the order in which they were issued. --state
keeps those that are so at RO e-Factura: not_required, pending, processing, accepted,
rejected, failed or held; --after goes on behind the last id of a list before.`,
		"rodata invoices list --state held", 0, func(g *remote, _ []string) error {
			query := url.Values{"limit": {strconv.Itoa(limit)}}
			for name, value := range map[string]string{"state": state, "after": after} {
				if value != "" {
					query.Set(name, value)
				}
			}
			return show(g, "/rodata/invoices?"+query.Encode(), printInvoices)
		})
	cmd.Flags().StringVar(&state, "state", "", "What became of them at RO e-Factura")
	cmd.Flags().StringVar(&after, "after", "", "Id of the invoice behind which to go on")
	cmd.Flags().IntVar(&limit, "limit", 100, "How many to list at most, 1 to 100")
	return cmd
}

func printInvoices(w io.Writer, invoices []invoiceInfo) {
	fmt.Fprintln(w, "NUMBER\tISSUED\tGROSS\tSTATE\tSINCE\tID\tACCOUNT")
	for _, i := range invoices {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", i.Number, i.IssueDate, i.gross(), i.EFacturaStatus, moment(i.Since), i.ID, i.Account)
	}
}

// gross is the amount as people write it.
func (i invoiceInfo) gross() string {
	sign, amount := "", i.GrossTotal
	if amount < 0 {
		sign, amount = "-", -amount
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, amount/100, amount%100, i.Currency)
}

func moment(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.RFC3339)
}

func showInvoice() *cobra.Command {
	return gatewayCommand("show <invoice>", "Shows an invoice and what became of it at RO e-Factura", `
Shows an invoice, what became of it at RO e-Factura and why. <invoice> is its number
or its id.`,
		"rodata invoices show RD-0000042", 1, func(g *remote, args []string) error {
			path, err := invoicePath(args[0])
			if err != nil {
				return err
			}
			return show(g, path, printInvoice)
		})
}

func printInvoice(w io.Writer, i invoiceInfo) {
	for _, line := range [][2]string{
		{"number", i.Number}, {"id", i.ID}, {"account", i.Account}, {"payment", i.Payment}, {"issued", i.IssueDate}, {"gross", i.gross()},
		{"PDF", map[bool]string{true: "ready", false: "not made yet"}[i.PDFReady]},
		{"e-Factura", i.EFacturaStatus}, {"since", moment(i.Since)}, {"message", orDash(i.Message)}, {"upload", orDash(i.UploadID)}, {"next step", moment(i.NextStep)},
	} {
		fmt.Fprintf(w, "%s\t%s\n", line[0], line[1])
	}
}

func retryInvoice() *cobra.Command {
	var in struct {
		UploadID string `json:"uploadId"`
	}
	cmd := gatewayCommand("retry <invoice> [--upload <id>]", "Has an invoice sent to RO e-Factura after all", `
Has an invoice go on whose sending came to no good end. <invoice> is its number or its
id.

  held          the answer to its upload was lost, and nobody knows whether it arrived.
                Look for it at RO e-Factura: if it is there, give the id of its upload
                ("index de încărcare") with --upload; if not, leave that out, and it is
                looked for once more and then uploaded
  rejected      it is uploaded again
  failed        it goes on from where it was
  not_required  it is sent, if its customer is in Romania: it was issued while efactura
                was off`,
		"rodata invoices retry RD-0000042", 1, func(g *remote, args []string) error {
			path, err := invoicePath(args[0])
			if err != nil {
				return err
			}
			body, err := g.send(http.MethodPost, path+"/retry", in)
			if err != nil {
				return err
			}
			return tell(g, body, func(w io.Writer, i invoiceInfo) { fmt.Fprintf(w, "invoice %s is %s\n", i.Number, i.EFacturaStatus) })
		})
	cmd.Flags().StringVar(&in.UploadID, "upload", "", "Id of the upload as which it was found at RO e-Factura")
	return cmd
}

func invoicePath(name string) (string, error) {
	if name == "" {
		return "", errors.New("the number is empty; \"rodata invoices list\" shows the invoices")
	}
	return "/rodata/invoices/" + url.PathEscape(name), nil
}

// paymentInfo is a payment without an invoice as the admin API tells it.
type paymentInfo struct {
	ID, Account, Problem string
	Tries                int
	NotedAt, NextTry     time.Time
}

func listPayments() *cobra.Command {
	return gatewayCommand("list", "Lists the payments that wait for their invoices", `
Lists the payments that have no invoice yet, the oldest 100, and what keeps them from
one. Correct that, and they are invoiced at the next try.`,
		"rodata payments list", 0, func(g *remote, _ []string) error {
			return show(g, "/rodata/payments", func(w io.Writer, payments []paymentInfo) {
				fmt.Fprintln(w, "PAYMENT\tACCOUNT\tSINCE\tTRIES\tNEXT\tPROBLEM")
				for _, p := range payments {
					fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", p.ID, p.Account, moment(&p.NotedAt), p.Tries, moment(&p.NextTry), orDash(p.Problem))
				}
			})
		})
}
