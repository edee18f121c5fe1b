package customer

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

type getInvoicePDFInput struct {
	ID InvoiceID `arg:"id" in:"path" doc:"Id of the invoice, as GET /v1/invoices lists it." example:"0198b0c4-5d0a-7c3e-9b1f-2f4c6a8e0d12"`
}

// GetInvoicePDF returns the operation get_invoice_pdf.
func GetInvoicePDF(invoices Invoices) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_invoice_pdf", Method: "GET", Path: "/v1/invoices/{id}/pdf", Tag: tag.Billing, Account: true,
		Media: op.PDFType,
		Title: "Download an invoice",
		Description: "One of the account's invoices as a PDF, with the RO e-Factura XML attached. Until pdfReady is " +
			"true, moments after payment, the answer is 503 with Retry-After. An id outside the account's invoices " +
			"returns 404.",
		Errors: []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in getInvoicePDFInput) (op.Answer[op.Binary], error) {
		number, pdf, err := invoices.InvoicePDF(ctx, caller.Account(), string(in.ID))
		switch {
		case errors.Is(err, ErrNoInvoice):
			return op.Answer[op.Binary]{}, problem.NotFound.New("the account has no invoice %s; GET /v1/invoices lists its "+
				"invoices", in.ID)
		case errors.Is(err, ErrNotRendered):
			return op.Answer[op.Binary]{}, problem.Unavailable.New("the PDF of the invoice is being generated; wait for " +
				"the time in Retry-After").After(5 * time.Second)
		case err != nil:
			return op.Answer[op.Binary]{}, storeError(ctx, err)
		}

		return op.Answer[op.Binary]{Document: op.NewFile(pdf, op.PDFType, number+".pdf")}, nil
	})
}

// InvoiceID is the id of an invoice, a UUID.
type InvoiceID string

// UnmarshalText parses a UUID in any case.
func (i *InvoiceID) UnmarshalText(text []byte) error {
	*i = InvoiceID(strings.ToLower(string(text)))
	if !op.UUIDForm.MatchString(string(*i)) {
		return &problem.InputError{Code: problem.InvalidFormat,
			Accepted: "the UUID of an invoice, from GET /v1/invoices"}
	}
	return nil
}

// Schema describes the format of an id.
func (InvoiceID) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string", Format: "uuid"} }
