package blackbox

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/stripeserver"
)

// shop is a gateway with an account that sells plans through a stand-in for Stripe.
type shop struct {
	*gateway
	wallet
	stripe *stripeserver.Stripe
}

// theSeller issues the shop's invoices.
var theSeller = object{
	"name": "Înțelepții Datelor SRL", "street": "Str. Închipuită nr. 7", "city": "Cluj-Napoca", "county": "CJ",
	"vat_id": "RO99990007",
}

func openShop(t *testing.T, changes ...func(*gateway)) *shop {
	t.Helper()
	stripe := stripeserver.Start(t)
	t.Setenv("RODATA_STRIPE_KEY", stripeserver.Key)
	t.Setenv("RODATA_STRIPE_WEBHOOK_SECRET", stripeserver.Secret)
	t.Setenv("RODATA_STRIPE_URL", stripe.URL)
	s := &shop{stripe: stripe}
	stock := func(g *gateway) {
		quick := object{"per_second": 1000, "burst": 1000}
		g.app()["plans"] = []object{ // the usual ones
			{"code": "free", "credits": 100, "rate": quick},
			{"code": "starter", "credits": 5000, "rate": quick, "price_cents": 1900, "purchasable": true},
			{"code": "pro", "credits": 50_000, "rate": quick, "price_cents": 7900, "purchasable": true},
			{"code": "enterprise", "credits": -1, "rate": quick},
		}
		g.app()["billing"].(object)["seller"] = theSeller
	}
	s.gateway = start(t, append([]func(*gateway){paying(t, &s.wallet, 10), stock}, changes...)...)
	return s
}

func (s *shop) post(t *testing.T, path, body string) answer {
	t.Helper()
	return s.do(t, "POST", path, request{header: s.header(), body: body})
}

// send delivers an event like Stripe.
func (s *shop) send(t *testing.T, e stripeserver.Event) answer {
	t.Helper()
	return s.do(t, "POST", "/v1/billing/webhook",
		request{
			body: string(e.Payload), header: map[string]string{
				"Stripe-Signature": e.Signature, "Content-Type": "application/json",
			},
		})
}

// A plan can be bought, from the checkout to the invoice, with only a test key and the seller configured.
func TestPlanIsBought(t *testing.T) {
	s := openShop(t)
	s.post(t, "/v1/billing/portal", "").problem(t, 404, "not-found")
	s.post(t, "/v1/billing/checkout", `{"plan":"platinum"}`).problem(t, 400, "invalid-request")
	s.post(t, "/v1/billing/checkout", `{"plan":"enterprise"}`).problem(t, 400, "invalid-request")
	page := s.post(t, "/v1/billing/checkout", `{"plan":"starter"}`).object(t)["url"].(string)
	subscription, paid := s.stripe.Complete(page)
	if a := s.send(t, paid); a.StatusCode != http.StatusNoContent {
		t.Fatalf("the event got %d %s", a.StatusCode, a.body)
	}
	if usage := s.wallet.get(t, s.gateway, "/v1/usage").object(t); usage["plan"] != "starter" ||
		usage["creditsRemaining"] != 5000.0 {
		t.Errorf("after it was paid: %v", usage)
	}
	if a := s.post(t, "/v1/billing/portal", ""); a.StatusCode != 200 {
		t.Errorf("the portal got %d %s", a.StatusCode, a.body)
	}

	s.post(t, "/v1/billing/checkout", `{"plan":"pro"}`)
	if n := s.stripe.Subscriptions(); n != 1 {
		t.Errorf("there are %d subscriptions", n)
	}

	s.send(t, s.stripe.Change(subscription, "canceled", "", "customer.subscription.deleted"))
	if usage := s.wallet.get(t, s.gateway, "/v1/usage").object(t); usage["plan"] != "free" {
		t.Errorf("after the end: %v", usage)
	}
}

