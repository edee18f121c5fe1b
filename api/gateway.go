package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/internal/weburl"
	"github.com/rodata/rodata/metering"
)

// Gateway runs operations for callers. Its fields belong to one configuration; the state behind them (buckets, caches,
// stores) survives reloads.
type Gateway struct {
	// Keys looks up API keys.
	Keys Directory
	// Tokens looks up OAuth access tokens, which MCP clients send instead of a key; nil without OAuth.
	Tokens Directory
	// Sessions looks up browsers' sessions; nil if sign-in is disabled.
	Sessions Sessions
	// TrustedOrigins are the origins whose pages may act with a session, besides the service's own.
	TrustedOrigins weburl.Origins
	// Plans is the catalogue, in display order. The first one is the default plan, for new accounts and accounts on a
	// retired plan.
	Plans []metering.Plan
	// Anonymous is the rate limit of each address without a key.
	Anonymous metering.Rate
	// Buckets are the callers' token buckets.
	Buckets *metering.Buckets
	// Fleet has the buckets shared by several edges, used instead of Buckets; nil for a single edge.
	Fleet *metering.FleetBuckets
	// Daily has the daily allowances of an address without a key, in addition to its rate.
	Daily Daily
	// Allowances count their use; required if Daily has a limit.
	Allowances Allowances
	// Repeats remembers calls by their Idempotency-Key; required if there are keys or sessions.
	Repeats Repeats
	// Ledger charges the calls of accounts; required if there are keys or sessions.
	Ledger *metering.Ledger
	// Observe, if set, is called with every answered call.
	Observe func(context.Context, *Observation)
	Logger  *slog.Logger

	named     sync.Once
	policies  map[*metering.Plan]*Policy
	anonymous *Policy
	retired   sync.Map // codes of retired plans already logged
}

// Directory looks up API keys by their secrets, for a caller at an address. Its errors are account.ErrUnknownKey,
// *account.TooManyGuesses, and errors that wrap account.ErrStoreDown.
type Directory interface {
	KeyFrom(ctx context.Context, secret string, from netip.Addr) (account.Key, error)
}

// Sessions looks up the session of a Cookie header. Its errors are account.ErrNoSession and
// errors that wrap account.ErrStoreDown.
type Sessions interface {
	Session(ctx context.Context, cookie string) (account.Session, error)
}

// Call is a request as a channel passes it on.
type Call struct {
	// Channel is rest, mcp, compat or site.
	Channel string
	// Caller is the result of Authenticate for the same headers, if the channel has called it; nil lets Do
	// authenticate.
	Caller *account.Caller
	// InPath are the arguments in the URL's path.
	InPath PathArgs
	// Args are the other arguments.
	Args Args
	// Malformed is the error of parsing the arguments, if there was one.
	Malformed error
	// Body reads a further argument, which may be slow and use much memory; nil for none. It is called once the caller
	// has been authenticated and may make the call.
	Body func() (Arg, error)
	// Authorization and APIKey are the headers Authorization and x-api-key. Either may contain a key.
	Authorization, APIKey string
	// Cookie is the Cookie header. Only operations with Spec.Account use it, and calls with BySession.
	Cookie string
	// BySession lets the session of Cookie make a call that needs no account. The channel must
	// have verified that no page of another site made the browser send the request.
	BySession bool
	// Origin and FetchSite are the headers Origin and Sec-Fetch-Site, which identify the page that made a browser send
	// the request; empty if absent.
	Origin, FetchSite string
	// Site is the service's own origin as in the request; it may be empty if Origin is.
	Site string
	// Address is the address of the client.
	Address netip.Addr
	// OwnPage reports that one of the service's own pages sends the request on a visitor's behalf. The channel must
	// have verified it: see Daily.Pages.
	OwnPage bool
	// Admitted reports that the call is part of a page rendered by one of the service's own channels, and that an
	// earlier call for it was admitted: it takes no token of the rate limit. Costs and daily allowances still apply.
	Admitted bool
	// IfNoneMatch is the If-None-Match header, in REST only.
	IfNoneMatch string
	// Head reports that only the headers of the answer are requested.
	Head bool
	// Media is the requested media type, one of the operation's Alternates; empty for JSON.
	Media string
	// BaseURL is the service's address as in the request, for links in rows and alternates.
	BaseURL string
	// Rows receives the rows of an answer as they become known, InOrder in their order; nil collects them in one
	// document: JSON, or a Table.
	Rows    RowWriter
	InOrder bool
	Table   *Table
	// Follower receives the items of a Followable operation as they arise; nil for a single page.
	Follower *Follower
	// IdempotencyKey is the Idempotency-Key header: a repeated call with the same key is not charged again for rows
	// already paid.
	IdempotencyKey string
	// Wait is the time that the caller prefers to wait for background work (Prefer: wait=10, RFC 7240).
	Wait time.Duration
	// RequestID is the client's ID of the request, as parsed by the function RequestID.
	RequestID string
}

// Observation has the facts about a call for logs and metrics.
type Observation struct {
	Operation *Operation
	Channel   string
	Caller    account.Caller
	Reply     Reply
	// RequestID is the Call's.
	RequestID string
	// StaleBy is how long the answer had been stale when the call arrived; 0 if it was fresh.
	StaleBy time.Duration

	asking  asking
	sent    sent
	payment *payment      // of an operation that charges its caller itself
	began   time.Duration // from arrival to the start of a stream
}

