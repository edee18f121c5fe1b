// Package anaf is a client of the Romanian tax authority, ANAF. It queries the register of taxpayers (PlatitorTvaRest,
// version 9, published 2025-02-04) and converts its records into company profiles. It also queries the yearly financial
// statements (bilant), which share the register's limits.
package anaf

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/upstream"
)

// DefaultURL is the address of the tax authority.
const DefaultURL = "https://webservicesp.anaf.ro"

// MaxBatch is the maximum number of companies per call.
const MaxBatch = 100

const registry = "anaf"

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

// Resolver finds a place from a county number (1 to 40, 51, 52), the tax authority's own code within the county, and a
// name such as "Sat Lerești Com. Lerești". It returns the official name and the SIRUTA code.
type Resolver func(county, anafCode int, name string) (place string, siruta int, ok bool)

// Client requests profiles, up to MaxBatch at once, and statements one by one. It does not pace its calls: see Lookup
// and Paced.
type Client struct {
	upstream *upstream.Client
	changed  atomic.Bool // the last answer that could show it lacks VAT data: see checkShape
}

// Result is the answer for one number: a record, or the reason why there is none. Err is api.ErrUnknown if the register
// has confirmed that it does not know the number, and an *api.Failure if the answer about it is unusable.
type Result struct {
	Record *Record
	// Incomplete is true if the record does not say whether the company pays VAT.
	Incomplete bool
	// Misdated is true if the record is for another day than requested. It is still used for a company as of today;
	// otherwise Err reports it.
	Misdated bool
	// Disagrees is true if the periods of a record about a past day contradict the register's own VAT status, which
	// takes precedence.
	Disagrees bool
	Err       error
}

// NewClient returns a client. It fails if the address is not acceptable.
func NewClient(o Options) (*Client, error) {
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	client, err := upstream.NewClient(upstream.Options{
		Registry: registry, URL: cmp.Or(o.URL, DefaultURL), UserAgent: o.UserAgent,
		Timeout: o.Timeout, HeaderTimeout: o.Timeout,
		FreshConnections: true, // the register resets reused connections
	})
	if err != nil {
		return nil, err
	}

	return &Client{upstream: client}, nil
}

// question is one number in the request's format.
type question struct {
	CUI  api.CUI  `json:"cui"`
	Date api.Date `json:"data"`
}

// Profiles makes one call about up to MaxBatch companies, each on a day. The zero day is today in Bucharest. The
// numbers must be distinct, because records are matched to companies by number. The result has an entry for exactly
// these companies. Any error is an *api.Failure, and means that there is no information about any of them.
func (c *Client) Profiles(ctx context.Context, companies []api.CompanyDay) (map[api.CompanyDay]Result, error) {
	results, err := c.ask(ctx, companies)
	return results, excuse(ctx, err)
}

func (c *Client) ask(ctx context.Context, companies []api.CompanyDay) (map[api.CompanyDay]Result, error) {
	today, pause := api.Today(), throttle(ctx)
	a, err := query[element](ctx, c, taxpayerService, companies, today, pause)
	if err != nil {
		return nil, err
	}

	return c.results(companies, today, a, pause)
}

// results assigns the records of an answer to the companies. It calls pause between records.
func (c *Client) results(companies []api.CompanyDay, today api.Date, a *answer[element],
	pause func()) (map[api.CompanyDay]Result, error) {
	if err := c.checkShape(a.Found); err != nil {
		return nil, broken(err)
	}

	found := make(map[api.CUI][]*element, len(a.Found))
	for i := range a.Found {
		cui := api.CUI(a.Found[i].General.CUI)
		found[cui] = append(found[cui], &a.Found[i])
	}

	missing := a.missing()
	return resultsOf(companies, func(company api.CompanyDay) Result {
		defer pause()
		r := extract(found[company.CUI], missing[company.CUI])
		if r.Err != nil && r.Err != api.ErrUnknown {
			r.Err = broken(&unusableError{company, r.Err})
		}
		if r.Record != nil {
			r = found[company.CUI][0].dated(r, company, today)
		}

		return r
	})
}

// query makes one call about companies to a service. It calls pause between records.
func query[R any](ctx context.Context, c *Client, s service, companies []api.CompanyDay, today api.Date,
	pause func()) (*answer[R], error) {
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

	a, err := decode[R](res.Status, res.Body, pause)
	if err != nil {
		return nil, broken(fmt.Errorf("asking %s about %d companies: status %d: %w", s.name, len(companies),
			res.Status, err))
	}

	return a, nil
}

