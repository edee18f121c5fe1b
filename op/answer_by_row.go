package op

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
)

// callAtMost bounds the duration of a call that answers row by row, however slowly its client reads. It must be shorter
// than [account.CallLease].
const callAtMost = time.Minute

// answerByRow reserves the maximum cost of the rows, and runs the operation.
func (g *Gateway) answerByRow(ctx context.Context, op *Operation, call *Call, bound any, seen *Observation) error {
	caller, reply := &seen.Caller, &seen.Reply
	ctx, cancel := context.WithTimeout(ctx, callAtMost)
	defer cancel()
	work, plan, err := op.rows.plan(bound, callerInfo(call, caller))
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

// rowsPerToken is the number of rows that cost one token of the caller's bucket.
const rowsPerToken = 100

// tokensOf returns the number of tokens that rows cost.
func tokensOf(rows int) int { return (rows + rowsPerToken - 1) / rowsPerToken }

// admitRows takes the additional tokens for a call with many rows.
func (g *Gateway) admitRows(ctx context.Context, caller *account.Caller, reply *Reply, items int) error {
	more := tokensOf(items) - 1
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

	// The next attempt needs the first token again.
	return problem.RateLimited.New("%d items count as %d requests (one for every %d, rounded up), and this caller, who "+
		"may make %d a second (%d at once), has fewer left; wait for the time in Retry-After",
		items, more+1, rowsPerToken, rate.N, rate.Burst).After(further.RetryWith(1))
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
		r.g.setRemaining(r.ctx, r.caller, r.reply)
		r.reply.Document = newPosted(r.appendCost(head.JSON))
	}

	r.conclude()
	return nil
}
