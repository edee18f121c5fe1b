package op

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
)

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
		r.fetched = r.fetched || !row.IsStored()
		if row.IsCharged() {
			r.found++
			if row.IsStored() {
				r.stored++
			}
		}
	}

	if r.call.Rows == nil {
		r.kept = append(r.kept, rows...)
		return r.ctx.Err()
	}
	if r.call.InOrder {
		rows = r.takeReady(rows)
	}
	if err := r.charge(rows); err != nil {
		return err
	}

	r.begin()
	r.sent += len(rows)
	return r.call.Rows.Write(rows)
}

// takeReady buffers rows that arrive before their turn, and returns the rows that can be sent now.
func (r *Rows) takeReady(rows []Row) []Row {
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
		if row.IsCharged() {
			n++
			stored = stored && row.IsStored()
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
	p, known := ProblemOf(err)
	switch {
	case !known && r.logged:
		return problem.Internal.New("an internal error occurred; it is logged")
	case !known, p.Status() >= http.StatusBadGateway && !r.logged:
		r.logged = true
		p = r.g.problem(r.ctx, r.op.Name, r.call, err)
	}

	if p.Status() >= http.StatusBadGateway && p.RetryAfter == 0 {
		p.RetryAfter = rowRetry
	}

	if failure, ok := errors.AsType[*Failure](err); ok && failure.Kind == TimedOut {
		p.Detail = fmt.Sprintf("%s has not answered yet; the look-up continues, so retry in %d s", failure.Title(),
			p.RetrySeconds())
	}

	return p
}

// rowRetry is the Retry-After of a row whose registry has not answered yet: the look-up continues.
const rowRetry = 5 * time.Second

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
	if form := cmp.Or(r.plan.Form, r.call.Form); form != nil {
		return form.Document(r.plan.Columns, r.kept, r.op.Name)
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
