package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
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

// sell makes a call at a gateway that sells plans.
func sell(t *testing.T, billing customer.Billing, invoices customer.Invoices, method, path string,
	call op.Call) *op.Reply {
	t.Helper()
	g := gateway.New(t)
	g.Sessions = fakeSessions{}
	o, inPath := gateway.Find(Operations(Registries{Billing: billing, Invoices: invoices}, metering.DefaultPlans(),
		system.About{}), method, path)
	call.InPath = inPath
	return g.Do(t.Context(), o, &call)
}

func planNamed(call op.Call, code string) op.Call {
	call.Args = op.Args{{Name: "plan", Text: code}}
	return call
}

func TestPaymentPages(t *testing.T) {
	down := &customer.PaymentsDown{RetryAfter: 30 * time.Second, Err: errors.New("secret cause")}
	for name, c := range map[string]struct {
		path   string
		call   op.Call
		err    error
		status int
		says   string
	}{
		"checkout with a key": {"checkout", planNamed(withKey, "starter"), nil, 200,
			`{"url":"https://pay.example/account1/starter"}`},
		"checkout with a session": {"checkout", planNamed(signedIn, "pro"), nil, 200,
			`{"url":"https://pay.example/account1/pro"}`},
		"checkout of nobody": {"checkout", planNamed(op.Call{}, "starter"), nil, 401, "needs an account"},
		"no plan":            {"checkout", withKey, nil, 400, "plan is missing"},
		"unknown plan":       {"checkout", planNamed(withKey, "platinum"), nil, 400, "these can: starter, pro"},
		"plan that is not sold": {"checkout", planNamed(withKey, "enterprise"), customer.ErrNotSold, 400,
			"these can: starter, pro"},
		"not configured": {"checkout", planNamed(withKey, "starter"), customer.ErrNoBilling, 503,
			"not configured"},
		"payment service down": {"checkout", planNamed(withKey, "starter"), down, 503, "not answering"},
		"store down": {"checkout", planNamed(withKey, "starter"),
			fmt.Errorf("%w: x", account.ErrStoreDown), 503, "accounts cannot be read"},
		"portal":                  {"portal", withKey, nil, 200, `{"url":"https://pay.example/account1"}`},
		"portal of nobody":        {"portal", op.Call{}, nil, 401, "needs an account"},
		"portal without customer": {"portal", withKey, customer.ErrNoCustomer, 404, "never bought"},
		"portal not configured":   {"portal", withKey, customer.ErrNoBilling, 503, "not configured"},
	} {
		reply := sell(t, &fakeBilling{err: c.err}, fakeInvoices{}, "POST", "/v1/billing/"+c.path, c.call)
		text := ""
		if reply.Problem != nil {
			text = reply.Problem.Detail
		} else {
			text = string(reply.Document.JSON)
		}

		if reply.Status != c.status || !strings.Contains(text, c.says) || strings.Contains(text, "secret") {
			t.Errorf("%s: got %d %s", name, reply.Status, text)
		}
		if reply.Status == http.StatusServiceUnavailable && reply.RetrySeconds() == 0 {
			t.Errorf("%s: it does not say when to try again", name)
		}
	}
}

func TestInvoices(t *testing.T) {
	reply := sell(t, nil, fakeInvoices{}, "GET", "/v1/invoices", withKey)
	const want = `{"invoices":[` +
		`{"id":"` + plainID + `","number":"RD-0000002","issueDate":"2026-11-20","currency":"RON","netTotal":-9900,"vatTotal":-2079,"grossTotal":-11979,"efacturaStatus":"pending","pdfReady":false},` +
		`{"id":"` + renderedID + `","number":"RD-0000001","issueDate":"2026-11-19","currency":"RON","netTotal":9900,"vatTotal":2079,"grossTotal":11979,"efacturaStatus":"accepted","pdfReady":true}]}`
	if reply.Status != 200 || string(reply.Document.JSON) != want {
		t.Errorf("got %d %s", reply.Status, reply.Document.JSON)
	}

	for name, c := range map[string]struct {
		path   string
		call   op.Call
		err    error
		status int
	}{
		"of nobody":       {"/v1/invoices", op.Call{}, nil, 401},
		"store down":      {"/v1/invoices", withKey, errors.New("disk on fire"), 503},
		"PDF":             {"/v1/invoices/" + renderedID + "/pdf", withKey, nil, 200},
		"PDF in capitals": {"/v1/invoices/" + strings.ToUpper(renderedID) + "/pdf", signedIn, nil, 200},
		"PDF to be made":  {"/v1/invoices/" + plainID + "/pdf", withKey, nil, 503},
		"another's PDF":   {"/v1/invoices/019aa000-0000-7000-8000-000000000003/pdf", withKey, nil, 404},
		"PDF of nobody":   {"/v1/invoices/" + renderedID + "/pdf", op.Call{}, nil, 401},
		"no UUID":         {"/v1/invoices/RD-0000001/pdf", withKey, nil, 400},
		"PDF, store down": {"/v1/invoices/" + renderedID + "/pdf", withKey, errors.New("disk on fire"), 503},
	} {
		reply := sell(t, nil, fakeInvoices{c.err}, "GET", c.path, c.call)
		if reply.Status != c.status || c.status == 503 && reply.RetrySeconds() == 0 {
			t.Errorf("%s: got %d %v", name, reply.Status, reply.Problem)
		}
	}
}

// A PDF is sent as a download, and must not be stored in shared caches.
func TestInvoiceIsAFile(t *testing.T) {
	reply := sell(t, nil, fakeInvoices{}, "GET", "/v1/invoices/"+renderedID+"/pdf", withKey)
	h := http.Header{}
	reply.WriteHeader(h)
	f := reply.Document.File
	if f == nil || f.Type[0] != "application/pdf" || f.Disposition[0] != `attachment; filename="RD-0000001.pdf"` ||
		h.Get("Cache-Control") != "no-store" {
		t.Errorf("got %+v, %v", f, h)
	}
	if !strings.HasPrefix(string(reply.Document.JSON), "%PDF-") {
		t.Errorf("got %q", reply.Document.JSON)
	}
}
