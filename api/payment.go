package api

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
)

// Payment is how an operation made by DefineSale charges its caller, once it knows what there is to pay.
type Payment interface {
	// Reserve sets so many times the operation's cost aside. It fails when there are fewer credits, and must not be
	// called twice.
	Reserve(ctx context.Context, times int) error
	// Charge makes the reservation a durable charge. It fails, and charges nothing, when the credits were used up in
	// the meantime. When it fails with metering.ErrUncertain, it may have been charged.
	Charge(ctx context.Context) error
}

// DefineSale returns an operation that charges its caller itself, by what it finds that there is to pay; Spec.Cost is
// the price of one such thing. What is charged stays charged when the operation fails afterwards, so that it must not
// charge again when it is repeated.
func DefineSale[In, Out any](
	spec Spec, run func(context.Context, account.Caller, In, Payment) (Answer[Out], error),
) *Operation {
	op := Define(spec, func(ctx context.Context, caller account.Caller, in In) (Answer[Out], error) {
		return run(ctx, caller, in, ctx.(*asking).seen.payment)
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

// Reserve implements Payment. An export also draws on the day's allowance of an address without a key, and takes a
// token of its caller's bucket for each started hundred rows. HEAD is free, since it sends no data.
func (p *payment) Reserve(ctx context.Context, times int) (err error) {
	if p.call.Head {
		return nil
	}
	p.price = times * p.op.Cost
	if p.op.exports {
		if err := p.g.admitRows(ctx, p.caller, p.reply, times*rowsOfPrice); err != nil {
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

// isUnchanged reports whether the client has a document already, which is then neither sent nor charged.
func (p *payment) isUnchanged(document *Document) bool {
	return p.call.IfNoneMatch != "" && NamesTag(p.call.IfNoneMatch, document.ETag())
}

// sell runs an operation that charges its caller itself.
func (g *Gateway) sell(op *Operation, call *Call, in any, seen *Observation) error {
	caller, reply := &seen.Caller, &seen.Reply
	own := *call // kept by itself, the call of every operation would be on the heap
	p := &payment{g: g, op: op, caller: caller, call: &own, reply: reply}
	seen.payment = p
	defer func() {
		p.hold.Release()
		p.share.release()
	}()
	if err := op.run(&seen.asking, *caller, in, reply); err != nil {
		return err
	}

	reply.succeed(op, call)
	if reply.Cost == 0 && caller.Plan != nil {
		g.Ledger.CountFree(caller.Account(), op.Name, false)
	}
	return nil
}
