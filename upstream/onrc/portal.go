package onrc

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

const name = "onrc" // the registry's, in failures

// Portal is the open-data portal (CKAN) on which the trade register and, beside
// it, the Ministry of Finance publish. All calls go through one breaker. It is
// safe for concurrent use.
type Portal struct {
	client    *upstream.Client
	breaker   *upstream.Breaker
	base      *url.URL
	userAgent string
	files     *http.Client
	idle      time.Duration // longest wait for the next byte of a file
	retry     time.Duration // wait after a try that brought nothing
	ask       func(context.Context, string) (json.RawMessage, error)
	fetch     func(context.Context, *transfer) (done, error)
}

// done is what a transfer gives beside the file.
type done struct{}

const (
	// maxAnswer bounds an answer of the portal's API, in bytes.
	maxAnswer = 16 << 20
	// fileDeadline bounds one try at a file; what arrived by then is kept.
	fileDeadline = time.Hour
	// fileIdle bounds the wait for the next byte of a file.
	fileIdle = 30 * time.Second
)

// PortalOptions say where the portal is and how to ask it.
type PortalOptions struct {
	// Options are those of the portal's API. Their address is that of the files
	// too, their timeouts are not: a file may take an hour. Registry is not used.
	upstream.Options
	// Breaker says when the portal counts as down. Deadline is not used.
	Breaker upstream.BreakerSettings
	// Observe, if not nil, is told of every request to the portal once it has
	// ended, with when it began and why it failed, nil if it did not.
	Observe func(began time.Time, err error)
}

// NewPortal prepares the portal at an address, which must be https, or http on a
// loopback host; the error names the fix.
func NewPortal(o PortalOptions) (*Portal, error) {
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
	p := &Portal{
		client: client, breaker: upstream.NewBreaker(name, o.Breaker), base: base, userAgent: o.UserAgent,
		idle: fileIdle, retry: time.Second,
	}
	if p.userAgent == "" {
		p.userAgent = "Mozilla/5.0"
	}
	p.files = &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // an environment variable must not reroute a registry
			DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
			ResponseHeaderTimeout:  fileIdle,
			MaxResponseHeaderBytes: 64 << 10,
			IdleConnTimeout:        time.Minute,
			DisableCompression:     true, // the lengths are those of the files
		},
		CheckRedirect: p.checkRedirect,
	}
	p.ask = upstream.Guard(p.breaker, observed(o.Observe, p.call))
	p.fetch = upstream.Guard(p.breaker, observed(o.Observe, p.try))
	return p, nil
}

// observed tells of the calls of a function.
func observed[K, V any](observe func(time.Time, error), call func(context.Context, K) (V, error)) func(context.Context, K) (V, error) {
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

// Breaker is what stands before the portal.
func (p *Portal) Breaker() *upstream.Breaker { return p.breaker }

// Close drops the connections that are kept for reuse.
func (p *Portal) Close() {
	p.client.Close()
	p.files.CloseIdleConnections()
}

// checkRedirect lets a file be at another path of the portal, and nowhere else.
func (p *Portal) checkRedirect(r *http.Request, via []*http.Request) error {
	if !p.owns(r.URL) || len(via) > 3 {
		return fmt.Errorf("redirected to %s, which is not followed", r.URL.Redacted())
	}
	return nil
}

func (p *Portal) owns(u *url.URL) bool { return u.Scheme == p.base.Scheme && u.Host == p.base.Host }

// dataset is a package as CKAN describes it, as far as it is read.
type dataset struct {
	Name         string `json:"name"`
	Organization struct {
		Name string `json:"name"`
	} `json:"organization"`
	Resources []resource `json:"resources"`
}

// resource is a file of a package.
type resource struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	Size     int64  `json:"size"` // as the publisher says: not always right
	Modified string `json:"last_modified"`
}

// fileName is the name of the file in upper case, without its extension:
// OD_FIRME.
func (r resource) fileName() string {
	name := r.Name
	if u, err := url.Parse(r.URL); err == nil && strings.Contains(r.URL, "/download/") {
		name = u.Path[strings.LastIndexByte(u.Path, '/')+1:]
	}
	return fileName(name)
}

func fileName(name string) string {
	name, _, _ = strings.Cut(strings.ToUpper(strings.TrimSpace(name)), ".")
	return name
}

// search is the packages of an organization, the last edited first.
func (p *Portal) search(ctx context.Context, organization string) ([]dataset, error) {
	query := url.Values{"q": {"organization:" + organization}, "sort": {"metadata_modified desc"}, "rows": {"100"}}
	body, err := p.ask(ctx, "/api/3/action/package_search?"+query.Encode())
	if err != nil {
		return nil, fmt.Errorf("listing the packages of %s: %w", organization, err)
	}
	var result struct {
		Results []dataset `json:"results"`
	}
	if err := json.Unmarshal(body, &result); err != nil {
		return nil, fmt.Errorf("listing the packages of %s: %w", organization, err)
	}
	return result.Results, nil
}

// show is the package of a name; api.ErrUnknown when there is none.
func (p *Portal) show(ctx context.Context, id string) (dataset, error) {
	var d dataset
	body, err := p.ask(ctx, "/api/3/action/package_show?"+url.Values{"id": {id}}.Encode())
	if err == nil {
		err = json.Unmarshal(body, &d)
	}
	if err != nil {
		return d, fmt.Errorf("reading the package %s: %w", id, err)
	}
	return d, nil
}

// call asks the portal's API and unwraps the answer.
func (p *Portal) call(ctx context.Context, path string) (json.RawMessage, error) {
	res, err := p.client.Do(ctx, upstream.Request{Path: path, MaxBody: maxAnswer})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Success *bool           `json:"success"`
		Result  json.RawMessage `json:"result"`
	}
	switch err := json.Unmarshal(res.Body, &answer); {
	case err != nil || answer.Success == nil:
		return nil, broken(fmt.Errorf("status %d with a body that is no answer of CKAN: %.100q", res.Status, res.Body))
	case res.Status == http.StatusNotFound && !*answer.Success:
		return nil, api.ErrUnknown
	case res.Status != http.StatusOK || !*answer.Success:
		return nil, broken(fmt.Errorf("status %d: %.200q", res.Status, res.Body))
	case answer.Result == nil:
		return nil, broken(errors.New("the answer has no result"))
	}
	return answer.Result, nil
}

func broken(err error) error { return &api.Failure{Registry: name, Kind: api.Broken, Err: err} }
