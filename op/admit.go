package op

import (
	"context"
	"errors"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
)

// admitCall takes a token from the caller's bucket. If there is none, the caller is told when there will be as many as
// the whole call takes.
func (g *Gateway) admitCall(ctx context.Context, op *Operation, call *Call, caller *account.Caller,
	reply *Reply) error {
	err := g.admit(ctx, caller, reply)
	if p, refused := errors.AsType[*problem.Problem](err); refused {
		tokens := min(op.tokens(call, caller), reply.Allowance.Rate.Burst)
		p.RetryAfter = reply.Allowance.RetryWith(max(tokens-1, 0))
	}
	return err
}

// tokens returns the maximum number of tokens that a call takes; 1 for an invalid call.
func (op *Operation) tokens(call *Call, caller *account.Caller) int {
	rows := 0
	switch arg, _ := call.Args.get("limit"); {
	case call.Malformed != nil:
	case op.HasRows():
		if bound, err := op.bind(call.InPath, call.Args); err == nil {
			_, plan, _ := op.rows.plan(bound, callerInfo(call, caller))
			rows = plan.Items
		}
	case op.exports && arg == nil:
		rows = MaxExportRows
	case op.exports:
		if n, ok := ExportRows([]byte(arg.Text)); ok {
			rows = n
		}
	}

	return max(tokensOf(rows), 1)
}

// admit takes a token from the caller's bucket.
func (g *Gateway) admit(ctx context.Context, caller *account.Caller, reply *Reply) error {
	rate := g.RateOf(caller)
	reply.Policy = g.policy(caller.Plan)
	if g.Fleet != nil {
		reply.Allowance = g.Fleet.Take(ctx, caller.Bucket(), rate)
	} else {
		reply.Allowance = g.Buckets.TakeAt(reply.arrival, caller.Bucket(), rate)
	}

	if reply.Allowance.OK {
		return nil
	}

	p := problem.RateLimited.New("more requests came from this caller than its limit of %d a second (%d at once); "+
		"wait for the time in Retry-After", rate.N, rate.Burst)
	if caller.Plan == nil {
		p.Detail += ", or use a key for a higher limit"
	}

	return p.After(reply.Allowance.RetryAfter)
}

// RateOf returns the rate at which a caller may call: that of its plan, or that of anonymous callers.
func (g *Gateway) RateOf(caller *account.Caller) metering.Rate {
	if caller.Plan == nil {
		return g.Anonymous
	}
	return caller.Plan.Rate
}

// policy returns the rate limit of a plan, or of anonymous callers, as shown in headers.
func (g *Gateway) policy(plan *metering.Plan) *Policy {
	g.named.Do(func() {
		g.anonymous, g.policies = NewPolicy("anonymous", g.Anonymous), make(map[*metering.Plan]*Policy)
		for i := range g.Plans {
			g.policies[&g.Plans[i]] = NewPolicy(g.Plans[i].Code, g.Plans[i].Rate)
		}
	})

	if plan == nil {
		return g.anonymous
	}
	return g.policies[plan]
}
