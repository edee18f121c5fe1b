// Package efactura sends invoices to RO e-Factura, the tax authority's exchange of electronic invoices, and tracks
// their state.
package efactura

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/internal/web"
)

const host = "https://api.anaf.ro"

// The addresses of the service, in production and for tests, and of its token endpoint, as of January 2026.
const (
	ProductionURL = host + "/prod/FCTEL/rest"
	TestURL       = host + "/test/FCTEL/rest"
	TokenURL      = "https://logincert.anaf.ro/anaf-oauth2/v1/token"
)

// Options configure a client.
type Options struct {
	// URL is the service's address. Default ProductionURL. Only loopback hosts may use http, here and in TokenURL.
	URL string
	// TokenURL is the token endpoint. Default TokenURL.
	TokenURL string
	// ClientID and ClientSecret are the program's credentials from its registration with the tax authority.
	ClientID, ClientSecret string
	// Tokens stores the token.
	Tokens TokenStore
	// FiscalCode is the seller's fiscal code, digits only.
	FiscalCode string
	// Timeout bounds a call. Default 60 s, because uploads are slow.
	Timeout time.Duration
}

// Client calls the service. It may be used concurrently. Every error of its calls is a *Failure.
type Client struct {
	options Options
	http    *http.Client
	tokens  *tokens
}

// Bounds on responses, in bytes.
const (
	maxAnswer  = 1 << 20
	maxArchive = 8 << 20
)

var digits = regexp.MustCompile(`^[0-9]{1,20}$`)

// NewClient creates a client. Its errors name the option to fix.
func NewClient(o Options) (*Client, error) {
	o.URL, o.TokenURL = cmp.Or(o.URL, ProductionURL), cmp.Or(o.TokenURL, TokenURL)
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	for _, address := range []string{o.URL, o.TokenURL} {
		if _, err := web.Service(address); err != nil {
			return nil, fmt.Errorf("address of e-Factura: %w", err)
		}
	}

	o.URL = strings.TrimSuffix(o.URL, "/")
	switch {
	case !digits.MatchString(o.FiscalCode):
		return nil, fmt.Errorf("e-Factura: the seller's fiscal code %q is not a number", o.FiscalCode)
	case o.ClientID == "" || o.ClientSecret == "":
		return nil, errors.New("e-Factura: give the client id and secret of the registration with the tax authority")
	case o.Tokens == nil:
		return nil, errors.New("e-Factura: there is no store for its token")
	}

	h := &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // an environment variable must not reroute invoices
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			MaxResponseHeaderBytes: 64 << 10,
			// An idle connection may be closed just as an upload is sent on it. It would then be unknown whether the
			// upload arrived.
			DisableKeepAlives: true,
		},
		Timeout:       o.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}

	return &Client{options: o, http: h, tokens: &tokens{options: o, http: h}}, nil
}

// IsProduction reports whether uploads have fiscal effect. It is false for a nil client.
func (c *Client) IsProduction() bool {
	return c != nil && strings.HasPrefix(c.options.URL, host+"/prod")
}

type call struct {
	name  string // for error messages
	path  string
	query url.Values
	body  []byte // nil for a GET
	max   int64  // maximum length of the response, in bytes
}

// do makes a call and reads the body of a 200 response. It repeats the call with a new token if the current one is
// refused, because then the call had no effect.
func (c *Client) do(ctx context.Context, q call, read func(body []byte) *Failure) error {
	var token string
	for range 2 {
		var err error
		if token, err = c.tokens.access(ctx, token); err != nil {
			return err
		}

		body, f := c.ask(ctx, q, token)
		if f == nil {
			f = read(body)
		}

		switch {
		case f == nil:
			return nil
		case !f.stale:
			f.request = q.name
			return f
		}
	}

	return &Failure{Kind: Unauthorized, Message: "a new token is refused as well", request: q.name}
}

// ask makes one request and returns the body of a 200 response.
func (c *Client) ask(ctx context.Context, q call, token string) ([]byte, *Failure) {
	fail := func(kind Kind, message string, err error) ([]byte, *Failure) {
		return nil, &Failure{Kind: kind, Message: message, Err: err}
	}
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})

	method := http.MethodGet
	if q.body != nil {
		method = http.MethodPost
	}

	req, err := http.NewRequestWithContext(ctx, method, c.options.URL+q.path+"?"+q.query.Encode(),
		bytes.NewReader(q.body))
	if err != nil {
		return fail(Unsent, "making the request", err)
	}

	req.Header.Set("Authorization", "Bearer "+token)
	if q.body != nil {
		req.Header.Set("Content-Type", "text/plain")
	}

	res, err := c.http.Do(req)
	switch {
	case err != nil && !connected.Load():
		return fail(Unsent, "no connection", err)
	case err != nil:
		return fail(Unanswered, "no answer", err)
	}
	defer res.Body.Close()

	body, err := readAll(res.Body, q.max)
	if err != nil {
		return fail(Unanswered, "reading the answer", err)
	}

	return body, refusal(res, body)
}

// refusal returns the failure for a status other than 200. A 4xx comes from the service and had no effect; other
// statuses may come from a proxy in front of it.
func refusal(res *http.Response, body []byte) *Failure {
	f := &Failure{Message: fmt.Sprintf("status %d: %.200s", res.StatusCode,
		bytes.ToValidUTF8(bytes.TrimSpace(body), nil))}
	switch status := res.StatusCode; {
	case status == http.StatusOK:
		return nil
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.Kind, f.stale = Unauthorized, status == http.StatusUnauthorized
	case status == http.StatusTooManyRequests:
		f.Kind, f.RetryAfter = Exhausted, web.RetryAfter(res.Header, 24*time.Hour)
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout:
		f.Kind = Declined
	default:
		f.Kind = Unanswered
	}

	return f
}

// readAll reads at most limit bytes; longer bodies are an error.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = fmt.Errorf("it is larger than %d bytes", limit)
	}
	return body, err
}
