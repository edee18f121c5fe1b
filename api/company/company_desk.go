package company

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Desk looks up companies like batch_companies, for callers in the process that store the outcomes.
type Desk struct {
	Companies Companies
	Registers TaxRegisters
	Trade     TradeRegister
	Judge     Judge
	Logger    *slog.Logger
}

// Outcome is the outcome of an item of a list.
type Outcome struct {
	// Status is the HTTP status that a single look-up of this item would have.
	Status int
	// Company is the company and day, as far as they are known. The zero day means today.
	Company ro.CompanyDay
	// Profile is the JSON object of the selected fields, if Status is 200.
	Profile json.RawMessage
	// Unknown are the paths of the parts whose register did not answer. Incomplete reports that a register may answer
	// later.
	Unknown    []string
	Incomplete bool
	// Problem is the reason for a missing profile.
	Problem *problem.Problem
	// RetrievedAt is the retrieval time of the oldest fact of the profile.
	RetrievedAt time.Time
	// Stored reports that no registry was queried.
	Stored bool
}

// LookUp looks up a list of companies on behalf of a caller. It waits at most wait for registries. A company that is
// not available by then has a problem with status 504. The outcomes are in the order of the items.
func (d *Desk) LookUp(ctx context.Context, caller account.Caller, items []BatchRequest, fields []Field,
	wait time.Duration) ([]Outcome, error) {
	ctx = op.WithCaller(ctx, caller)
	in := batchCompaniesInput{Items: items, Fields: fields, WaitSeconds: lists.WaitSeconds(max(1, wait/time.Second))}
	_ = in.chooseView() // fields cannot contradict a view that is not given
	b, _, err := in.plan(embedding{companies: d.Companies, registers: d.Registers, judge: d.Judge}, d.Trade)
	if err != nil {
		return nil, err
	}

	sink := &outcomes{ctx: ctx, desk: d, all: make([]Outcome, len(items))}
	if err := b.run(ctx, sink); err != nil {
		return nil, err
	}

	return sink.all, nil
}

// Asked returns the company and day of each item of a list; the zero value for an item without a company.
func (d *Desk) Asked(ctx context.Context, items []BatchRequest) []ro.CompanyDay {
	asked := make([]ro.CompanyDay, len(items))
	for i, item := range items {
		w := ParseItem(item)
		if w.Err == nil && w.IsNumber() {
			w.CUI, w.Err = d.Trade.TaxID(ctx, w.Number)
		}
		if w.Err == nil {
			asked[i] = w.company()
		}
	}

	return asked
}

// Problem returns the problem of a failed look-up. It logs errors that no registry caused.
func (d *Desk) Problem(ctx context.Context, err error) *problem.Problem {
	p, known := op.ProblemOf(err)
	if !known {
		return op.InternalProblem(ctx, d.Logger, err)
	}
	if failure, ok := errors.AsType[*op.Failure](err); ok && failure.Kind == op.TimedOut {
		p.Detail = failure.Title() + " did not answer in time"
	}

	return p
}

// outcomes collects the rows of a batch.
type outcomes struct {
	ctx  context.Context
	desk *Desk
	all  []Outcome
}

// Send collects rows; a call without rows only signals that the look-up continues.
func (o *outcomes) Send(rows []op.Row) error {
	for _, row := range rows {
		item := row.(*BatchItem)
		outcome := Outcome{Status: item.Status, Problem: item.Failure, RetrievedAt: item.Freshness.RetrievedAt,
			Stored: item.IsStored()}
		if item.TaxID != nil {
			outcome.Company.CUI = *item.TaxID
		}
		if item.Date != nil {
			outcome.Company.Day = *item.Date
		}
		if item.Failure == nil {
			outcome.Profile = item.company()
			if registers := item.Profile.Registers; registers != nil {
				outcome.Unknown, outcome.Incomplete = registers.unknown(), registers.Incomplete
			}
		}

		o.all[item.Index] = outcome
	}

	return o.ctx.Err()
}

// Problem returns the problem of an item.
func (o *outcomes) Problem(err error) *problem.Problem {
	return o.desk.Problem(o.ctx, err)
}

// DistinctCompanies counts distinct pairs of company and day. Two different numbers count as two companies.
type DistinctCompanies map[any]struct{}

// Add counts the company of an item. It reports false if the number or the day is not valid.
func (d DistinctCompanies) Add(item BatchRequest) bool {
	w := ParseItem(item)
	switch {
	case w.Err != nil:
	case w.CUI != 0:
		d[w.company()] = struct{}{}
	default:
		d[w.Number.New()+" "+w.day.String()] = struct{}{}
	}

	return w.Err == nil
}

// CellReader reads fields of profiles as the cells of a table.
type CellReader struct {
	// Unknown is the cell of a value that a register did not answer. Default: an empty cell.
	Unknown string

	fields []Field
	object objectReader
}

// NewCellReader returns a reader of these fields.
func NewCellReader(fields []Field) *CellReader { return &CellReader{fields: fields} }

// Read appends the cells of a profile, or empty cells if the profile is empty. unknown lists the paths of the parts
// that could not be looked up.
func (r *CellReader) Read(cells []string, profile json.RawMessage, unknown ...string) []string {
	r.object.reset(profile)
	for _, f := range r.fields {
		text := cell(r.object.at(string(f)))
		if slices.ContainsFunc(unknown, func(path string) bool { return strings.HasPrefix(string(f), path+".") }) {
			text = r.Unknown
		}

		cells = append(cells, text)
	}

	return cells
}
