package fleettest

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

// kind is a kind of call.
type kind string

// The kinds of calls.
const (
	free    kind = "free"    // companies and rates, without a key
	charged kind = "charged" // companies, by accounts with unlimited credits
	spent   kind = "spent"   // companies, by one account whose credits run out
	rated   kind = "rated"   // rates, by one account that has a low rate limit
	unknown kind = "unknown" // companies unknown to every edge, without a key
)

// call is a call with its outcome.
type call struct {
	kind   kind
	edge   int
	began  time.Time
	took   time.Duration
	status int // 0: no answer, or an incomplete one
}

func (c call) ended() time.Time { return c.began.Add(c.took) }

// payer is an account with its callers' records of its charges.
type payer struct {
	account, key string

	mu          sync.Mutex
	paid        int // calls whose answer reported a charge
	unconfirmed int // calls without an answer that shows whether they were charged
}

// load is a number of callers of all edges.
type load struct {
	fleet  *fleet
	keys   *account.Directory
	payers []*payer // the last one spends the quota
	rated  *payer
	client *http.Client
	began  time.Time

	ctx     context.Context
	cancel  context.CancelFunc
	calling sync.WaitGroup

	mu    sync.Mutex
	calls []call
	wrong []error
}

const (
	payersPerEdge = 6
	freePerEdge   = 4
	// callEvery is the time between two calls of one caller.
	callEvery = 60 * time.Millisecond
)

// load starts callers at every edge that make free and charged calls, and callers of one account that spends its quota
// at all edges.
func (f *fleet) load(t *testing.T) *load {
	t.Helper()
	db, err := store.Open(t.Context(), f.postgres.url(f.postgres.address))
	testkit.NoError(t, err)

	l := &load{
		fleet: f, keys: account.NewDirectory(db, []byte(secret), account.DefaultPrefix), began: time.Now(),
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 100}},
	}
	l.ctx, l.cancel = context.WithCancel(t.Context())
	t.Cleanup(func() {
		l.stop()
		db.Close()
	})
	for range edges * payersPerEdge {
		l.payers = append(l.payers, l.open(t, db, "boundless"))
	}

	l.payers = append(l.payers, l.open(t, db, "quota"))
	l.rated = l.open(t, db, "rated")
	for i := range f.edges {
		for n := range payersPerEdge {
			l.caller(charged, i, l.payers[i*payersPerEdge+n], callEvery)
		}

		for range freePerEdge {
			l.caller(free, i, nil, callEvery)
		}

		l.caller(spent, i, l.payers[len(l.payers)-1], callEvery)
	}

	return l
}

// open opens an account with a key.
func (l *load) open(t *testing.T, db *store.DB, plan string) *payer {
	t.Helper()
	a := account.Account{ID: account.NewID(), Plan: plan, CreatedAt: time.Now()}
	testkit.NoError(t, db.CreateAccount(t.Context(), a))

	_, key, err := l.keys.Issue(t.Context(), account.Key{Account: a.ID, Name: "test"})
	testkit.NoError(t, err)

	return &payer{account: a.ID, key: key}
}

// caller calls an edge repeatedly.
func (l *load) caller(k kind, edge int, p *payer, every time.Duration) {
	l.calling.Go(func() {
		again := time.NewTicker(every)
		defer again.Stop()
		for n := rand.Int(); ; n++ {
			select {
			case <-l.ctx.Done():
				return
			case <-again.C:
				l.call(k, edge, p, n)
			}
		}
	})
}

// stop ends the load once the calls in flight have been answered.
func (l *load) stop() {
	l.cancel()
	l.calling.Wait()
	l.client.CloseIdleConnections()
}

// question returns the request of the n-th call of a kind, and the check of its answer.
func (l *load) question(k kind, n int) (path string, check func([]byte) error) {
	o := l.fleet.oracle
	if k == unknown {
		return fmt.Sprint("/v1/companies/", invented.CUI(n%9_000_000)), nil
	}
	if k == rated || k == free && n%2 == 0 {
		f := o.fixings[n%len(o.fixings)]
		return f.path(), f.check
	}

	c := o.companies[n%len(o.companies)]
	return c.path(), c.check
}