// Do answers a call. It never panics or returns an error: failures are problems in the reply.
func (g *Gateway) Do(ctx context.Context, op *Operation, call *Call) *Reply {
	seen := observe(ctx, op, call, time.Now())
	return g.finish(ctx, call, seen, g.steps(ctx, op, call, seen))
}

// observe begins to observe a call.
func observe(ctx context.Context, op *Operation, call *Call, start time.Time) *Observation {
	seen := &Observation{
		Operation: op, Channel: call.Channel, RequestID: call.RequestID,
		Caller: account.Caller{Address: call.Address},
		Reply: Reply{Private: op.Cost > 0, Shared: op.Cost == 0 && !op.Account && !op.Unmetered, Personal: op.Account,
			Credits: -1, arrival: start, media: call.Media, baseURL: call.BaseURL},
	}
	seen.asking, seen.sent = asking{ctx, seen}, sent{call.IdempotencyKey, call.Wait, call.Media}
	return seen
}

// finish turns an error into a problem, and reports the outcome of the call.
func (g *Gateway) finish(ctx context.Context, call *Call, seen *Observation, err error) *Reply {
	if err != nil {
		g.fail(ctx, seen.Operation, call, &seen.Reply, err)
	}

	g.remaining(ctx, &seen.Caller, &seen.Reply)
	start := seen.Reply.arrival
	seen.Reply.Duration = time.Since(start)
	if seen.began > 0 { // of a stream
		seen.Reply.Duration = seen.began
	}
	if g.Observe != nil {
		seen.StaleBy = seen.Reply.staleBy(start)
		g.Observe(ctx, seen)
	}

	return &seen.Reply
}

// recovered turns a panic into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = panicError(p)
	}
}

// steps runs a call through all steps, in order.
func (g *Gateway) steps(ctx context.Context, op *Operation, call *Call, seen *Observation) (err error) {
	defer recovered(&err)
	caller, reply := &seen.Caller, &seen.Reply
	if !op.Unmetered {
		if err := g.authenticate(ctx, op, call, caller, reply); err != nil {
			return err
		}
		// The headers describe the account, so they must not reach shared caches.
		reply.Private = reply.Private || caller.Plan != nil
		if !call.Admitted {
			if err := g.admit(ctx, caller, reply); err != nil {
				return err
			}
		}

		if err := g.permit(op, call, caller); err != nil {
			return err
		}
	}

	if call.Malformed != nil {
		return call.Malformed
	}

	if call.Body != nil {
		body, err := call.Body()
		if err != nil {
			return err
		}

		call.Args = append(call.Args, body)
	}

	in, err := op.bind(call.InPath, call.Args)
	if err != nil {
		return err
	}
	if err := entitle(op, caller); err != nil {
		return err
	}

	if op.ByRow() {
		return g.answerByRow(&seen.asking, op, call, in, seen)
	}
	if call.Follower != nil && op.follow != nil {
		return g.followed(&seen.asking, op, call, in, seen)
	}
	if op.sells {
		return g.sell(op, call, in, seen)
	}

	hold, err := g.reserve(ctx, op, caller, op.Cost, "")
	if err != nil {
		return err
	}
	defer hold.Release()

	share, err := g.takeShare(ctx, op, call, caller, op.Cost, reply)
	if err != nil {
		return err
	}
	defer share.release()

	if err := op.run(&seen.asking, *caller, in, reply); err != nil {
		return err
	}

	reply.succeed(op, call)
	if reply.free {
		hold.Release()
		hold = nil
	}
	if reply.Status != http.StatusNotModified && !call.Head && !reply.free {
		share.keep(op.Cost)
	}

	return g.settle(ctx, op, call, caller, hold, reply)
}

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
		"wait as Retry-After says", rate.N, rate.Burst)
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

// entitle checks the caller's plan. Anonymous callers have the entitlements of all plans.
func entitle(op *Operation, caller *account.Caller) error {
	if op.Entitlement == "" || caller.Plan == nil || caller.Plan.Includes(op.Entitlement) {
		return nil
	}
	return problem.EntitlementMissing.New("the plan %s does not include %s; choose a plan that does", caller.Plan.Name,
		op.Entitlement)
}

func (r *Reply) succeed(op *Operation, call *Call) {
	r.Status = cmp.Or(r.status, op.Success)
	if call.IfNoneMatch != "" && r.Document != nil && !r.Personal && NamesTag(call.IfNoneMatch, r.Document.ETag()) {
		r.Status = http.StatusNotModified
	}
}

// fail turns the reply into a problem.
func (g *Gateway) fail(ctx context.Context, op *Operation, call *Call, reply *Reply, err error) {
	reply.Problem = g.problem(ctx, op.Name, call, err)
	reply.Status = reply.Problem.Status()
	reply.Document, reply.Freshness = nil, Freshness{} // from an answer that could not be charged
}

// problem turns an error into a problem. Registries' failures and internal errors are logged
// here, once; their causes are never sent.
func (g *Gateway) problem(ctx context.Context, operation string, call *Call, err error) *problem.Problem {
	p, known := problemOf(err)
	switch {
	case !known:
		p = internalError(ctx, g.Logger, err, slog.String("operation", operation),
			slog.String("request_id", call.RequestID))
	case p.Status() >= http.StatusBadGateway:
		g.Logger.LogAttrs(ctx, slog.LevelWarn, "not answered",
			slog.String("operation", operation), slog.String("request_id", call.RequestID),
			slog.Int("status", p.Status()), slog.Any("error", err))
	}

	return p
}
