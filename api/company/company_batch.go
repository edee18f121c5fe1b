package company

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// batch looks up the companies of a list.
type batch struct {
	batchCompaniesInput
	tree   []selection // the tree of Fields
	cells  []string    // the columns of a company in a table
	wanted []Item
	dated  bool    // an item has a date
	today  ro.Date // the day on which the list was read
	trade  TradeRegister
	parts  embedding

	out        rowSink
	summary    BatchSummary
	places     map[ro.CompanyDay][]int // the positions of each company to look up
	found      map[ro.CompanyDay]bool  // the companies, each on a day, that are charged
	incomplete []*BatchItem            // the companies that wait for parts from registries
	err        error

	lookups    sync.WaitGroup // look-ups of parts
	registered chan struct{}  // closed once entries is set; nil if the registers are not requested
	entries    map[ro.CompanyDay]op.Answer[*Registers]
}

// rowSink receives the rows of a batch. It is a *Rows.
type rowSink interface {
	Send(rows []op.Row) error
	Problem(err error) *problem.Problem
}

// read parses the list. It returns the number of distinct pairs of company and day to look up. Two different numbers
// count as two companies, even if both turn out to belong to one company.
func (b *batch) read() (int, error) {
	switch {
	case b.Items == nil && b.TaxIDs == nil:
		return 0, problem.Invalid(&problem.InputError{Parameter: "items", Code: problem.Required,
			Accepted: `send items or taxIds, for example {"taxIds": [14399840]}`})
	case b.Items != nil && b.TaxIDs != nil:
		return 0, problem.Invalid(&problem.InputError{Parameter: "taxIds", Code: problem.Conflict,
			Accepted: "items or taxIds, not both",
			Reason:   "it was sent together with items; send one of them"})
	}

	items := b.Items
	for _, id := range b.TaxIDs {
		items = append(items, BatchRequest{TaxID: id})
	}

	b.wanted = make([]Item, len(items))
	distinct := make(map[any]bool, len(items))
	for i, item := range items {
		w := ParseItem(item)
		b.wanted[i] = w
		switch {
		case w.Err != nil:
		case w.CUI != 0:
			distinct[b.dayOf(w.company())] = true
		case w.IsNumber():
			distinct[w.Number.New()+" "+w.day.String()] = true
		}

		b.dated = b.dated || item.Date != ""
	}

	return len(distinct), nil
}

// dayOf replaces the zero day with today's date, so that a company requested both with today's date and without a date
// is charged once.
func (b *batch) dayOf(c ro.CompanyDay) ro.CompanyDay {
	c.Day = cmp.Or(c.Day, b.today)
	return c
}

// identity identifies the list for the Idempotency-Key. It does not include the caller's waiting time, so that a retry
// may wait longer.
func (b *batch) identity() string {
	var text strings.Builder
	for _, w := range b.wanted {
		fmt.Fprintf(&text, "%s %q %q %q,", w.company(), w.Number.New(), w.Input, w.reference)
	}

	fmt.Fprintf(&text, " %q %q %q", b.Fields, b.Include, b.View)
	return text.String()
}

// columns returns the column names of a table. The column date exists only if an item of the list has a day. The last
// column has the day that the answer is about.
func (b *batch) columns() []string {
	columns := []string{"input", "reference"}
	if b.dated {
		columns = append(columns, "date")
	}
	return slices.Concat(columns, []string{"status", "problem"}, b.cells, []string{"asOf"})
}

func (b *batch) run(ctx context.Context, out rowSink) error {
	b.out, b.summary.Count = out, len(b.wanted)
	wait := b.WaitSeconds.Duration()
	ctx, stop := context.WithCancel(ctx)
	defer b.lookups.Wait()
	defer stop() // a disconnected client needs no other parts
	timely, cancel := context.WithTimeout(ctx, wait)
	defer cancel()

	asked := b.resolve(ctx)
	if b.err == nil && len(asked) > 0 {
		b.askRegisters(ctx, asked)
		b.parts.companies.Companies(ctx, asked, wait, func(found []Found) bool {
			b.answer(ctx, asked, found)
			return b.err == nil
		})
	}

	if b.err == nil && len(b.incomplete) > 0 {
		b.addParts(timely)
	}

	return cmp.Or(b.err, ctx.Err())
}

