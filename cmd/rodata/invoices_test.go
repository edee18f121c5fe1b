package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/einvoice"
	"github.com/rodata/rodata/testkit/stripeserver"
)

// office is a gateway that sells plans and sends invoices, with stand-ins for Stripe and e-Factura.
type office struct {
	operator
	site, key string
	stripe    *stripeserver.Stripe
	tax       *einvoice.Service
}

func openOffice(t *testing.T) *office {
	t.Helper()
	stripe := stripeserver.Start(t)
	tax := einvoice.Start(t)
	admin, site := runWithAdmin(t, func(app map[string]any) {
		app["billing"] = map[string]any{
			"stripe_key": stripeserver.Key, "stripe_webhook_secret": stripeserver.Secret, "stripe_url": stripe.URL,
			"seller": map[string]any{
				"name": "Înțelepții Datelor SRL", "street": "Str. Închipuită nr. 7", "city": "Cluj-Napoca",
				"county": "CJ",
				"vat_id": "RO" + einvoice.FiscalCode,
			},
			"efactura": map[string]any{
				"mode": "test", "client_id": einvoice.ClientID, "client_secret": einvoice.ClientSecret,
				"refresh_token": einvoice.RefreshToken,
				"url":           tax.URL, "token_url": tax.TokenURL,
			},
		}
	})
	o := &office{operator: operator{t, admin}, site: site, stripe: stripe, tax: tax}
	o.key = o.types("keys", "issue", o.types("accounts", "create"), "--name", "ERP")
	o.post("/v1/billing/checkout", []byte(`{"plan":"starter"}`), "Authorization", "Bearer "+o.key)
	return o
}

func (o *office) post(path string, body []byte, header, value string) {
	o.Helper()
	r, err := http.NewRequestWithContext(o.Context(), "POST", o.site+path, bytes.NewReader(body))
	testkit.NoError(o, err)

	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(header, value)
	res, err := http.DefaultClient.Do(r)
	testkit.NoError(o, err)

	res.Body.Close()
	if res.StatusCode/100 != 2 {
		o.Fatalf("%s: got %d", path, res.StatusCode)
	}
}

// pays makes the only customer pay.
func (o *office) pays(bill stripeserver.Bill) {
	o.Helper()
	bill.Customer, bill.Amount, bill.At, bill.Name = o.stripe.Customers()[0], 9900, time.Now(), "Ștefana Închipuită"
	_, e := o.stripe.Pay(bill)
	o.post("/v1/billing/webhook", e.Payload, "Stripe-Signature", e.Signature)
}

func TestInvoiceCommands(t *testing.T) {
	o := openOffice(t)
	o.tax.Inject("upload", einvoice.Refusal)
	o.pays(stripeserver.Bill{Currency: "ron", Country: "RO"})
	o.pays(stripeserver.Bill{Currency: "eur", Country: "RO"}) // which is invoiced with a warning
	o.pays(stripeserver.Bill{Currency: "huf", Country: "RO"}) // which cannot be invoiced
	var rejected []struct{ ID, Number string }
	testkit.Until(t, "the invoices and warnings are listed", func() bool {
		return json.Unmarshal([]byte(o.types("invoices", "list", "--state", "rejected", "--json")), &rejected) == nil &&
			len(rejected) == 1 &&
			strings.Contains(o.types("payments", "list"), `the currency "HUF" is not one of`) &&
			strings.Contains(o.types("payments", "list"), "warning: invoiced, but a customer in Romania paid in EUR")
	})
	id := rejected[0].ID
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"invoices", "list"}, "RD-0000001  20"},
		{[]string{"invoices", "list"}, "99.00 RON  rejected "},
		{[]string{"invoices", "list", "--state", "held"}, "NUMBER  ISSUED  GROSS  STATE  SINCE  ID  ACCOUNT"},
		{[]string{"invoices", "list", "--after", id, "--json"}, `[{"id":"`},
		{[]string{"invoices", "list", "--after", "zzz", "--json"}, "[]"},
		{[]string{"invoices", "show", "RD-0000001"}, "SAXParseException"},
		{[]string{"invoices", "show", "RD-0000001"}, "id         " + id},
		{[]string{"invoices", "show", id, "--json"}, `"number":"RD-0000001"`},
		{[]string{"payments", "list"}, "PAYMENT    ACCOUNT"},
		{[]string{"payments", "list", "--json"}, `"tries":1,"problem":"`},
		{[]string{"payments", "list", "--json"}, `"tries":1,"warning":"invoiced, but `},
		{[]string{"invoices", "list"}, "99.00 EUR"},
	} {
		got := o.types(c.words...)
		if !strings.Contains(got, c.want) {
			t.Errorf("%v: no %q in\n%s", c.words, c.want, got)
		}
		if strings.Contains(got, "Ștefana") {
			t.Errorf("%v names the customer:\n%s", c.words, got)
		}
	}

	o.fails("not the ID of an upload", "invoices", "retry", "RD-0000001", "--upload", "RD-0000001")
	// The state is pending, or processing by now.
	if got := o.types("invoices", "retry",
		"RD-0000001"); !strings.HasPrefix(got, "the state of invoice RD-0000001 is p") {
		t.Errorf("got %q", got)
	}

	testkit.Until(t, "the invoice is uploaded again", func() bool {
		return strings.Contains(o.types("invoices", "show", id), "processing") &&
			len(o.tax.Uploads()) == 2 // with the one in euro
	})

	for _, c := range []struct {
		want  string
		words []string
	}{
		{"it is processing, and under way", []string{"invoices", "retry", "RD-0000001"}},
		{"no invoice with that id or number", []string{"invoices", "retry", "RD-0000009"}},
		{"no invoice with that id or number", []string{"invoices", "show", "unknown"}},
		{"there are: [not_required pending", []string{"invoices", "list", "--state", "lost"}},
		{"1 to 100", []string{"invoices", "list", "--limit", "0"}},
		{"the number is empty", []string{"invoices", "show", ""}},
		{"as in: rodata invoices retry", []string{"invoices", "retry"}},
	} {
		o.fails(c.want, c.words...)
	}
}

// Without e-Factura, no invoice can be sent again, and the error explains what to do.
func TestRetryWithoutEFactura(t *testing.T) {
	admin, _ := runWithAdmin(t)
	operator{t, admin}.fails("turn it on first", "invoices", "retry", "RD-0000001")
}
