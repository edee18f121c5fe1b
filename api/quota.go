package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

// Daily is what each address may have in a day (UTC) without a key, of the calls that
// cost credits with one. The zero value sets no limit.
type Daily struct {
	// Companies is how many such calls an address may make; 0 is no limit.
	Companies int
	// Pages is how many the service's own pages may make for those who have them open
	// at an address. They do not count as calls of the address.
	Pages int
}

// Allowances count what networks are given in a day; metering.Days and
// metering.FleetDays are some.
type Allowances interface {
	// Take gives a network n of the limit that it has in a day, or nothing. What turns
	// out not to be needed is given back with the function, which is not nil.
	Take(ctx context.Context, id metering.BucketID, n, limit int) (metering.Quota, func())
}

// The names of the allowances in headers, and of the counters.
const (
	companiesQuota = "companies"
	pagesQuota     = "pages"
)

// share is the part of its address's daily allowance that an anonymous call has
// reserved. It is nil for calls that do not count.
type share struct {
	reply    *Reply
	cost     int
	giveBack func()
	kept     bool
}

// takeShare takes the cost of an anonymous call from the day's allowance. As with
// credits, an answer with data counts in the end, and nothing else.
func (g *Gateway) takeShare(ctx context.Context, op *Operation, call *Call, caller *account.Caller, reply *Reply) (*share, error) {
	if g.Daily.Companies == 0 || op.Cost == 0 || caller.Plan != nil {
		return nil, nil
	}
	name, limit := companiesQuota, g.Daily.Companies
	if call.OwnPage {
		name, limit = pagesQuota, g.Daily.Pages
	}
	id := caller.Bucket()
	id.Account = name
	quota, giveBack := g.Allowances.Take(ctx, id, op.Cost, limit)
	reply.Quota, reply.quotaName = quota, name
	if quota.OK {
		return &share{reply, op.Cost, giveBack, false}, nil
	}
	return nil, g.usedUp(call, &quota)
}

// usedUp says what to do when the day's allowance is used up, and what a key gives.
func (g *Gateway) usedUp(call *Call, q *metering.Quota) *problem.Problem {
	who := "each address without a key may make"
	if call.OwnPage {
		who = "this site looks up for each visitor without an account"
	}
	p := problem.RateLimited.New("%s %d company calls a day, and those of today are used up. An account with a key has its own limits: %s. "+
		"Sign up at /dashboard/sign-up and send the key as \"Authorization: Bearer <key>\", or wait until 00:00 UTC. Operations that cost nothing go on working",
		who, q.Limit, g.offers())
	p.RetryAfter = q.Reset
	return p
}

// offers says what plans have, the first one and those that can be bought.
func (g *Gateway) offers() string {
	var all []string
	for i := range g.Plans {
		p := &g.Plans[i]
		if i > 0 && !p.Purchasable {
			continue
		}
		credits := "unlimited calls"
		if p.MonthlyCredits != metering.Unlimited {
			credits = strconv.FormatInt(p.MonthlyCredits, 10) + " company calls"
		}
		all = append(all, fmt.Sprintf("%s a month on the plan %s", credits, p.Name))
	}
	return strings.Join(all, ", ")
}

// settle keeps the share when the answer has sent data.
func (s *share) settle(call *Call) {
	if s != nil {
		s.kept = s.reply.Status != http.StatusNotModified && !call.Head
	}
}

// release gives back what was not kept.
func (s *share) release() {
	if s == nil || s.kept {
		return
	}
	s.giveBack()
	s.reply.Quota.Remaining += s.cost
}

// daySeconds is the window of a day's allowance.
const daySeconds = int(24 * time.Hour / time.Second)

// quotaPolicy is the allowance as a second item of the RateLimit-Policy header.
func (r *Reply) quotaPolicy() string {
	return fmt.Sprintf(`, "%s";q=%d;w=%d`, r.quotaName, r.Quota.Limit, daySeconds)
}

// quotaState is the allowance as a second item of the RateLimit header.
func (r *Reply) quotaState() string {
	return fmt.Sprintf(`, "%s";r=%d;t=%d`, r.quotaName, r.Quota.Remaining, r.QuotaSeconds())
}

// QuotaSeconds is in how many seconds the day's allowance is whole again, rounded up.
func (r *Reply) QuotaSeconds() int {
	return int((r.Quota.Reset + time.Second - 1) / time.Second)
}

// QuotaName is the name of the day's allowance that the call drew on: companies, or
// pages for the service's own; empty when it drew on none.
func (r *Reply) QuotaName() string { return r.quotaName }
