package caddymodule

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/efactura"
)

// invoiceRoutes are the addresses at which an operator looks after what was paid and
// invoiced. Nothing that they tell names a customer.
//
//	GET  /rodata/payments                  those that need attention: see listPayments
//	GET  /rodata/invoices                  ?state=held&after={id}&limit=100: see listKept
//	GET  /rodata/invoices/{invoice}        one, by its id or number
//	POST /rodata/invoices/{invoice}/retry  {uploadId}: has it sent to RO e-Factura after all
func (a *Admin) invoiceRoutes() []caddy.AdminRoute {
	const invoices = "/rodata/invoices"
	return []caddy.AdminRoute{
		{Pattern: "/rodata/payments", Handler: a.desk(methods{"GET": listPayments})},
		{Pattern: invoices, Handler: a.desk(methods{"GET": listKept})},
		{Pattern: invoices + "/{invoice}", Handler: a.desk(methods{"GET": showKept})},
		{Pattern: invoices + "/{invoice}/retry", Handler: a.desk(methods{"POST": retryInvoice})},
	}
}

// paymentInfo is what an operator sees of a payment that needs attention.
type paymentInfo struct {
	ID      string    `json:"id"`
	Account string    `json:"account"`
	NotedAt time.Time `json:"notedAt"`
	Tries   int       `json:"tries"`
	// Problem is what kept the last try from an invoice.
	Problem string `json:"problem,omitempty"`
	// Warning is what to mend although there is an invoice.
	Warning string `json:"warning,omitempty"`
	// NextTry is absent when there is an invoice.
	NextTry *time.Time `json:"nextTry,omitempty"`
}

const pageOfInvoices = 100

// warnedFor is how long a payment that was invoiced with a warning is listed.
const warnedFor = 90 * 24 * time.Hour

// listPayments lists the payments that wait for their invoices, the oldest 100, and
// then those of the last 90 days that were invoiced with a warning, the newest 100.
func listPayments(s *service, r *http.Request) (any, error) {
	waiting, err := s.invoices.WaitingPayments(r.Context(), pageOfInvoices)
	if err != nil {
		return nil, err
	}
	warned, err := s.invoices.WarnedPayments(r.Context(), time.Now().Add(-warnedFor), pageOfInvoices)
	if err != nil {
		return nil, err
	}
	infos := make([]paymentInfo, 0, len(waiting)+len(warned))
	for _, p := range waiting {
		infos = append(infos, paymentInfo{ID: p.ID, Account: p.Account, NotedAt: p.NotedAt, Tries: p.Tries, Problem: p.Problem, NextTry: &p.Lease})
	}
	for _, p := range warned {
		infos = append(infos, paymentInfo{ID: p.ID, Account: p.Account, NotedAt: p.NotedAt, Tries: p.Tries, Warning: p.Problem})
	}
	return infos, nil
}

// invoiceInfo is what an operator sees of an invoice.
type invoiceInfo struct {
	ID        string `json:"id"`
	Number    string `json:"number"`
	Account   string `json:"account"`
	Payment   string `json:"payment"`
	IssueDate string `json:"issueDate"`
	Currency  string `json:"currency"`
	Gross     int64  `json:"grossTotal"`
	PDFReady  bool   `json:"pdfReady"`
	// State is what became of it at RO e-Factura; unlike its customer, the operator
	// sees that it is held.
	State    efactura.State `json:"efacturaStatus"`
	Message  string         `json:"message,omitempty"`
	Since    *time.Time     `json:"since,omitempty"` // in its state
	UploadID string         `json:"uploadId,omitempty"`
	NextStep *time.Time     `json:"nextStep,omitempty"`
}

func newInvoiceInfo(k billing.Kept) invoiceInfo {
	t := k.Transmission
	return invoiceInfo{
		ID: k.ID, Number: k.Number, Account: k.Account, Payment: k.Payment, IssueDate: k.IssueDate, Currency: k.Currency, Gross: k.Gross, PDFReady: k.Rendered,
		State: t.State, Message: t.Message, Since: orNil(t.Since), UploadID: t.UploadID, NextStep: orNil(k.DueAt),
	}
}

func orNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// listKept lists invoices as they were issued, from behind the id after on, at most
// limit (1 to 100, default 100); with a state, those in it.
func listKept(s *service, r *http.Request) (any, error) {
	query := r.URL.Query()
	state := efactura.State(query.Get("state"))
	if state != "" && !slices.Contains(efactura.States, state) {
		return nil, badRequest("there is no state %q; there are: %v", state, efactura.States)
	}
	limit, err := strconv.Atoi(cmp.Or(query.Get("limit"), strconv.Itoa(pageOfInvoices)))
	if err != nil || limit < 1 || limit > pageOfInvoices {
		return nil, badRequest("limit: 1 to %d invoices are listed at a time", pageOfInvoices)
	}
	kept, err := s.invoices.KeptInvoices(r.Context(), state, query.Get("after"), limit)
	if err != nil {
		return nil, err
	}
	infos := make([]invoiceInfo, len(kept))
	for i := range kept {
		infos[i] = newInvoiceInfo(kept[i])
	}
	return infos, nil
}

func showKept(s *service, r *http.Request) (any, error) {
	kept, err := s.invoices.KeptInvoice(r.Context(), r.PathValue("invoice"))
	if err != nil {
		return nil, err
	}
	return newInvoiceInfo(kept), nil
}

func retryInvoice(s *service, r *http.Request) (any, error) {
	in, err := readBody[struct{ UploadID string }](r)
	if err != nil {
		return nil, err
	}
	if err := s.billing.Retry(r.Context(), r.PathValue("invoice"), in.UploadID); err != nil {
		return nil, err
	}
	return showKept(s, r)
}
