package billing

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/testkit"
)

// calls lists all calls to Stripe, both in the source and over HTTP.
var calls = map[string]string{
	"V1Customers.Create":             `POST /v1/customers`,
	"V1CheckoutSessions.Create":      `POST /v1/checkout/sessions`,
	"V1CheckoutSessions.List":        `GET /v1/checkout/sessions`,
	"V1CheckoutSessions.Expire":      `POST /v1/checkout/sessions/cs_1/expire`,
	"V1CheckoutSessions.Retrieve":    `GET /v1/checkout/sessions/cs_1`,
	"V1BillingPortalSessions.Create": `POST /v1/billing_portal/sessions`,
	"V1Subscriptions.List":           `GET /v1/subscriptions`,
	"V1Subscriptions.Cancel":         `DELETE /v1/subscriptions/sub_1`,
	"V1Invoices.Retrieve":            `GET /v1/invoices/in_1`,
	"V1InvoicePayments.List":         `GET /v1/invoice_payments`,
	"V1PaymentIntents.Retrieve":      `GET /v1/payment_intents/pi_1`,
	"V1Charges.Retrieve":             `GET /v1/charges/ch_1`,
	"V1CreditNotes.List":             `GET /v1/credit_notes`,
}

// Every call is valid according to Stripe's API description, which stripe-mock enforces, and the table lists every
// call.
func TestEveryCallAgreesWithStripe(t *testing.T) {
	address := os.Getenv("RODATA_TEST_STRIPE")
	if address == "" {
		t.Skip("no stripe-mock: RODATA_TEST_STRIPE names one, .ci/stripe-mock starts one")
	}

	w := watch(t, address)
	s := testkit.Must(NewStripe(StripeOptions{Key: "sk_test_123", URL: w.URL}))
	defer s.close()

	ctx := t.Context()
	b := &Billing{o: Options{ReturnURL: "https://rodata.example/dashboard", AutomaticTax: true}}
	customer := store.Customer{Account: "an account", ID: "cus_1"}
	for name, call := range map[string]func() error{
		"a customer": func() error {
			_,
				err := s.createCustomer(ctx, "an account", "ana@exemplu.example")
			return err
		},
		"open checkouts":        func() error { _, err := s.openSessions(ctx, "cus_1"); return err },
		"the end of a checkout": func() error { return s.expireSession(ctx, "cs_1") },
		"subscriptions":         func() error { _, err := s.subscriptions(ctx, "cus_1"); return err },
		"the end of one":        func() error { return s.cancelSubscription(ctx, "sub_1") },
		"the portal": func() error {
			_,
				err := s.portal(ctx, "cus_1", "https://rodata.example", "")
			return err
		},
		"a change in the portal": func() error {
			_,
				err := s.portal(ctx, "cus_1", "https://rodata.example", "sub_1")
			return err
		},
		"an invoice":         func() error { _, err := s.invoice(ctx, "in_1"); return err },
		"the invoice of one": func() error { _, _, err := s.invoiceOf(ctx, "pi_1"); return err },
		"a payment": func() error {
			_, err := s.refund(ctx, &stripe.InvoicePayment{
				Payment: &stripe.InvoicePaymentPayment{PaymentIntent: &stripe.PaymentIntent{ID: "pi_1"}},
			})
			return err
		},
		"a charge": func() error {
			_, err := s.refund(ctx, &stripe.InvoicePayment{
				Payment: &stripe.InvoicePaymentPayment{Charge: &stripe.Charge{ID: "ch_1"}},
			})
			return err
		},
		"credit notes": func() error {
			_, err := s.refundedAmount(ctx, &stripe.Invoice{ID: "in_1", PostPaymentCreditNotesAmount: 1})
			return err
		},
		"a checkout by price": func() error {
			_, err := s.createSession(ctx, b.sessionParams(customer, &Product{Plan: "pro", Price: "price_1"}))
			return err
		},
		"a checkout without": func() error {
			_, err := s.createSession(ctx, b.sessionParams(customer,
				&Product{Plan: "pro", Name: "Pro", CentsMonthly: 7900}))
			return err
		},
	} {
		testkit.NoError(t, call(), name)
	}

	w.refuse = true // so that the outcome of the checkout is read
	testkit.ErrorSays(t, s.expireSession(ctx, "cs_1"), "still open", "a checkout that cannot be ended")

	for call, want := range calls {
		if !w.seen[want] {
			t.Errorf("%s was never called", call)
		}
	}

	testkit.Equal(t, len(slices.Sorted(maps.Keys(w.seen))), len(calls), "calls")
}

// The table contains every call in the source.
func TestCallsAreKnown(t *testing.T) {
	files := testkit.Must(filepath.Glob("*.go"))
	written := map[string]bool{}
	for _, file := range files {
		text := testkit.Must(os.ReadFile(file))
		if strings.HasSuffix(file, "_test.go") {
			continue
		}

		for _, match := range regexp.MustCompile(`\.client\.(V\d\w+\.\w+)\(`).FindAllSubmatch(text, -1) {
			written[string(match[1])] = true
		}
	}

	testkit.Equal(t, slices.Sorted(maps.Keys(written)), slices.Sorted(maps.Keys(calls)), "the calls of the program")
}

// watcher is a proxy in front of stripe-mock that records the calls.
type watcher struct {
	*httptest.Server
	refuse bool // to end checkouts

	mu   sync.Mutex
	seen map[string]bool // recorded calls
}

func watch(t *testing.T, address string) *watcher {
	t.Helper()
	mock := testkit.Must(url.Parse(address))
	w := &watcher{seen: make(map[string]bool)}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(mock) },
		ModifyResponse: func(res *http.Response) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if call := res.Request.Method + " " + res.Request.URL.Path; res.StatusCode == http.StatusOK {
				w.seen[call] = true
			} else {
				t.Errorf("%s: got %d", call, res.StatusCode)
			}

			return nil
		},
	}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if w.refuse && strings.HasSuffix(r.URL.Path, "/expire") {
			http.Error(out, `{"error":{"type":"invalid_request_error"}}`, http.StatusBadRequest)
			return
		}

		proxy.ServeHTTP(out, r)
	}))
	t.Cleanup(w.Close)
	return w
}
