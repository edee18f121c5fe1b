package onrc

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rodata/rodata/upstream"
)

// host is a web server with large files. All requests go through one breaker.
type host struct {
	client    *upstream.Client // for small answers
	breaker   *upstream.Breaker
	base      *url.URL
	userAgent string
	files     *http.Client
	idle      time.Duration // maximum wait for the next byte of a file
	retry     time.Duration // pause after an attempt without progress
	fetch     func(context.Context, *transfer) (struct{}, error)
}

const (
	// fileDeadline bounds one attempt to fetch a file. The part received by then is kept.
	fileDeadline = time.Hour
	// fileIdle bounds the wait for the next byte of a file.
	fileIdle = 30 * time.Second
)

// newHost returns the host at an address. The address must be https, or http on a loopback host; the error names the
// fix.
func newHost(o PortalOptions) (*host, error) {
	o.Registry = name
	client, err := upstream.NewClient(o.Options)
	if err != nil {
		return nil, err
	}

	base, err := url.Parse(strings.TrimSuffix(o.URL, "/"))
	if err != nil {
		return nil, err
	}

	o.Breaker.Deadline = fileDeadline
	h := &host{
		client: client, breaker: upstream.NewBreaker(name, o.Breaker), base: base,
		userAgent: cmp.Or(o.UserAgent, "Mozilla/5.0"), idle: fileIdle, retry: time.Second,
	}

	transport := upstream.NewTransport(upstream.Options{HeaderTimeout: fileIdle})
	transport.DisableCompression = true // content lengths must match the files
	h.files = &http.Client{Transport: transport, CheckRedirect: h.checkRedirect}
	h.fetch = upstream.Guard(h.breaker, withObserver(o.Observe, h.try))
	return h, nil
}

// withObserver reports each call of a function.
func withObserver[K, V any](
	observe func(time.Time, error), call func(context.Context, K) (V, error),
) func(context.Context, K) (V, error) {
	if observe == nil {
		return call
	}
	return func(ctx context.Context, key K) (V, error) {
		began := time.Now()
		value, err := call(ctx, key)
		observe(began, err)
		return value, err
	}
}

// Breaker returns the breaker in front of the host.
func (h *host) Breaker() *upstream.Breaker { return h.breaker }

// Close drops idle connections.
func (h *host) Close() {
	h.client.Close()
	h.files.CloseIdleConnections()
}

// checkRedirect follows redirects within the host only.
func (h *host) checkRedirect(r *http.Request, via []*http.Request) error {
	if !h.owns(r.URL) || len(via) > 3 {
		return fmt.Errorf("redirected to %s, which is not followed", r.URL.Redacted())
	}
	return nil
}

func (h *host) owns(u *url.URL) bool { return u.Scheme == h.base.Scheme && u.Host == h.base.Host }
