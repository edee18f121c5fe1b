package adminapi

import (
	"net/http"
	"slices"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	billingstore "github.com/rodata/rodata/billing/store"
)

// Payment is a payment that needs attention. It does not name the customer.
type Payment struct {
	ID      string    `json:"id"`
	Account string    `json:"account"`
	NotedAt time.Time `json:"notedAt"`
	Tries   int       `json:"tries"`
	// Problem is the reason why the last attempt did not produce an invoice.
	Problem string `json:"problem,omitempty"`
	// Warning is a problem to fix although there is an invoice.
	Warning string `json:"warning,omitempty"`
	// NextTry is absent if there is an invoice.
	NextTry *time.Time `json:"nextTry,omitempty"`
}

// maxInvoices is the maximum number of invoices, or of payments of a kind, in an answer.
const maxInvoices = 100

// warnedFor is the time for which payments invoiced with a warning are listed.
const warnedFor = 90 * 24 * time.Hour

// listPayments lists the oldest 100 payments without an invoice, and then the newest 100 of the last 90 days that were
// invoiced with a warning.
func listPayments(g gateway, r *http.Request) (any, error) {
	waiting, err := g.Invoices.WaitingPayments(r.Context(), maxInvoices)
	if err != nil {
		return nil, err
	}

	warned, err := g.Invoices.WarnedPayments(r.Context(), time.Now().Add(-warnedFor), maxInvoices)
	if err != nil {
		return nil, err
	}

	infos := make([]Payment, 0, len(waiting)+len(warned))
	for _, p := range waiting {
		infos = append(infos, Payment{
			ID: p.ID, Account: p.Account, NotedAt: p.NotedAt, Tries: p.Tries, Problem: p.Problem, NextTry: &p.Lease,
		})
	}

	for _, p := range warned {
		infos = append(infos, Payment{ID: p.ID, Account: p.Account, NotedAt: p.NotedAt, Tries: p.Tries,
			Warning: p.Problem})
	}

	return infos, nil
}

// Invoice is an invoice as operators see it. It does not name the customer.
type Invoice struct {
	ID        string `json:"id"`
	Number    string `json:"number"`
	Account   string `json:"account"`
	Payment   string `json:"payment"`
	IssueDate string `json:"issueDate"`
	Currency  string `json:"currency"`
	Gross     int64  `json:"grossTotal"`
	PDFReady  bool   `json:"pdfReady"`
	// State is its state at RO e-Factura. Operators see the state held, which customers do not.
	State    efactura.State `json:"efacturaStatus"`
	Message  string         `json:"message,omitempty"`
	Since    *time.Time     `json:"since,omitempty"` // in its state
	UploadID string         `json:"uploadId,omitempty"`
	NextStep *time.Time     `json:"nextStep,omitempty"`
}

func newInvoice(k billingstore.InvoiceSummary) Invoice {
	t := k.Transmission
	return Invoice{
		ID: k.ID, Number: k.Number, Account: k.Account, Payment: k.Payment, IssueDate: k.IssueDate,
		Currency: k.Currency, Gross: k.Gross, PDFReady: k.Rendered, State: t.State, Message: t.Message,
		Since: orNil(t.Since), UploadID: t.UploadID, NextStep: orNil(k.DueAt),
	}
}

func orNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}

	t = t.UTC()
	return &t
}

// listInvoices lists invoices, the oldest first: ?state={state}&after={id}&limit={1 to 100, default 100}.
func listInvoices(g gateway, r *http.Request) (any, error) {
	query := r.URL.Query()
	state := efactura.State(query.Get("state"))
	if state != "" && !slices.Contains(efactura.States, state) {
		return nil, badRequest("there is no state %q; there are: %v", state, efactura.States)
	}

	most, err := limit(r, maxInvoices, "invoices")
	if err != nil {
		return nil, err
	}

	kept, err := g.Invoices.AllInvoices(r.Context(), state, query.Get("after"), most)
	return convertAll(kept, newInvoice), err
}

func showInvoice(g gateway, r *http.Request) (any, error) {
	kept, err := g.Invoices.InvoiceByName(r.Context(), r.PathValue("invoice"))
	if err != nil {
		return nil, err
	}
	return newInvoice(kept), nil
}

// Retry is the body of a request that sends an invoice to RO e-Factura again.
type Retry struct {
	// UploadID is the id of an upload of a held invoice that was found there; empty if there is none.
	UploadID string `json:"uploadId"`
}

func retryInvoice(g gateway, r *http.Request, in Retry) (any, error) {
	if err := g.Billing.Retry(r.Context(), r.PathValue("invoice"), in.UploadID); err != nil {
		return nil, err
	}

	return showInvoice(g, r)
}
