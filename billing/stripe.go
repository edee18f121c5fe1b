package billing

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/internal/weburl"
)

// StripeOptions are how Stripe is reached.
type StripeOptions struct {
	// Key is the secret key: sk_live_..., or sk_test_... with which nothing is
	// charged; rk_ for a restricted one.
	Key string
	// URL is Stripe's address. Default https://api.stripe.com. http is accepted for
	// loopback hosts only.
	URL string
	// Timeout bounds an attempt. Default 15 s.
	Timeout time.Duration
}

// Stripe is a connection to it. It may be used concurrently. The error of its calls
// is a *api.PaymentsDown.
type Stripe struct {
	client    *stripe.Client
	transport *http.Transport
	test      bool // nothing is charged
}

// retries is how often a call is made again that got no answer, or one that asks
// for that; always under the same idempotency key.
const retries = 2

// NewStripe prepares a connection. The errors name the option to mend, and do not
// show the key.
func NewStripe(o StripeOptions) (*Stripe, error) {
	if !strings.HasPrefix(o.Key, "sk_") && !strings.HasPrefix(o.Key, "rk_") {
		return nil, errors.New("the key is none of Stripe's secret keys, which begin with sk_ or rk_")
	}
	if o.URL == "" {
		o.URL = stripe.APIURL
	}
	if _, err := weburl.Service(o.URL); err != nil {
		return nil, fmt.Errorf("address of Stripe: %w", err)
	}
	if o.Timeout == 0 {
		o.Timeout = 15 * time.Second
	}
	s := &Stripe{test: TestKey(o.Key), transport: &http.Transport{
		Proxy:                  nil, // an environment variable must not reroute payments
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout:    5 * time.Second,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		MaxResponseHeaderBytes: 64 << 10,
		IdleConnTimeout:        time.Minute,
		ForceAttemptHTTP2:      true,
	}}
	s.client = stripe.NewClient(o.Key, stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL: stripe.String(strings.TrimSuffix(o.URL, "/")), MaxNetworkRetries: stripe.Int64(retries), EnableTelemetry: stripe.Bool(false),
		LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
		HTTPClient: &http.Client{
			Transport: s.transport, Timeout: o.Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	})))
	return s, nil
}

// TestKey reports whether a key is one with which nothing is charged.
func TestKey(key string) bool {
	return strings.HasPrefix(key, "sk_test_") || strings.HasPrefix(key, "rk_test_")
}

func (s *Stripe) close() { s.transport.CloseIdleConnections() }

// retryAfter is what callers are told when Stripe does not answer.
const retryAfter = 30 * time.Second

// failed says what was asked of Stripe.
func failed(asked string, err error) error {
	if err == nil {
		return nil
	}
	return &api.PaymentsDown{RetryAfter: retryAfter, Err: fmt.Errorf("%s: %w", asked, err)}
}

// refused reports whether an error is Stripe's answer of a status.
func refused(err error, status int) bool {
	var answer *stripe.Error
	return errors.As(err, &answer) && answer.HTTPStatusCode == status
}

// all reads a list, of which a page holds what can reasonably be there.
func all[T, R any](ctx context.Context, list *stripe.V1List[T], read func(T) (R, bool)) ([]R, error) {
	var found []R
	for item, err := range list.All(ctx) {
		if err != nil {
			return nil, err
		}
		if r, ok := read(item); ok {
			found = append(found, r)
		}
	}
	return found, nil
}

// aPage is a list of one page.
func aPage() stripe.ListParams { return stripe.ListParams{Limit: stripe.Int64(100), Single: true} }
