package op

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
)

// Daily holds the daily (UTC) allowances of an address without a key, for calls that would cost credits with a key. The
// zero value means no limit.
type Daily struct {
	// Companies is the number of such calls; 0 means no limit.
	Companies int
	// Pages is the number of such calls by the service's own pages on behalf of an address, counted separately.
	Pages int
}

// Allowances counts the daily usage of networks; metering.Days and metering.FleetDays implement it.
type Allowances interface {
	// Take reserves n calls of a network's daily limit, or none if fewer than n are left. The function that it
	// returns, which is never nil, gives unused calls back.
	Take(ctx context.Context, id metering.BucketID, n, limit int) (_ metering.Quota, giveBack func(unused int))
}

// The names of the allowances, in headers and counters.
const (
	companiesQuota = "companies"
	pagesQuota     = "pages"
)

// share is the reservation of an anonymous call in the daily allowance of its address. It is nil for calls that do not
// count.
type share struct {
	reply    *Reply
	unused   int // of the reserved calls
	giveBack func(unused int)
}

// takeShare reserves the cost of an anonymous call in the daily allowance. As with credits, only answers with data
// count in the end.
func (g *Gateway) takeShare(ctx context.Context, op *Operation, call *Call, caller *account.Caller, cost int,
	reply *Reply) (*share, error) {
	if g.Daily.Companies == 0 || cost == 0 || caller.Plan != nil || call.Counted {
		return nil, nil
	}

	name, limit := companiesQuota, g.Daily.Companies
	if call.OwnPage {
		name, limit = pagesQuota, g.Daily.Pages
	}

	id := caller.Bucket()
	id.Account = name
	quota, giveBack := g.Allowances.Take(ctx, id, cost, limit)
	reply.Quota, reply.quotaName = quota, name
	if quota.OK {
		return &share{reply, cost, giveBack}, nil
	}

	return nil, g.usedUpProblem(call, &quota, cost)
}

// usedUpProblem is the problem of an exhausted allowance; it says when it is renewed, and describes the benefits of a
// key.
func (g *Gateway) usedUpProblem(call *Call, q *metering.Quota, cost int) *problem.Problem {
	who := "each address without a key can make"
	if call.OwnPage {
		who = "this site looks up for each visitor without an account"
	}

	left := "today's are used up"
	if q.Remaining > 0 {
		left = fmt.Sprintf("%d of today's are left, fewer than the %d in this list: request at most %d", q.Remaining,
			cost, q.Remaining)
	}

	return problem.RateLimited.New("%s %d company calls a day, and %s. An account with a key has its own limits: %s. "+
		"Sign up at /dashboard/sign-up and send the key as \"Authorization: Bearer <key>\", or wait until 00:00 "+
		"UTC. Free operations still work",
		who, q.Limit, left, g.offers()).After(q.Reset)
}

// offers describes the default plan and the plans for sale.
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

// keep records that a number of the reserved calls are used.
func (s *share) keep(calls int) {
	if s != nil {
		s.unused -= calls
	}
}

// release returns the reserved calls that were not used.
func (s *share) release() {
	if s == nil || s.unused == 0 {
		return
	}

	s.giveBack(s.unused)
	s.reply.Quota.Remaining += s.unused
}

// daySeconds is the window of a daily allowance.
const daySeconds = int(24 * time.Hour / time.Second)

// quotaPolicy returns the allowance as a second item of the RateLimit-Policy header.
func (r *Reply) quotaPolicy() string {
	return fmt.Sprintf(`, "%s";q=%d;w=%d`, r.quotaName, r.Quota.Limit, daySeconds)
}

// quotaState returns the allowance as a second item of the RateLimit header.
func (r *Reply) quotaState() string {
	return fmt.Sprintf(`, "%s";r=%d;t=%d`, r.quotaName, r.Quota.Remaining, r.QuotaSeconds())
}

// QuotaSeconds returns the seconds until the daily allowance is renewed, rounded up.
func (r *Reply) QuotaSeconds() int { return problem.Seconds(r.Quota.Reset) }

// QuotaName returns the name of the daily allowance that the call counted against: companies or pages, or an empty
// string.
func (r *Reply) QuotaName() string { return r.quotaName }
