package op

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
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
	TrustedOrigins web.Origins
	// Plans is the catalogue, in display order. The first one is the default plan, for new accounts and accounts on a
	// retired plan.
	Plans []metering.Plan
	// Anonymous is the rate limit of each address without a key.
	Anonymous metering.Rate
	// Buckets are the callers' token buckets.
	Buckets *metering.Buckets
	// Fleet holds the buckets shared by several edges, used instead of Buckets; nil for a single edge.
	Fleet *metering.FleetBuckets
	// Daily holds the daily allowances of an address without a key, in addition to its rate.
	Daily Daily
	// Allowances count their use; required if Daily has a limit.
	Allowances Allowances
	// Repeats remembers calls by their Idempotency-Key; required if there are keys or sessions.
	Repeats Repeats
	// Ledger charges the calls of accounts; required if there are keys or sessions.
	Ledger *metering.Ledger
	// Secret keys the entity tags of priced answers and the IDs of MCP sessions. All edges of a fleet have the same.
	Secret []byte
	// Uploads receive large bodies; required if an operation takes a file.
	Uploads *Uploads
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

// Sessions looks up the session of a Cookie header of a request to the service's own origin. Its errors are
// account.ErrNoSession and errors that wrap account.ErrStoreDown.
type Sessions interface {
	Session(ctx context.Context, site, cookie string) (account.Session, error)
}

// Do answers a call. It never panics or returns an error: failures are problems in the reply.
func (g *Gateway) Do(ctx context.Context, op *Operation, call *Call) *Reply {
	seen := observe(ctx, op, call, time.Now())
	return g.finish(ctx, call, seen, g.steps(ctx, op, call, seen))
}

// finish turns an error into a problem, and reports the outcome of the call.
func (g *Gateway) finish(ctx context.Context, call *Call, seen *Observation, err error) *Reply {
	if err != nil {
		g.fail(ctx, seen.Operation, call, &seen.Reply, err)
	}

	g.setRemaining(ctx, &seen.Caller, &seen.Reply)
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

// steps runs a call through all steps, in order.
func (g *Gateway) steps(ctx context.Context, op *Operation, call *Call, seen *Observation) (err error) {
	defer panics.Recover(&err)
	if !op.Unmetered {
		if err := g.accept(ctx, op, call, seen); err != nil {
			return err
		}
	}

	in, err := g.read(ctx, op, call, seen)
	defer seen.envelope.Upload.Close()
	if err != nil {
		return err
	}
	if err := entitle(op, &seen.Caller); err != nil {
		return err
	}

	switch {
	case op.HasRows():
		return g.answerByRow(&seen.context, op, call, in, seen)
	case call.Follower != nil && op.follow != nil:
		return g.streamPages(&seen.context, op, call, in, seen)
	case op.sells:
		return g.sell(op, call, in, seen)
	}

	return g.answer(ctx, op, call, in, seen)
}

// accept determines who calls, takes a token of the caller's rate limit, and checks that the caller may call the
// operation.
func (g *Gateway) accept(ctx context.Context, op *Operation, call *Call, seen *Observation) error {
	caller, reply := &seen.Caller, &seen.Reply
	if err := g.authenticate(ctx, op, call, caller, reply); err != nil {
		return err
	}

	// The headers describe the account, so they must not reach shared caches.
	reply.Private = reply.Private || caller.Plan != nil
	if !call.Admitted {
		if err := g.admitCall(ctx, op, call, caller, reply); err != nil {
			return err
		}
	}

	return g.permit(op, call, caller)
}

// answer runs an operation with one answer, and charges for it.
func (g *Gateway) answer(ctx context.Context, op *Operation, call *Call, in any, seen *Observation) error {
	caller, reply := &seen.Caller, &seen.Reply
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

	if err := op.run(seen, in); err != nil {
		return err
	}

	g.succeed(op, call, reply)
	if reply.free {
		hold.Release()
		hold = nil
	}
	if reply.Status != http.StatusNotModified && !reply.free {
		share.keep(op.Cost)
	}

	return g.settle(ctx, op, caller, hold, reply)
}

// entitle checks the caller's plan. Anonymous callers have the entitlements of all plans.
func entitle(op *Operation, caller *account.Caller) error {
	if op.Entitlement == "" || caller.Plan == nil || caller.Plan.Includes(op.Entitlement) {
		return nil
	}
	return problem.EntitlementMissing.New("the plan %s does not include %s; choose a plan that does", caller.Plan.Name,
		op.Entitlement)
}

// succeed sets the status and the entity tag of an answer.
func (g *Gateway) succeed(op *Operation, call *Call, r *Reply) {
	r.Status = cmp.Or(r.status, op.Success)
	if r.Document == nil || r.Personal {
		return
	}

	r.tag = g.tag(op, call, r.Document, r.provided)
	if named := unchangedTag(op, call, r.tag); named != nil {
		r.Status, r.tag = http.StatusNotModified, named
	}
}

// fail turns the reply into a problem.
func (g *Gateway) fail(ctx context.Context, op *Operation, call *Call, reply *Reply, err error) {
	reply.Problem = g.problem(ctx, op.Name, call, err)
	reply.Status = reply.Problem.Status()
	reply.Value, reply.Document, reply.Freshness = nil, nil, Freshness{} // from an answer that could not be charged
}

// problem turns an error into a problem. Registries' failures and internal errors are logged
// here, once; their causes are never sent.
func (g *Gateway) problem(ctx context.Context, operation string, call *Call, err error) *problem.Problem {
	p, known := ProblemOf(err)
	switch {
	case !known:
		p = InternalProblem(ctx, g.Logger, err, slog.String("operation", operation),
			slog.String("request_id", call.RequestID))
	case p.Status() >= http.StatusBadGateway:
		g.Logger.LogAttrs(ctx, slog.LevelWarn, "not answered",
			slog.String("operation", operation), slog.String("request_id", call.RequestID),
			slog.Int("status", p.Status()), slog.Any("error", err))
	}

	return p
}
