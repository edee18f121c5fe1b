package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/stripeserver"
)

// A payment that a killed program had claimed is invoiced right after the next start, without waiting for the lease of
// 4 minutes. No seller is configured, because a test key of Stripe does not require one.
func TestClaimedPaymentIsTakenUpAfterAKillLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	t.Parallel()
	stripe := stripeserver.Start(t)
	front := newHangingStripe(t, stripe.URL)
	p := newProgram(t, "RODATA_STRIPE_KEY="+stripeserver.Key,
		"RODATA_STRIPE_WEBHOOK_SECRET="+stripeserver.Secret, "RODATA_STRIPE_URL="+front.URL)
	payer := p.openAccounts(t, 1)[0]
	p.start(t)
	p.send(t, "POST", "/v1/billing/checkout", `{"plan":"starter"}`, "Authorization", "Bearer "+payer.key)
	front.hangs.Store(true)
	_, e := stripe.Pay(stripeserver.Bill{
		Customer: stripe.Customers()[0], Currency: "ron", Amount: 9900, At: time.Now(), Name: "Ștefana Închipuită",
		Country: "RO",
	})
	p.send(t, "POST", "/v1/billing/webhook", string(e.Payload), "Stripe-Signature", e.Signature)
	testkit.Until(t, "a request hangs", func() bool { return front.hung.Load() > 0 })
	p.Kill()
	front.hangs.Store(false)

	p.start(t)
	testkit.Until(t, "the invoice is drawn, in much less than the lease", func() bool { // for much less than the lease
		var answer struct {
			Invoices []struct {
				Number   string
				PDFReady bool
			}
		}
		body := p.send(t, "GET", "/v1/invoices", "", "Authorization", "Bearer "+payer.key)
		testkit.NoError(t, json.Unmarshal(body, &answer))

		return len(answer.Invoices) == 1 && answer.Invoices[0].Number == "TEST-0000001" && answer.Invoices[0].PDFReady
	})
}

// hangingStripe forwards calls to Stripe, except for queries about an invoice while it hangs.
type hangingStripe struct {
	*httptest.Server
	hangs atomic.Bool
	hung  atomic.Int64
}

func newHangingStripe(t *testing.T, address string) *hangingStripe {
	t.Helper()
	target, err := url.Parse(address)
	testkit.NoError(t, err)

	s, proxy := new(hangingStripe), httputil.NewSingleHostReverseProxy(target)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.hangs.Load() && strings.HasPrefix(r.URL.Path, "/v1/invoices/") {
			s.hung.Add(1)
			<-r.Context().Done()
			return
		}

		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// send makes a call that must succeed.
func (p *program) send(t *testing.T, method, path, body, header, value string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
	testkit.NoError(t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}

	r.Header.Set(header, value)
	res, err := http.DefaultClient.Do(r)
	testkit.NoError(t, err)
	defer res.Body.Close()

	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode/100 != 2 {
		t.Fatalf("%s %s: got %d %s, %v", method, path, res.StatusCode, bytes.TrimSpace(answer), err)
	}

	return answer
}
