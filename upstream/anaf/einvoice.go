package anaf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/upstream"
)

// eInvoicePath is where the RO e-Factura register answers (documentation of 2024-11-05). It
// takes the questions of the register of taxpayers, and answers 404 with the same kind of
// body when it knows none of the numbers.
const eInvoicePath = "/api/registruroefactura/v1/interogare"

// registered is a record of the RO e-Factura register.
type registered struct {
	raw []byte
	cui api.CUI
}

func (r *registered) UnmarshalJSON(raw []byte) error {
	var fields struct {
		CUI number `json:"cui"`
	}
	err := json.Unmarshal(raw, &fields)
	r.raw, r.cui = raw, api.CUI(fields.CUI)
	return err
}

// EInvoices makes one call about up to MaxBatch companies to the RO e-Factura register. Its
// question and its results are those of Profiles; several records of a number are kept as
// one, separated by commas. The records do not say which day they are about.
func (c *Client) EInvoices(ctx context.Context, companies []api.CompanyDay) (map[api.CompanyDay]Result, error) {
	res, err := c.post(ctx, eInvoicePath, companies, api.Today())
	if err != nil {
		return nil, err
	}
	a, err := decode[registered](res.Status, res.Body)
	if err != nil {
		return nil, broken(fmt.Errorf("asking about %d companies in RO e-Factura: status %d: %w", len(companies), res.Status, err))
	}

	found := make(map[api.CUI][][]byte, len(a.Found))
	for _, r := range a.Found {
		found[r.cui] = append(found[r.cui], r.raw)
	}

	missing, results, usable := a.missing(), make(map[api.CompanyDay]Result, len(companies)), false
	for _, company := range companies {
		r, cui := Result{}, company.CUI
		switch raws := found[cui]; {
		case len(raws) > 0 && !missing[cui]:
			r.Record = NewRecord(bytes.Join(raws, []byte(",")))
		case len(raws) == 0 && missing[cui]:
			r.Err = api.ErrUnknown
		default:
			r.Err = broken(fmt.Errorf("RO e-Factura has %s %d times, missing %t", cui, len(raws), missing[cui]))
			err = r.Err
		}

		usable = usable || r.Err == nil || r.Err == api.ErrUnknown
		results[company] = r
	}

	if !usable {
		return nil, err
	}
	return results, nil
}

// Batched asks another register of the tax authority about single companies, in paced calls
// ([Paced]) about as many as wait when their turn comes. It is safe for concurrent use.
type Batched struct {
	lookup *Lookup
	fetch  Fetch

	mu      sync.Mutex
	waiting []*request // no call has asked about them
	running bool       // a goroutine queues the calls
}

// NewBatched makes the calls of a fetch take turns with those of a lookup.
func NewBatched(l *Lookup, fetch Fetch) *Batched { return &Batched{lookup: l, fetch: fetch} }

// Record returns the record of one company on a day. It fails as [Lookup.Company] does.
func (b *Batched) Record(ctx context.Context, company api.CompanyDay, d cache.Demand) (*Record, error) {
	r := b.enqueue(ctx, company)
	abandoned := d.Abandoned()
	for {
		select {
		case <-r.done:
			return r.result.Record, r.result.Err
		case <-abandoned:
			if b.withdraw(r) {
				return nil, errUnwanted
			}
			abandoned = nil
		case <-ctx.Done():
			b.withdraw(r)
			return nil, gaveUp(fmt.Errorf("waiting for company %s: %w", company, ctx.Err()))
		}
	}
}

func (b *Batched) enqueue(ctx context.Context, company api.CompanyDay) *request {
	r := &request{company: company, since: time.Now(), done: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) >= b.lookup.options.Queue {
		r.settle(Result{Err: closed(0, ErrBusy)})
		return r
	}

	b.waiting = append(b.waiting, r)
	if !b.running {
		b.running = true
		go b.run(context.WithoutCancel(ctx))
	}
	return r
}

// withdraw takes out a request, unless a call asks about it.
func (b *Batched) withdraw(r *request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.waiting {
		if other == r {
			b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// run queues one call after the other, as long as requests wait. Those for which no turn
// comes in time fail.
func (b *Batched) run(ctx context.Context) {
	for {
		turn, cancel := context.WithTimeout(ctx, b.lookup.options.Deadline)
		called := false
		err := b.lookup.runPaced(turn, cache.Demand{}, func(ctx context.Context) error {
			called = true
			return b.call(ctx)
		})
		cancel()
		if !called {
			settle(b.takeAll(), nil, err)
		}

		b.mu.Lock()
		if len(b.waiting) == 0 {
			b.running = false
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
	}
}

// take takes out the oldest requests, up to n, each of another company.
func (b *Batched) take(n int) (taken []*request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var others []*request
	for _, r := range b.waiting {
		if len(taken) < n && !asksAbout(taken, r.company.CUI) {
			taken = append(taken, r)
		} else {
			others = append(others, r)
		}
	}

	b.waiting = others
	return taken
}

// takeAll takes out all requests.
func (b *Batched) takeAll() []*request {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.waiting
	b.waiting = nil
	return taken
}

var (
	errAbandoned = fmt.Errorf("nobody waits any more: %w", upstream.ErrNotAsked)
	errNoReturn  = errors.New("the call did not return")
)

// call asks about the companies that wait now.
func (b *Batched) call(ctx context.Context) (err error) {
	taken := b.take(MaxBatch)
	if len(taken) == 0 {
		return errAbandoned
	}

	companies := make([]api.CompanyDay, len(taken))
	for i, r := range taken {
		companies[i] = r.company
	}

	var results map[api.CompanyDay]Result
	err = errNoReturn
	defer func() { settle(taken, results, err) }()
	results, err = b.fetch(ctx, companies)
	return err
}

func settle(requests []*request, results map[api.CompanyDay]Result, err error) {
	for _, r := range requests {
		if err != nil {
			r.settle(Result{Err: err})
		} else {
			r.settle(resultOf(results, r.company))
		}
	}
}