// resultsOf returns the results about companies. If the answer is usable for none of them, it returns a failure for the
// whole answer, so that a breaker counts it.
func resultsOf(companies []api.CompanyDay,
	result func(api.CompanyDay) Result) (map[api.CompanyDay]Result, error) {
	results, usable := make(map[api.CompanyDay]Result, len(companies)), false
	var last error
	for _, company := range companies {
		r := result(company)
		results[company] = r
		if r.Err == nil || r.Err == api.ErrUnknown || r.Misdated {
			usable = true
		} else {
			last = r.Err
		}
	}

	if !usable {
		return nil, last
	}

	return results, nil
}

// unusableError reports an answer without usable data about a company: the answer omits the company, or lacks its name.
type unusableError struct {
	company api.CompanyDay
	err     error
}

func (e *unusableError) Error() string {
	return fmt.Sprintf("reading the answer about %s: %s", e.company, e.err)
}

func (e *unusableError) Unwrap() error { return e.err }

// Unusable reports whether an error means that an answer has no usable data about a company. Such an error is not a
// failure of the registry.
func Unusable(company api.CUI, err error) bool {
	unusable, ok := errors.AsType[*unusableError](err)
	return ok && unusable.company.CUI == company // another company's error comes from a call that failed as a whole
}

// extract returns the record of a company, given all of its records in an answer.
func extract(found []*element, missing bool) Result {
	switch {
	case len(found) == 0 && missing:
		return Result{Err: api.ErrUnknown}
	case len(found) == 0:
		return Result{Err: errors.New("neither found nor missing")}
	case missing:
		return Result{Err: errors.New("both found and missing")}
	case len(found) > 1:
		return Result{Err: fmt.Errorf("found %d times", len(found))}
	}

	if err := found[0].check(); err != nil {
		return Result{Err: err}
	}

	record, read := NewRecord(found[0].raw), found[0].taxpayer // a copy, so that the others can be freed
	record.read.Store(&read)
	if f, err := fingerprintOf(found[0].raw); err == nil {
		record.fingerprint = &f
	}

	return Result{Record: record, Incomplete: found[0].lacksVAT()}
}

// dated checks that a record is for the requested day, if the record has a day. Data for another day must not be used
// for a past day, but for today it is the best available. Neither the registry nor the number is at fault, so the
// answer counts as usable in either case.
func (e *element) dated(r Result, company api.CompanyDay, today api.Date) Result {
	recorded := day(e.General.Day)
	if recorded == nil || *recorded == cmp.Or(company.Day, today) {
		r.Disagrees = company.Day != 0 && e.disagrees(company.Day)
		return r
	}

	r.Misdated = true
	if company.Day != 0 {
		r = Result{Misdated: true, Err: broken(fmt.Errorf("the answer about %s is about %s", company, *recorded))}
	}

	return r
}

// disagrees reports whether the periods contradict the VAT flag for a day.
func (t *taxpayer) disagrees(day api.Date) bool {
	v := history.View{Day: day}
	v.Timelines[history.VATPayer] = registrations(&api.Company{VATPayer: t.VAT.Payer.bool, VATPeriods: t.vatPeriods()})
	return v.Contradicts(history.VATPayer)
}

// shapeSample is the minimum number of records that show on their own that the shape of answers has changed. With fewer
// records, VAT data may be missing for other reasons.
const shapeSample = 3

// errShape marks an answer with records of a changed shape. It does not incriminate any number.
var errShape = errors.New("changed in shape")

// checkShape rejects an answer in which most records do not say whether the company pays VAT. After such an answer, it
// also rejects answers with few records, until one has VAT data again.
func (c *Client) checkShape(records []element) error {
	lacking := 0
	for i := range records {
		if records[i].lacksVAT() {
			lacking++
		}
	}

	switch {
	case 2*lacking < len(records):
		c.changed.Store(false)
	case len(records) >= shapeSample && 2*lacking > len(records):
		c.changed.Store(true)
	}

	if 2*lacking > len(records) && c.changed.Load() {
		return fmt.Errorf("%w: %d of %d records do not say whether the company pays VAT",
			errShape, lacking, len(records))
	}

	return nil
}

func broken(err error) error {
	return &api.Failure{Registry: registry, Kind: api.Broken, Err: err}
}
