package onrc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/upstream"
)

const name = "onrc" // the registry's name in failures

// maxAnswer bounds an answer of the portal's API, in bytes.
const maxAnswer = 16 << 20

// Portal is the open-data portal (CKAN) on which the trade register and the Ministry of Finance publish. All requests
// go through one breaker. It is safe for concurrent use.
type Portal struct {
	*host
	ask func(context.Context, string) (json.RawMessage, error)
}

// PortalOptions configure a [Portal].
type PortalOptions struct {
	// Options are the options for the portal's API. The address applies to the files too. The timeouts do not, because
	// a file may take an hour. Registry is not used.
	upstream.Options
	// Breaker configures the breaker. Deadline is not used.
	Breaker upstream.BreakerSettings
	// Observe, if not nil, is called after every request to the portal, with its start and its error.
	Observe func(began time.Time, err error)
}

// NewPortal returns the portal at an address. The address must be https, or http on a loopback host; the error names
// the fix.
func NewPortal(o PortalOptions) (*Portal, error) {
	h, err := newHost(o)
	if err != nil {
		return nil, err
	}

	p := &Portal{host: h}
	p.ask = upstream.Guard(p.breaker, withObserver(o.Observe, p.call))
	return p, nil
}

// dataset is a package in CKAN's description, with only the members that we read.
type dataset struct {
	Name         string  `json:"name"`
	License      *string `json:"license_id"`
	Organization struct {
		Name string `json:"name"`
	} `json:"organization"`
	Resources []resource `json:"resources"`
}

// resource is a file of a package.
type resource struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	Size     int64  `json:"size"` // stated by the publisher, not always right
	Format   string `json:"format"`
	Created  string `json:"created"`
	Modified string `json:"last_modified"` // empty if it is as created

	maxBytes int64 // 0 means maxFile
}

// fileName returns the name of the file in upper case, without its extension: OD_FIRME.
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

// search lists the packages of an organization, the last edited one first.
func (p *Portal) search(ctx context.Context, organization string) ([]dataset, error) {
	query := url.Values{"q": {"organization:" + organization}, "sort": {"metadata_modified desc"}, "rows": {"100"}}
	var result struct {
		Results []dataset `json:"results"`
	}

	if err := p.get(ctx, "/api/3/action/package_search?"+query.Encode(), &result); err != nil {
		return nil, fmt.Errorf("listing the packages of %s: %w", organization, err)
	}

	return result.Results, nil
}

// show returns the package with a name. It returns op.ErrUnknown if there is none.
func (p *Portal) show(ctx context.Context, id string) (d dataset, err error) {
	if err := p.get(ctx, "/api/3/action/package_show?"+url.Values{"id": {id}}.Encode(), &d); err != nil {
		return d, fmt.Errorf("reading the package %s: %w", id, err)
	}
	return d, nil
}

// get decodes an answer of the portal's API.
func (p *Portal) get(ctx context.Context, path string, into any) error {
	body, err := p.ask(ctx, path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// call sends a request to the portal's API and unwraps the answer.
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
		return nil, broken(fmt.Errorf("status %d with a body that is not CKAN's: %.100q", res.Status, res.Body))
	case res.Status == http.StatusNotFound && !*answer.Success:
		return nil, op.ErrUnknown
	case res.Status != http.StatusOK || !*answer.Success:
		return nil, broken(fmt.Errorf("status %d: %.200q", res.Status, res.Body))
	case answer.Result == nil:
		return nil, broken(errors.New("the answer has no result"))
	}

	return answer.Result, nil
}

func broken(err error) error { return &op.Failure{Registry: name, Kind: op.Broken, Err: err} }