// resolve answers items that need no look-up, and returns the distinct companies, each on a day, of the others.
func (b *batch) resolve(ctx context.Context) (asked []ro.CompanyDay) {
	b.places = make(map[ro.CompanyDay][]int, len(b.wanted))
	b.found = make(map[ro.CompanyDay]bool, len(b.wanted))
	var known []op.Row
	for i := range b.wanted {
		w := &b.wanted[i]
		if w.IsNumber() && w.Err == nil {
			w.CUI, w.Err = b.trade.TaxID(ctx, w.Number)
			if errors.Is(w.Err, op.ErrUnknown) {
				w.Err = problem.NotFound.New("the trade register knows no company with the number %s; check it, or "+
					"search by name with search_companies (GET /v1/companies?q=...)", w.Input)
			}
		}

		if w.Err != nil {
			known = append(known, b.failure(i, w.Err))
			continue
		}

		company := w.company()
		if b.places[company] == nil {
			asked = append(asked, company)
		}

		b.places[company] = append(b.places[company], i)
	}

	if len(known) > 0 {
		b.err = b.out.Send(known)
	}

	return asked
}

// answer sends results that became known together. It holds back companies that still need parts from other
// registries.
func (b *batch) answer(ctx context.Context, asked []ro.CompanyDay, found []Found) {
	rows := make([]op.Row, 0, len(found))
	for _, f := range found {
		item := b.item(ctx, asked[f.Index], f)
		if item.Failure == nil && b.lacksParts() {
			b.incomplete = append(b.incomplete, item)
			continue
		}

		rows = b.appendRows(rows, item)
	}

	b.err = b.out.Send(rows)
}

// appendRows appends an item for each position of its company and day in the list.
func (b *batch) appendRows(rows []op.Row, item *BatchItem) []op.Row {
	for n, place := range b.places[item.asked] {
		if n > 0 {
			again := *item
			item = &again
		}
		if company := b.dayOf(item.asked); item.Status == 200 {
			item.repeated = b.found[company]
			b.found[company] = true
		}

		item.Index = place
		item.identify(&b.wanted[place])
		b.count(item.Status)
		rows = append(rows, item)
	}

	return rows
}

// item is the outcome of a look-up.
func (b *batch) item(ctx context.Context, asked ro.CompanyDay, f Found) *BatchItem {
	cui := asked.CUI
	if errors.Is(f.Err, op.ErrUnknown) {
		f.Err = unknownCompany(cui)
	}

	answer := f.Answer
	if f.Err == nil && len(b.Include) > 0 {
		answer, f.Err = b.parts.listed(ctx, b.Include.Has, asked, answer)
	}

	item := &BatchItem{TaxID: &cui, asked: asked, Freshness: answer.Freshness, batch: b, form: new(itemForms)}
	if f.Err != nil {
		item.fail(b.out.Problem(f.Err))
		return item
	}

	item.Status, item.Profile, item.document = 200, answer.Value, answer.Document
	return item
}

// failure is the outcome of an item that failed before any registry was queried.
func (b *batch) failure(i int, err error) *BatchItem {
	w := &b.wanted[i]
	item := &BatchItem{Index: i, Freshness: op.Freshness{Cache: op.Hit}, batch: b}
	if w.CUI != 0 {
		item.TaxID = &w.CUI
	}

	item.fail(b.out.Problem(err))
	item.identify(w)
	b.count(item.Status)
	return item
}

func (b *batch) count(status int) {
	switch {
	case status == 200:
		b.summary.Found++
	case status == 400:
		b.summary.Invalid++
	case status < 500:
		b.summary.NotFound++
	default:
		b.summary.Failed++
	}
}
