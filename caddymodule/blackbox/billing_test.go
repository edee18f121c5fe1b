package blackbox

import (
	"bufio"
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
	stripe       *stripeserver.Stripe
	subscription string
}

// theSeller issues the shop's invoices.
var theSeller = object{
	"name": "Înțelepții Datelor SRL", "street": "Str. Închipuită nr. 7", "city": "Cluj-Napoca", "county": "CJ",
	"vat_id": "RO99990007",
}

func openShop(t *testing.T, changes ...func(*gateway)) *shop {
	t.Helper()
	s := new(shop)
	s.gateway = start(t, append(s.stock(t), changes...)...)
	return s
}

// stock returns the changes of a gateway that sells the usual plans.
func (s *shop) stock(t *testing.T) []func(*gateway) {
	t.Helper()
	s.stripe = stripeserver.Start(t)
	t.Setenv("RODATA_STRIPE_KEY", stripeserver.Key)
	t.Setenv("RODATA_STRIPE_WEBHOOK_SECRET", stripeserver.Secret)
	t.Setenv("RODATA_STRIPE_URL", s.stripe.URL)
	return []func(*gateway){paying(t, &s.wallet, 10), func(g *gateway) {
		s.gateway = g
		quick := object{"per_second": 1000, "burst": 1000}
		g.app()["plans"] = []object{
			{"code": "free", "credits": 100, "rate": quick},
			{"code": "starter", "credits": 5000, "rate": quick, "price_cents": 1900, "purchasable": true},
			{"code": "pro", "credits": 50_000, "rate": quick, "price_cents": 7900, "purchasable": true},
			{"code": "enterprise", "credits": -1, "rate": quick},
		}
		g.app()["billing"].(object)["seller"] = theSeller
	}}
}

func (s *shop) post(t *testing.T, path, body string) answer {
	t.Helper()
	return s.do(t, "POST", path, request{header: s.header(), body: body})
}

// send delivers an event like Stripe.
func (s *shop) send(t *testing.T, e stripeserver.Event) answer {
	t.Helper()
	header := map[string]string{"Stripe-Signature": e.Signature, "Content-Type": "application/json"}
	return s.do(t, "POST", "/v1/billing/webhook", request{body: string(e.Payload), header: header})
}

// tell delivers an event, which must be accepted.
func (s *shop) tell(t *testing.T, e stripeserver.Event) {
	t.Helper()
	if a := s.send(t, e); a.StatusCode != http.StatusNoContent {
		t.Fatalf("the event got %d %s", a.StatusCode, a.body)
	}
}

// pay pays for a plan at a page of Stripe.
func (s *shop) pay(t *testing.T, page string) {
	t.Helper()
	var paid stripeserver.Event
	s.subscription, paid = s.stripe.Complete(page)
	s.tell(t, paid)
}

// bill makes the customer pay an invoice of Stripe, in a currency and from a country.
func (s *shop) bill(t *testing.T, arguments string) {
	t.Helper()
	currency, country, _ := strings.Cut(arguments, " ")
	for _, c := range s.stripe.Customers() {
		_, e := s.stripe.Pay(stripeserver.Bill{
			Customer: c, Currency: currency, Amount: 1900, At: time.Now(), Name: "Ștefana Închipuită", Country: country,
		})
		s.tell(t, e)
	}
}

// If the plan of an account is removed from the catalogue, the account is served like a new account, and can manage
// its subscription and buy another plan. The log reports the plan once.
func TestBoughtPlanIsTakenAway(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.json")
	s := openShop(t, logTo(log))
	s.pay(t, s.post(t, "/v1/billing/checkout", `{"plan":"starter"}`).object(t)["url"].(string))
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
	if output := string(logged); strings.Count(output, "not in the catalogue") != 1 ||
		!strings.Contains(output, `"plan":"starter","instead":"free"`) {
		t.Errorf("logged:\n%s", output)
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

// Without a payment service, the body of an event is not awaited either.
func TestEventWithoutAPaymentService(t *testing.T) {
	s := shop{gateway: start(t)}
	signature := fmt.Sprintf("t=%d,v1=00", time.Now().Unix())
	if status := s.open(t, signature, 8*time.Second); status != "503 Service Unavailable" {
		t.Errorf("got %q before the body of an event has come", status)
	}
}