// call makes one call, records its outcome and returns its status. The end of the load does not interrupt it, because
// it would then be unknown whether it was charged.
func (l *load) call(k kind, edge int, p *payer, n int) (status int) {
	path, check := l.question(k, n)
	r, err := http.NewRequestWithContext(context.WithoutCancel(l.ctx), http.MethodGet,
		l.fleet.edges[edge].url+path, nil)
	if err != nil {
		panic(err)
	}
	if p != nil {
		r.Header.Set("Authorization", "Bearer "+p.key)
	}

	c := call{kind: k, edge: edge, began: time.Now()}
	var body []byte
	res, err := l.client.Do(r)
	if err == nil {
		body, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	if err == nil {
		c.status = res.StatusCode
	}

	c.took = time.Since(c.began)
	if p != nil {
		p.note(c, res)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, c)
	if c.status == http.StatusOK && check != nil {
		if err := check(body); err != nil {
			l.wrong = append(l.wrong, fmt.Errorf("%s: %w", path, err))
		}
	}

	if age := ageOf(res); age < 0 || age > time.Since(l.fleet.began)+l.fleet.skew+time.Second {
		l.wrong = append(l.wrong, fmt.Errorf("%s is %s old", path, age))
	}

	return c.status
}

// note records whether the answer of a call reports a charge.
func (p *payer) note(c call, res *http.Response) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c.status == http.StatusOK && res.Header.Get("x-credits-cost") == "1":
		p.paid++
	case c.status == 0, c.status >= 500:
		p.unconfirmed++
	}
}

// ageOf returns the age stated in an answer.
func ageOf(res *http.Response) time.Duration {
	if res == nil || res.Header.Get("Age") == "" {
		return 0
	}

	seconds, err := strconv.Atoi(res.Header.Get("Age"))
	if err != nil {
		return -1
	}

	return time.Duration(seconds) * time.Second
}

// callsBetween returns the calls of a kind to an edge that began and ended between two times. If edge is negative, it
// returns the calls to all edges.
func (l *load) callsBetween(k kind, edge int, from, to time.Time) []call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.calls), func(c call) bool {
		return c.kind != k || edge >= 0 && c.edge != edge || c.began.Before(from) || c.ended().After(to)
	})
}

// recovered waits until an edge has answered all calls of a kind successfully for a while, and returns the time from
// from until the first of them.
func (l *load) recovered(t *testing.T, k kind, edge int, from time.Time) time.Duration {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("%s calls to edge %d since then: %s", k, edge, tallied(l.callsBetween(k, edge, from, time.Now())))
		}
	}()
	var first time.Duration
	testkit.Until(t, fmt.Sprintf("%s calls to edge %d go well again", k, edge), func() bool {
		calls := l.callsBetween(k, edge, from, time.Now())
		slices.SortFunc(calls, func(a, b call) int { return a.ended().Compare(b.ended()) })
		good := 0
		for _, c := range slices.Backward(calls) {
			if c.status != http.StatusOK {
				break
			}

			good++
			first = c.ended().Sub(from)
		}

		return good >= 20
	})
	return first
}

// tally counts calls by status, with the duration of the slowest.
type tally struct {
	calls   int
	status  map[int]int
	slowest time.Duration
}

func tallied(calls []call) tally {
	y := tally{calls: len(calls), status: map[int]int{}}
	for _, c := range calls {
		y.status[c.status]++
		y.slowest = max(y.slowest, c.took)
	}
	return y
}

// String implements fmt.Stringer.
func (y tally) String() string {
	return fmt.Sprintf("%d calls, by status %v, the slowest %s", y.calls, y.status, y.slowest.Round(time.Millisecond))
}

// only reports whether there were calls, and whether all of them had one of the statuses.
func (y tally) only(statuses ...int) bool {
	n := 0
	for _, s := range statuses {
		n += y.status[s]
	}
	return n == y.calls && n > 0
}