// If the plan of an account is removed from the catalogue, the account is served like a new account, and can manage
// its subscription and buy another plan. The log reports the plan once.
func TestBoughtPlanIsTakenAway(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.json")
	s := openShop(t, logTo(log))
	_, paid := s.stripe.Complete(s.post(t, "/v1/billing/checkout", `{"plan":"starter"}`).object(t)["url"].(string))
	s.send(t, paid)
	plans := s.app()["plans"].([]object)
	s.app()["plans"] = []object{plans[0], plans[2]}
	s.reload(t)
	if a := s.wallet.get(t, s.gateway, "/v1/companies/"+company(t)); a.StatusCode != 200 ||
		a.Header.Get("x-credits-remaining") != "99" {
		t.Errorf("a company: %d %s %v", a.StatusCode, a.body, a.Header)
	}
	if usage := s.wallet.get(t, s.gateway, "/v1/usage").object(t); usage["plan"] != "free" ||
		usage["creditsUsed"] != 1.0 {
		t.Errorf("usage: %v", usage)
	}
	if reply := s.do(t, "POST", "/mcp",
		toolCallOf(s.key, "get_usage", `{}`)).outcome(t); reply.StructuredContent["plan"] != "free" {
		t.Errorf("usage over MCP: %v", reply)
	}

	for path, body := range map[string]string{"/v1/billing/portal": "", "/v1/billing/checkout": `{"plan":"pro"}`} {
		if a := s.post(t, path, body); a.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}

	s.post(t, "/v1/billing/checkout", `{"plan":"starter"}`).problem(t, 400, "invalid-request")
	logged, err := os.ReadFile(log)
	testkit.NoError(t, err)
	if said := string(logged); strings.Count(said, "not in the catalogue") != 1 ||
		!strings.Contains(said, `"plan":"starter","instead":"free"`) {
		t.Errorf("logged:\n%s", said)
	}
}

// invoice pays, and waits for the invoice.
func (s *shop) invoice(t *testing.T, currency, country string) object {
	t.Helper()
	page := s.post(t, "/v1/billing/checkout", `{"plan":"starter"}`).object(t)["url"].(string)
	if subscription, _ := s.stripe.Complete(page); subscription == "" {
		t.Fatalf("nobody can pay at %s", page)
	}

	var about object
	for _, c := range s.stripe.Customers() {
		_, e := s.stripe.Pay(stripeserver.Bill{
			Customer: c, Currency: currency, Amount: 1900, At: time.Now(), Name: "Ștefana Închipuită", Country: country,
		})
		if a := s.send(t, e); a.StatusCode != http.StatusNoContent {
			t.Fatalf("the event got %d %s", a.StatusCode, a.body)
		}
	}

	testkit.Until(t, "the invoice is drawn", func() bool {
		all := s.wallet.get(t, s.gateway, "/v1/invoices").object(t)["invoices"].([]any)
		if len(all) == 1 {
			about = all[0].(object)
		}
		return about != nil && about["pdfReady"] == true
	})
	return about
}

// A payment in euro is invoiced once, at the bank's rate, after reloads that change the billing or other settings.
func TestInvoiceIsDownloaded(t *testing.T) {
	s := openShop(t)
	s.app()["environment"] = "sandbox"
	s.reload(t)
	s.app()["billing"].(object)["grace"] = "1h"
	s.reload(t)

	i := s.invoice(t, "eur", "US")
	if i["number"] != "RD-0000001" || i["grossTotal"] != 1900.0 || i["efacturaStatus"] != "not_required" {
		t.Errorf("got %v", i)
	}

	path := "/v1/invoices/" + i["id"].(string) + "/pdf"
	a := s.wallet.get(t, s.gateway, path)
	if a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/pdf" ||
		a.Header.Get("Content-Disposition") != `attachment; filename="RD-0000001.pdf"` ||
		a.Header.Get("Cache-Control") != "no-store" || !bytes.HasPrefix(a.body, []byte("%PDF-")) {
		t.Errorf("got %d %v %.20q", a.StatusCode, a.Header, a.body)
	}

	s.do(t, "GET", path, request{}).problem(t, 401, "unauthorized")
}

