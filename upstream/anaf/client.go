// Package anaf is a client of the Romanian tax authority, ANAF. It queries the register of taxpayers (PlatitorTvaRest,
// version 9, published 2025-02-04) and converts its records into company profiles. It also queries the yearly financial
// statements (bilant), which share the register's limits.
package anaf

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// DefaultURL is the address of the tax authority.
const DefaultURL = "https://webservicesp.anaf.ro"

// MaxBatch is the maximum number of companies per call.
const MaxBatch = 100

// Registry is the name of the tax authority in failures.
const Registry = "anaf"

// Options configure a [Client]. The zero value has the defaults.
type Options struct {
	// URL is the tax authority's address. Default DefaultURL.
	URL string
	// UserAgent is sent with every call. Default "Mozilla/5.0": the firewall rejects some others, and robots get empty
	// answers.
	UserAgent string
	// Timeout bounds one call. Default 10 s; a normal answer takes about one second.
	Timeout time.Duration
}

// Client requests profiles, up to MaxBatch at once, and statements one by one. It does not limit the rate of
// its calls; package ration does.
type Client struct {
	upstream upstream.Doer
	changed  atomic.Bool // the last answer that could show it lacks VAT data: see checkShape
}

// NewClient returns a client. It fails if the address is not acceptable.
func NewClient(o Options) (*Client, error) {
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	client, err := upstream.NewClient(upstream.Options{
		Registry: Registry, URL: cmp.Or(o.URL, DefaultURL), UserAgent: o.UserAgent,
		Timeout: o.Timeout, HeaderTimeout: o.Timeout,
		FreshConnections: true, // the register resets reused connections
	})
	if err != nil {
		return nil, err
	}

	return &Client{upstream: client}, nil
}

// Profiles makes one call about up to MaxBatch companies, each on a day. The zero day is today in Bucharest. The
// numbers must be distinct, because records are matched to companies by number. The result has an entry for exactly
// these companies. Any error is an *op.Failure, and means that there is no information about any of them.
func (c *Client) Profiles(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]Result, error) {
	results, err := c.ask(ctx, companies)
	return results, Excuse(ctx, err)
}

func (c *Client) ask(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]Result, error) {
	today := ro.Today()
	a, err := query[taxpayer](ctx, c, taxpayerService, companies, today)
	if err != nil {
		return nil, err
	}

	return c.results(companies, today, a)
}

// question is one number in the request's format.
type question struct {
	CUI  ro.CUI  `json:"cui"`
	Date ro.Date `json:"data"`
}

// query makes one call about companies to a service.
func query[R any](ctx context.Context, c *Client, s service, companies []ro.CompanyDay, today ro.Date) (
	*answer[R], error) {
	questions := make([]question, len(companies))
	for i, company := range companies {
		questions[i] = question{CUI: company.CUI, Date: cmp.Or(company.Day, today)}
	}

	body, err := json.Marshal(questions)
	if err != nil { // numbers and days always encode
		panic(err)
	}

	res, err := c.upstream.Do(ctx, upstream.Request{
		Method: http.MethodPost, Path: s.path, Body: body,
		Header: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}},
	})
	if err != nil {
		return nil, err
	}

	a, err := decode[R](res.Status, res.Body)
	if err != nil {
		return nil, broken(fmt.Errorf("querying %s about %d companies: status %d: %w", s.name, len(companies),
			res.Status, err))
	}

	return a, nil
}

func broken(err error) error {
	return &op.Failure{Registry: Registry, Kind: op.Broken, Err: err}
}
