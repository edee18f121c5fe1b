package client

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options configure a [Client].
type Options struct {
	// URL is the address of the gateway without /v1, such as https://api.example.ro. Required.
	URL string
	// Key is an API key. Without a key, calls are free and limited by address, and operations that need an account
	// fail.
	Key string
	// AllowHTTP sends the key over http:// to other machines as well, for a gateway within a private network, such as
	// http://rodata:8080.
	AllowHTTP bool
	// HTTPClient sends the requests. Default http.DefaultClient. It follows no redirects, whatever its CheckRedirect:
	// they could carry the key to another host, or unencrypted.
	HTTPClient *http.Client
	// Timeout is the maximum duration of each attempt of a call, not counting the upload of a file, and the maximum
	// silence of a stream. Default one minute.
	Timeout time.Duration
	// Retries is the maximum number of retries after a 429 or 503 with Retry-After. Default 3; negative for never.
	Retries int
	// MaxWait is the longest Retry-After that a call waits for. If Retry-After is longer, the call fails immediately.
	// Default 30 seconds.
	MaxWait time.Duration
	// UserAgent identifies the program in the gateway's log. Default rodata-go.
	UserAgent string
}

const (
	defaultTimeout = time.Minute
	defaultRetries = 3
	defaultMaxWait = 30 * time.Second
)

// Client calls a gateway.
type Client struct {
	base string // without a trailing slash
	Options
}

// New returns a client. It fails if the URL is invalid, or if the key would travel unencrypted to another machine
// without AllowHTTP.
func New(o Options) (*Client, error) {
	u, err := url.Parse(strings.TrimSpace(o.URL))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the URL of a gateway; give one such as https://api.example.ro", o.URL)
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not the URL of a gateway: leave out what follows its path", o.URL)
	}

	if o.Key != "" && !o.AllowHTTP && !isPrivate(u) {
		return nil, fmt.Errorf("the key would travel unencrypted to %q; use https://, or AllowHTTP within a private network",
			o.URL)
	}

	direct := *cmp.Or(o.HTTPClient, http.DefaultClient)
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.HTTPClient = &direct
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Retries = cmp.Or(o.Retries, defaultRetries)
	o.MaxWait = cmp.Or(o.MaxWait, defaultMaxWait)
	o.UserAgent = cmp.Or(o.UserAgent, "rodata-go")
	base := strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/v1")
	return &Client{base, o}, nil
}

// isPrivate reports whether nobody on the way can read what is sent to an address: it is encrypted, or stays on this
// machine.
func isPrivate(u *url.URL) bool {
	host := u.Hostname()
	return u.Scheme == "https" || strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}
