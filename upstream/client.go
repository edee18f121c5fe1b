// Package upstream contains the code that all clients of registries share: an HTTP client that bounds every wait and
// every body, and a circuit breaker.
package upstream

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
)

// Options configure a [Client].
type Options struct {
	// Registry is the short name in failures: anaf, onrc, bnr.
	Registry string
	// URL is the address that request paths are appended to. It must be https; http is accepted for a loopback host
	// only, unless Unencrypted is set.
	URL string
	// Unencrypted accepts http for any host, for registries that publish files without encryption. Their answers are
	// not authenticated.
	Unencrypted bool
	// UserAgent is sent with every request. Default "Mozilla/5.0": registries are known to reject unusual ones.
	UserAgent string
	// Timeout bounds a whole call, from the dial to the last byte. Default 10 s.
	Timeout time.Duration
	// HeaderTimeout bounds the wait for the first byte of an answer, counted from the end of the request. Default 6 s.
	HeaderTimeout time.Duration
	// IdleTimeout bounds the wait for the next byte of a body. Default 5 s.
	IdleTimeout time.Duration
	// MaxBody is the maximum size of a body, in bytes after decompression. Default 4 MiB.
	MaxBody int64
	// FreshConnections dials for every request, for registries that reset idle connections.
	FreshConnections bool
	// Connections is the maximum number of concurrent connections to the host. Default 2.
	Connections int
}

// Client sends requests to one registry, at one host. It is safe for concurrent use.
type Client struct {
	options Options
	base    string
	http    *http.Client
}

// Request is one request to a registry.
type Request struct {
	// Method is the HTTP method. Default GET.
	Method string
	// Path begins with a slash and may have a query.
	Path   string
	Header http.Header
	Body   []byte
	// MaxBody, if positive, replaces the client's bound on the answer.
	MaxBody int64
}

// Response is a complete answer of a registry.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Doer sends requests to a registry; *Client implements it. Its errors are *op.Failure.
type Doer interface {
	Do(context.Context, Request) (*Response, error)
}

// Validators are the validators of a response, for conditional requests.
type Validators struct {
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"`
}

// Validators returns the response's validators.
func (r *Response) Validators() Validators {
	return Validators{r.Header.Get("ETag"), r.Header.Get("Last-Modified")}
}

// Header returns the header of a request for a document that has changed.
func (v Validators) Header() http.Header {
	h := http.Header{}
	if v.ETag != "" {
		h.Set("If-None-Match", v.ETag)
	}
	if v.Modified != "" {
		h.Set("If-Modified-Since", v.Modified)
	}

	return h
}

const (
	dialTimeout      = 3 * time.Second
	handshakeTimeout = 4 * time.Second
	keepIdle         = time.Minute
	hostConnections  = 2
)

// NewClient returns a client. It fails if the address is not acceptable; the error names the fix.
func NewClient(o Options) (*Client, error) {
	check := web.Service
	if o.Unencrypted {
		check = web.Public
	}

	base, err := check(o.URL)
	if err != nil {
		return nil, fmt.Errorf("address of registry %s: %w", o.Registry, err)
	}

	o.UserAgent = cmp.Or(o.UserAgent, "Mozilla/5.0")
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, 6*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 5*time.Second)
	o.MaxBody = cmp.Or(o.MaxBody, 4<<20)
	return &Client{options: o, base: base, http: &http.Client{
		Transport:     NewTransport(o),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// NewTransport returns a transport that bounds every wait, except the wait for a body. It uses only the options
// HeaderTimeout, FreshConnections and Connections.
func NewTransport(o Options) *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // an environment variable must not reroute a registry
		DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:    handshakeTimeout,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ResponseHeaderTimeout:  o.HeaderTimeout,
		MaxResponseHeaderBytes: 64 << 10,
		IdleConnTimeout:        keepIdle,
		MaxConnsPerHost:        cmp.Or(o.Connections, hostConnections),
		MaxIdleConnsPerHost:    cmp.Or(o.Connections, hostConnections),
		DisableKeepAlives:      o.FreshConnections,
		ForceAttemptHTTP2:      !o.FreshConnections,
	}
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Do sends one request. The answer may have any status, with two exceptions. A redirect is a failure. A status 429, and
// a 503 with Retry-After, mean that the registry requests a pause.
//
// Every error is an *op.Failure: TimedOut if a time limit was exceeded, Closed if the registry requested a pause,
// otherwise Broken. If the caller cancelled the call, the error unwraps to context.Canceled. If there was no complete
// answer, it unwraps to ErrConnection.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx, stop := context.WithTimeout(ctx, c.options.Timeout)
	defer stop()

	r.Method = cmp.Or(r.Method, http.MethodGet)
	req, err := c.request(ctx, r)
	if err != nil {
		return nil, c.failure(op.Broken, err)
	}

	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.classify(ctx, r, err)
	}
	defer res.Body.Close()

	if err := c.headFailure(res); err != nil {
		return nil, err
	}

	r.MaxBody = cmp.Or(r.MaxBody, c.options.MaxBody)
	body, err := io.ReadAll(io.LimitReader(watch(res.Body, c.options.IdleTimeout, cancel), r.MaxBody+1))
	if err != nil {
		return nil, c.classify(ctx, r, err)
	}
	if int64(len(body)) > r.MaxBody {
		return nil, c.failure(op.Broken,
			fmt.Errorf("%s %s: the answer is larger than %d bytes", r.Method, r.Path, r.MaxBody))
	}

	return &Response{Status: res.StatusCode, Header: res.Header, Body: body}, nil
}

func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	if !strings.HasPrefix(r.Path, "/") { // "@elsewhere" would change the host
		return nil, fmt.Errorf("path %q does not begin with a slash", r.Path)
	}

	req, err := http.NewRequestWithContext(ctx, r.Method, c.base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}

	maps.Copy(req.Header, r.Header)
	req.Header.Set("User-Agent", c.options.UserAgent)
	return req, nil
}

// headFailure returns the failure that an answer's status and headers show, or nil.
func (c *Client) headFailure(res *http.Response) error {
	request := res.Request.Method + " " + res.Request.URL.Path
	wait := web.RetryAfter(res.Header, MaxPause)
	switch status := res.StatusCode; {
	case status >= 300 && status < 400 && status != http.StatusNotModified:
		return c.failure(op.Broken, fmt.Errorf("%s: redirected to %q", request, res.Header.Get("Location")))
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && wait > 0:
		f := c.failure(op.Closed, fmt.Errorf("%s: status %d", request, status))
		f.RetryAfter = max(wait, 2*time.Second)
		return f
	}

	return nil
}

// classify determines whether a call ended because of a time limit, the caller or the registry.
func (c *Client) classify(ctx context.Context, r Request, err error) error {
	err = fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
	cause := context.Cause(ctx)
	timeout, ok := errors.AsType[net.Error](err)
	switch {
	case errors.Is(cause, context.Canceled):
		return c.failure(op.Broken, fmt.Errorf("%s %s: %w", r.Method, r.Path, cause))
	case errors.Is(cause, errIdle):
		return c.failure(op.TimedOut, fmt.Errorf("%s %s: %w for %s", r.Method, r.Path, cause, c.options.IdleTimeout))
	case cause != nil, ok && timeout.Timeout():
		return c.failure(op.TimedOut, err)
	}

	return c.failure(op.Broken, fmt.Errorf("%w: %w", ErrConnection, err))
}

func (c *Client) failure(kind op.FailureKind, err error) *op.Failure {
	return &op.Failure{Registry: c.options.Registry, Kind: kind, Err: err}
}
