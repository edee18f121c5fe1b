package billing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/internal/web"
)

// StripeOptions configure the connection to Stripe.
type StripeOptions struct {
	// Key is the secret key: sk_live_..., or sk_test_... for test mode, in which nothing is charged; rk_ for a
	// restricted one.
	Key string
	// URL is Stripe's address. Default https://api.stripe.com. Only loopback hosts may use http.
	URL string
}

// Stripe is a client of Stripe's API. It may be used concurrently. Every error of its calls is a
// *customer.PaymentsDown.
type Stripe struct {
	client    *stripe.Client
	transport *http.Transport
	test      bool // in test mode, nothing is charged
}

const (
	// callTime bounds an attempt of a call.
	callTime = 15 * time.Second
	// retries is the maximum number of times a call is retried with the same idempotency key, if there was no response
	// or the response is retryable.
	retries = 2
)

// NewStripe creates a client. Its errors name the option to fix, and do not show the key.
func NewStripe(o StripeOptions) (*Stripe, error) {
	if !strings.HasPrefix(o.Key, "sk_") && !strings.HasPrefix(o.Key, "rk_") {
		return nil, errors.New("the key is not a secret key of Stripe, which begins with sk_ or rk_")
	}

	o.URL = cmp.Or(o.URL, stripe.APIURL)
	if _, err := web.Service(o.URL); err != nil {
		return nil, fmt.Errorf("address of Stripe: %w", err)
	}

	s := &Stripe{test: IsTestKey(o.Key), transport: &http.Transport{
		Proxy:                  nil, // an environment variable must not reroute payments
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout:    5 * time.Second,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		MaxResponseHeaderBytes: 64 << 10,
		IdleConnTimeout:        time.Minute,
		ForceAttemptHTTP2:      true,
	}}

	s.client = stripe.NewClient(o.Key, stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL: stripe.String(strings.TrimSuffix(o.URL, "/")), MaxNetworkRetries: stripe.Int64(retries),
		EnableTelemetry: stripe.Bool(false),
		LeveledLogger:   &stripe.LeveledLogger{Level: stripe.LevelNull},
		HTTPClient: &http.Client{
			Transport: s.transport, Timeout: callTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	})))

	return s, nil
}

// IsTestKey reports whether a key is a test key. Payments with a test key charge nothing.
func IsTestKey(key string) bool {
	return strings.HasPrefix(key, "sk_test_") || strings.HasPrefix(key, "rk_test_")
}

func (s *Stripe) close() { s.transport.CloseIdleConnections() }

// retryAfter is the Retry-After for callers while Stripe does not respond.
const retryAfter = 30 * time.Second

func wrapFailure(request string, err error) error {
	if err == nil {
		return nil
	}
	return &customer.PaymentsDown{RetryAfter: retryAfter, Err: fmt.Errorf("%s: %w", request, err)}
}

func hasStatus(err error, status int) bool {
	answer, ok := errors.AsType[*stripe.Error](err)
	return ok && answer.HTTPStatusCode == status
}

// collect reads a list whose first page is large enough for every realistic case.
func collect[T, R any](ctx context.Context, list *stripe.V1List[T], read func(T) (R, bool)) ([]R, error) {
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

func onePage() stripe.ListParams { return stripe.ListParams{Limit: stripe.Int64(100), Single: true} }

// idempotencyKey derives the idempotency key of a call from its parameters.
func idempotencyKey(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}
