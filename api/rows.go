package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

// NDJSONType is the media type of a stream of rows, with one JSON text per line.
const NDJSONType = "application/x-ndjson"

// Row is one item of an answer that is sent row by row.
type Row interface {
	// Position is the row's place in the whole answer, from 0.
	Position() int
	// Charged reports whether the operation's cost is charged for the row.
	Charged() bool
	// Stored reports whether the row was known without asking a registry.
	Stored() bool
	// AppendJSON appends the row as a JSON object. The types of problems are URLs below baseURL.
	AppendJSON(b []byte, baseURL string) []byte
	// Cells returns the row's values in the columns of a table.
	Cells() []string
}

// RowWriter sends rows as they become known. The gateway charges for rows before it passes them on, so a client that
// disconnects has paid for at most one chunk that it did not receive.
type RowWriter interface {
	// Begin is called once, before any rows, with the reply so far.
	Begin(*Reply)
	// Write sends a chunk. An empty one signals that the call continues.
	Write([]Row) error
}

// Asker has the facts about a caller that an operation may need before it runs. Limits and defaults depend on it.
type Asker struct {
	// Keyed reports whether the caller is an account, with a key or a session.
	Keyed bool
	// Channel is the call's channel.
	Channel string
}

// RowPlan bounds an operation that answers row by row.
type RowPlan struct {
	// Items is the number of requested items. Most is the maximum number of rows that can be charged.
	Items, Most int
	// Identity returns a text that is equal for equal requests, for the Idempotency-Key. It is nil if the operation
	// accepts no Idempotency-Key.
	Identity func() string
	// Columns are the names of the cells.
	Columns []string
	// Table makes the answer a table, regardless of the Accept header; nil lets the caller choose.
	Table *Table
}

// byRow describes how an operation answers row by row.
type byRow struct {
	plan func(bound any, asker Asker) (work any, _ RowPlan, _ error)
	run  func(ctx context.Context, caller account.Caller, work any, out *Rows) (summary any, err error)
	item Schema
	// summary is the schema of the summary of all rows.
	summary Schema
}

// DefineRows returns an operation that answers row by row. plan turns the input into work and limits the cost. run
// sends each row as soon as it is known and returns a summary, which must encode as a JSON object. Spec.Cost is the
// price of a row. Callers receive a JSON object with the members of the summary followed by all rows as items, a CSV
// table, or a stream of rows that ends with the summary.
func DefineRows[In, Work any, Item Row, Summary any](
	spec Spec, plan func(In, Asker) (Work, RowPlan, error),
	run func(context.Context, account.Caller, Work, *Rows) (Summary, error),
) *Operation {
	op := newOperation[In](spec)
	item := outputSchema(reflect.TypeFor[Item]())
	summary := SchemaOf(reflect.TypeFor[Summary]())
	op.output = summary
	op.output.Name = strings.TrimSuffix(summary.Name, "Summary")
	op.output.Properties = append(slices.Clip(op.output.Properties), Property{"items", Schema{
		Type: "array", Items: &item, Description: "One for each requested item, in the same order.",
	}})
	op.output.Required = append(slices.Clip(op.output.Required), "items")

	op.rows = &byRow{
		item: item, summary: summary,
		plan: func(bound any, asker Asker) (any, RowPlan, error) { return plan(bound.(In), asker) },
		run: func(ctx context.Context, caller account.Caller, work any, out *Rows) (any, error) {
			return run(ctx, caller, work.(Work), out)
		},
	}

	return op
}

// Rows charges for the rows of an answer, and sends or collects them.
type Rows struct {
	ctx    context.Context
	g      *Gateway
	op     *Operation
	call   *Call
	caller *account.Caller
	reply  *Reply
	plan   RowPlan
	hold   *metering.Hold
	share  *share
	repeat *repeat

	kept    []Row // rows to send later: at the end, or when it is their turn
	begun   bool  // the writer's Begin was called
	sent    int
	found   int  // charged rows
	stored  int  // charged rows for which no registry was asked
	fetched bool // a registry was asked
	logged  bool // a failure was logged
}

