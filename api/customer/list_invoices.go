package customer

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
)

// Invoices gives access to the invoices of accounts.
type Invoices interface {
	// Invoices returns an account's invoices, the newest first.
	Invoices(ctx context.Context, account string) ([]Invoice, error)
	// InvoicePDF returns the PDF of one of an account's invoices, and its number. The error is ErrNoInvoice if the
	// account has no such invoice, and ErrNotRendered until the PDF exists.
	InvoicePDF(ctx context.Context, account, id string) (number string, pdf []byte, err error)
}

// InvoiceList is the invoices of an account.
type InvoiceList struct {
	Invoices []Invoice `json:"invoices" doc:"Newest first."`
}

// Invoice is an invoice in a list. Amounts are in hundredths of the currency, and negative for a correction.
type Invoice struct {
	ID             string `json:"id" doc:"Id of the invoice, to download it."`
	Number         string `json:"number" doc:"Series and number: RD-0000042."`
	IssueDate      string `json:"issueDate" doc:"Issue date, YYYY-MM-DD."`
	Currency       string `json:"currency" doc:"ISO 4217 code."`
	NetTotal       int64  `json:"netTotal" doc:"Amount without VAT, in hundredths of the currency: bani, cents. Negative in a correction."`
	VATTotal       int64  `json:"vatTotal" doc:"VAT, in hundredths of the currency."`
	GrossTotal     int64  `json:"grossTotal" doc:"netTotal + vatTotal, in hundredths of the currency."`
	EFacturaStatus string `json:"efacturaStatus" doc:"RO e-Factura status: not_required, pending, processing, accepted, rejected or failed."`
	PDFReady       bool   `json:"pdfReady" doc:"Whether the PDF can be downloaded."`
}

// ListInvoices returns the operation list_invoices.
func ListInvoices(invoices Invoices) *op.Operation {
	return op.Define(op.Spec{
		Name: "list_invoices", Method: "GET", Path: "/v1/invoices", Tag: tag.Billing, Account: true,
		Title: "List invoices",
		Description: "Invoices of the caller's account, newest first: one for each payment and, after a refund, the " +
			"correction that reverses the invoice and an invoice for the remainder. GET /v1/invoices/{id}/pdf " +
			"downloads one.",
	}, func(ctx context.Context, caller account.Caller, _ struct{}) (op.Answer[InvoiceList], error) {
		all, err := invoices.Invoices(ctx, caller.Account())
		if err != nil {
			return op.Answer[InvoiceList]{}, storeError(ctx, err)
		}
		// an empty list is not null
		return op.Answer[InvoiceList]{Value: InvoiceList{Invoices: append([]Invoice{}, all...)}}, nil
	})
}