// A payment that cannot be invoiced is visible to operators.
func TestWaitingPaymentsAreSeen(t *testing.T) {
	s := openShop(t)
	metrics := func() string {
		return string((&gateway{url: s.metricsURL, registries: s.registries}).get(t, "").body)
	}
	if text := metrics(); !strings.Contains(text, "\nrodata_payments_waiting 0\n") ||
		!strings.Contains(text, `rodata_efactura_invoices{state="held"} 0`) {
		t.Errorf("nothing is paid, and the metrics have no such line")
	}

	page := s.post(t, "/v1/billing/checkout", `{"plan":"starter"}`).object(t)["url"].(string)
	s.stripe.Complete(page)
	for _, c := range s.stripe.Customers() {
		_, e := s.stripe.Pay(stripeserver.Bill{
			Customer: c, Currency: "huf", Amount: 1900, At: time.Now(), Name: "Ștefana Închipuită", Country: "RO",
		})
		s.send(t, e)
	}

	if text := metrics(); !strings.Contains(text, "\nrodata_payments_waiting 1\n") ||
		strings.Contains(text, "\nrodata_payments_waiting_age_seconds 0\n") {
		t.Error("a payment in a currency without invoices is waiting, but the metrics do not show it")
	}
}

// open starts to send an event and leaves its body unfinished. It returns the status of an early answer, or an empty
// string if there is no answer within wait.
func (s *shop) open(t *testing.T, signature string, wait time.Duration) (status string) {
	t.Helper()
	host := strings.TrimPrefix(s.url, "http://")
	c, err := net.Dial("tcp", host)
	testkit.NoError(t, err)
	defer c.Close()

	fmt.Fprintf(c, "POST /v1/billing/webhook HTTP/1.1\r\nHost: %s\r\nStripe-Signature: %s\r\n"+
		"Content-Length: 9000\r\n\r\n{", host, signature)
	c.SetReadDeadline(time.Now().Add(wait))
	line, _ := bufio.NewReader(c).ReadString('\n')
	_, status, _ = strings.Cut(strings.TrimSpace(line), " ")
	return status
}

// The service does not wait for a body if the header shows that Stripe did not just send it.
func TestWebhookDoesNotReadUnsignedBodies(t *testing.T) {
	s := openShop(t)
	now := time.Now().Unix()
	for name, signature := range map[string]string{
		"none":          "",
		"no time":       "v1=00",
		"no signature":  fmt.Sprintf("t=%d", now),
		"of long ago":   fmt.Sprintf("t=%d,v1=00", now-600),
		"of the future": fmt.Sprintf("t=%d,v1=00", now+600),
		"not a number":  "t=now,v1=00",
	} {
		if status := s.open(t, signature, 8*time.Second); status != "400 Bad Request" {
			t.Errorf("%s: got %q before the body has come", name, status)
		}
	}

	if status := s.open(t, fmt.Sprintf("t=%d,v1=00", now), 300*time.Millisecond); status != "" {
		t.Errorf("what may be Stripe's is refused unread: %q", status)
	}

	large := s.stripe.Sign("invoice.paid", object{"id": strings.Repeat("x", 1<<20)}, time.Now())
	s.send(t, large).problem(t, http.StatusRequestEntityTooLarge, "payload-too-large")
}

// Without a payment service, or while it is down, plans are not sold, and the rest works.
func TestNothingIsSold(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 10), func(g *gateway) { delete(g.app(), "plans") })
	for _, path := range []string{"/v1/billing/checkout", "/v1/billing/portal"} {
		body := `{"plan":"starter"}`
		if path == "/v1/billing/portal" {
			body = ""
		}

		g.do(t, "POST", path, request{header: w.header(), body: body}).problem(t, 503, "unavailable")
		g.do(t, "POST", path, request{header: map[string]string{"Content-Type": "application/json"},
			body: body}).problem(t,
			401, "unauthorized")
	}

	signature := fmt.Sprintf("t=%d,v1=00", time.Now().Unix())
	if status := (&shop{gateway: g}).open(t, signature, 8*time.Second); status != "503 Service Unavailable" {
		t.Errorf("got %q before the body of an event has come", status)
	}
	if a := w.get(t, g, "/v1/invoices"); a.StatusCode != 200 || string(a.body) != `{"invoices":[]}` {
		t.Errorf("got %d %s", a.StatusCode, a.body)
	}
	if bytes.Contains(g.get(t, "/v1/plans").body, []byte(`"purchasable":true`)) {
		t.Error("plans are said to be for sale")
	}
}
