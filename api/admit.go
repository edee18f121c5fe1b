package api

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

// admit takes a token from the caller's bucket.
func (g *Gateway) admit(ctx context.Context, caller *account.Caller, reply *Reply) error {
	rate := g.Anonymous
	if caller.Plan != nil {
		rate = caller.Plan.Rate
	}

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

	p.RetryAfter = reply.Allowance.RetryAfter
	return p
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