// Send accepts rows that became known together; an empty call signals that the call continues. An error ends the
// operation.
func (r *Rows) Send(rows []Row) error {
	for _, row := range rows {
		r.fetched = r.fetched || !row.Stored()
		if row.Charged() {
			r.found++
			if row.Stored() {
				r.stored++
			}
		}
	}

	if r.call.Rows == nil {
		r.kept = append(r.kept, rows...)
		return r.ctx.Err()
	}
	if r.call.InOrder {
		rows = r.inTurn(rows)
	}
	if err := r.charge(rows); err != nil {
		return err
	}

	r.begin()
	r.sent += len(rows)
	return r.call.Rows.Write(rows)
}

// inTurn buffers rows that arrive before their turn, and returns the rows that can be sent now.
func (r *Rows) inTurn(rows []Row) []Row {
	r.kept = append(r.kept, rows...)
	slices.SortFunc(r.kept, byPosition)
	n := 0
	for n < len(r.kept) && r.kept[n].Position() == r.sent+n {
		n++
	}

	rows = slices.Clone(r.kept[:n])
	r.kept = r.kept[n:]
	return rows
}

func byPosition(a, b Row) int { return cmp.Compare(a.Position(), b.Position()) }

func (r *Rows) begin() {
	if !r.begun {
		r.begun = true
		r.reply.Status = r.op.Success
		r.call.Rows.Begin(r.reply)
	}
}

// charge charges the price of rows, before they are sent.
func (r *Rows) charge(rows []Row) error {
	n, stored := 0, true
	for _, row := range rows {
		if row.Charged() {
			n++
			stored = stored && row.Stored()
		}
	}

	r.share.keep(n * r.op.Cost)
	credits := r.repeat.due(n * r.op.Cost)
	if r.hold == nil || credits == 0 {
		return nil
	}

	remaining, err := r.hold.Split(int64(credits)).Settle(r.ctx, stored)
	if err != nil {
		return r.g.unpaid(r.ctx, r.op, r.caller, credits, err)
	}

	r.reply.Cost += credits
	r.reply.Credits = remaining
	return nil
}

// Problem returns a row's problem for an error. Only the first failure of a call is logged.
func (r *Rows) Problem(err error) *problem.Problem {
	p, known := problemOf(err)
	switch {
	case !known && r.logged:
		return problem.Internal.New("the service made a mistake; it is logged")
	case !known, p.Status() >= http.StatusBadGateway && !r.logged:
		r.logged = true
		p = r.g.problem(r.ctx, r.op.Name, r.call, err)
	}

	if p.Status() >= http.StatusBadGateway && p.RetryAfter == 0 {
		p.RetryAfter = rowRetry
	}

	if failure, ok := errors.AsType[*Failure](err); ok && failure.Kind == TimedOut {
		p.Detail = fmt.Sprintf("%s has not answered yet; the look-up goes on, so ask again in %d s", failure.title(),
			p.RetrySeconds())
	}

	return p
}

// callAtMost bounds the duration of a call that answers row by row, however slowly its client reads. It must be shorter
// than [account.CallLease].
const callAtMost = time.Minute

// rowRetry is the Retry-After of a row whose registry has not answered yet: the look-up continues.
const rowRetry = 5 * time.Second

// answerByRow reserves the maximum cost of the rows, and runs the operation.
func (g *Gateway) answerByRow(ctx context.Context, op *Operation, call *Call, bound any, seen *Observation) error {
	caller, reply := &seen.Caller, &seen.Reply
	ctx, cancel := context.WithTimeout(ctx, callAtMost)
	defer cancel()
	work, plan, err := op.rows.plan(bound, Asker{Keyed: caller.Plan != nil, Channel: call.Channel})
	if err != nil {
		return err
	}
	if err := g.admitRows(ctx, caller, reply, plan.Items); err != nil {
		return err
	}

	repeat, err := g.beginRepeat(ctx, op, call, caller, plan.Identity)
	if err != nil {
		return err
	}
	defer repeat.end(ctx)

	price := plan.Most * op.Cost
	hold, err := g.reserve(ctx, op, caller, repeat.owed(price), repeat.name())
	if err != nil {
		return err
	}
	defer hold.Release()

	share, err := g.takeShare(ctx, op, call, caller, price, reply)
	if err != nil {
		return err
	}
	defer share.release()

	ownCall, ownCaller := *call, *caller // copies, so that only calls by row allocate them
	return g.deliver(work, &Rows{ctx: ctx, g: g, op: op, call: &ownCall, caller: &ownCaller, reply: reply, plan: plan,
		hold: hold, share: share, repeat: repeat})
}

