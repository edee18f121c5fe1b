package api

import (
	"context"

	"github.com/rodata/rodata/api/customer"
)

// fakeBilling answers with an address, or an error.
type fakeBilling struct{ err error }

func (f *fakeBilling) Checkout(_ context.Context, owner, plan string) (string, error) {
	return "https://pay.example/" + owner + "/" + plan, f.err
}

func (f *fakeBilling) Portal(_ context.Context, owner string) (string, error) {
	return "https://pay.example/" + owner, f.err
}

// fakeInvoices has two invoices of gateway.GoodKey's account; the PDF of the second does not exist.
type fakeInvoices struct{ err error }

const (
	renderedID = "019aa000-0000-7000-8000-000000000001"
	plainID    = "019aa000-0000-7000-8000-000000000002"
)

func (f fakeInvoices) Invoices(_ context.Context, owner string) ([]customer.Invoice, error) {
	if owner != "account1" {
		return nil, f.err
	}
	return []customer.Invoice{
		{ID: plainID, Number: "RD-0000002", IssueDate: "2026-11-20", Currency: "RON", NetTotal: -9900, VATTotal: -2079,
			GrossTotal: -11979, EFacturaStatus: "pending"},
		{ID: renderedID, Number: "RD-0000001", IssueDate: "2026-11-19", Currency: "RON", NetTotal: 9900, VATTotal: 2079,
			GrossTotal: 11979, EFacturaStatus: "accepted", PDFReady: true},
	}, f.err
}

func (f fakeInvoices) InvoicePDF(_ context.Context, owner, id string) (string, []byte, error) {
	switch {
	case f.err != nil:
		return "", nil, f.err
	case owner == "account1" && id == renderedID:
		return "RD-0000001", []byte("%PDF-1.7 ș"), nil
	case owner == "account1" && id == plainID:
		return "", nil, customer.ErrNotRendered
	}

	return "", nil, customer.ErrNoInvoice
}
