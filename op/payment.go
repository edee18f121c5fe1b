package op

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
)

// Payment lets an operation defined with DefineSale charge its caller once it knows the amount.
type Payment interface {
	// Reserve reserves the operation's cost times n. It fails if fewer credits are left, and must not be called twice.
	Reserve(ctx context.Context, times int) error
	// Charge turns the reservation into a durable charge. It fails without charging if the credits were used up in the
	// meantime. If it fails with metering.ErrUncertain, the charge may have succeeded.
	Charge(ctx context.Context) error
}

// DefineSale returns an operation that determines the amount to charge and charges its caller itself. Spec.Cost is the
// price of one unit. A charge stays even if the operation fails afterwards, so a retry must not charge again.
func DefineSale[In, Out any](
	spec Spec, run func(context.Context, account.Caller, In, Payment) (Answer[Out], error),
) *Operation {
	op := define(spec, func(call *Observation, in In) (Answer[Out], error) {
		return run(&call.context, call.Caller, in, call.payment)
	})
	op.sells = true
	return op
}

// payment implements Payment for a call.
type payment struct {
	g      *Gateway
	op     *Operation
	caller *account.Caller
	call   *Call
	reply  *Reply
	hold   *metering.Hold
	share  *share
	price  int
}

// Reserve implements Payment. An export also counts against the daily allowance of an address without a key, and takes
// one token from the caller's bucket for each hundred rows, rounded up.
func (p *payment) Reserve(ctx context.Context, times int) (err error) {
	p.price = times * p.op.Cost
	if p.op.exports {
		if err := p.g.admitRows(ctx, p.caller, p.reply, times*RowsPerPrice); err != nil {
			return err
		}
		if p.share, err = p.g.takeShare(ctx, p.op, p.call, p.caller, p.price, p.reply); err != nil {
			return err
		}
	}

	p.hold, err = p.g.reserve(ctx, p.op, p.caller, p.price, "")
	return err
}

// Charge implements Payment.
func (p *payment) Charge(ctx context.Context) error {
	p.share.keep(p.price)
	if p.hold == nil {
		return nil
	}

	remaining, err := p.hold.Settle(ctx, false)
	if err != nil {
		return p.g.unpaid(ctx, p.op, p.caller, p.price, err)
	}

	p.reply.Cost, p.reply.Credits = p.price, remaining
	return nil
}

// isUnchanged reports whether the client already has a document, which is then neither sent nor charged.
func (p *payment) isUnchanged(document *Document) bool {
	return unchangedTag(p.op, p.call, p.g.tag(p.op, p.call, document, false)) != nil
}

// sell runs an operation that charges its caller itself.
func (g *Gateway) sell(op *Operation, call *Call, in any, seen *Observation) error {
	caller, reply := &seen.Caller, &seen.Reply
	own := *call // a separate variable, since otherwise the call of every operation would escape to the heap
	p := &payment{g: g, op: op, caller: caller, call: &own, reply: reply}
	seen.payment = p
	defer func() {
		p.hold.Release()
		p.share.release()
	}()
	if err := op.run(seen, in); err != nil {
		return err
	}

	g.succeed(op, call, reply)
	if reply.Cost == 0 && caller.Plan != nil {
		g.Ledger.CountFree(caller.Account(), op.Name, false)
	}

	return nil
}