// deliver runs an operation that answers row by row.
func (g *Gateway) deliver(work any, r *Rows) error {
	summary, err := r.op.rows.run(r.ctx, *r.caller, work, r)
	if err != nil {
		return err
	}

	head, err := EncodeDocument(summary)
	if err != nil {
		return fmt.Errorf("encoding the summary of %s: %w", r.op.Name, err)
	}

	if r.call.Rows == nil {
		slices.SortFunc(r.kept, byPosition)
		if err := r.charge(r.kept); err != nil {
			return err
		}
		if r.reply.Document, err = r.document(head.JSON); err != nil {
			return err
		}
	} else {
		r.begin() // of an answer without rows
		r.g.remaining(r.ctx, r.caller, r.reply)
		r.reply.Document = newPosted(r.appendCost(head.JSON))
	}

	r.conclude()
	return nil
}

// conclude completes the reply once all rows are known.
func (r *Rows) conclude() {
	r.reply.Status = r.op.Success
	r.reply.Cache, r.reply.Found, r.reply.Hits = Hit, r.found, r.stored
	if r.fetched {
		r.reply.Cache = Miss
	}
	if r.caller.Plan != nil && r.reply.Cost == 0 {
		r.g.Ledger.CountFree(r.caller.Account(), r.op.Name, r.reply.Cache == Hit)
	}
}

// document returns the whole answer as one document.
func (r *Rows) document(summary []byte) (*Document, error) {
	if form := cmp.Or(r.plan.Table, r.call.Table); form != nil {
		return form.document(r.plan.Columns, r.kept, r.op.Name+".csv")
	}

	b := append(slices.Clip(summary[:len(summary)-1]), `,"items":[`...)
	for i, row := range r.kept {
		if i > 0 {
			b = append(b, ',')
		}

		b = row.AppendJSON(b, r.call.BaseURL)
		if i == 0 { // the others have a similar length
			b = slices.Grow(b, len(b)*len(r.kept)*5/4)
		}
	}

	return newPosted(append(b, "]}"...)), nil
}

// appendCost adds the cost and the remaining credits to a summary. Other answers have them in headers, but a stream
// sends its headers before they are known.
func (r *Rows) appendCost(summary []byte) []byte {
	b := fmt.Appendf(slices.Clip(summary[:len(summary)-1]), `,"creditsCost":%d`, r.reply.Cost)
	if r.reply.Credits >= 0 {
		b = fmt.Appendf(b, `,"creditsRemaining":%d`, r.reply.Credits)
	}
	return append(b, '}')
}

// rowsATokenPays is the number of rows that cost one token of the caller's bucket.
const rowsATokenPays = 100

// admitRows takes the additional tokens for a call with many rows.
func (g *Gateway) admitRows(ctx context.Context, caller *account.Caller, reply *Reply, items int) error {
	more := (items+rowsATokenPays-1)/rowsATokenPays - 1
	rate := reply.Allowance.Rate
	if more = min(more, rate.Burst-1); more < 1 { // a full bucket has only the first
		return nil
	}

	var further metering.Allowance
	if g.Fleet != nil {
		further = g.Fleet.TakeMore(ctx, caller.Bucket(), rate, more)
	} else {
		further = g.Buckets.TakeMore(caller.Bucket(), rate, more)
	}

	reply.Allowance.OK, reply.Allowance.Remaining = further.OK, further.Remaining
	if further.OK {
		return nil
	}

	p := problem.RateLimited.New("%d items count as %d requests (one for each started %d), and fewer are available "+
		"now of this caller's %d a second (%d at once); wait as Retry-After says",
		items, more+1, rowsATokenPays, rate.N, rate.Burst)
	// The next attempt needs the first token again.
	p.RetryAfter = further.RetryAfter + rate.Per/time.Duration(rate.N)
	return p
}
