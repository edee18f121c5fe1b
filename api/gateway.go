package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
)

// Gateway does operations for callers. What it holds belongs to one
// configuration; what its parts keep (buckets, caches, stores) outlives it.
type Gateway struct {
	// Keys looks up API keys.
	Keys Directory
	// Plans is the catalogue, in the order in which it is shown.
	Plans []metering.Plan
	// Anonymous is the rate of a caller without a key, for each address.
	Anonymous metering.Rate
	// Buckets are the callers' token buckets.
	Buckets *metering.Buckets
	// Observe, when set, is told of every call once it is answered.
	Observe func(context.Context, *Observation)
	Logger  *slog.Logger

	named    sync.Once
	policies map[*metering.Plan]*Policy // anonymous callers' under nil
}

// Directory looks up the API key that a secret belongs to. It answers
// account.ErrUnknownKey, or an error that wraps account.ErrStoreDown.
type Directory interface {
	Key(ctx context.Context, secret string) (account.Key, error)
}

// Call is a request as a channel hands it over.
type Call struct {
	// Channel is rest or mcp.
	Channel string
	Args    Args
	// Malformed is why the arguments could not be read; nil when they could.
	Malformed error
	// Authorization is the header of that name.
	Authorization string
	// Address is where the request comes from.
	Address netip.Addr
	// IfNoneMatch is the header of that name; only REST has it.
	IfNoneMatch string
	// RequestID is what the client calls the request, as RequestID reads it.
	RequestID string
}

// Observation is what there is to log and count about a call.
type Observation struct {
	Operation *Operation
	Channel   string
	Caller    account.Caller
	Reply     Reply
	// RequestID is the Call's.
	RequestID string
	// StaleBy is how far past its time the answer was; 0 when it was fresh.
	StaleBy time.Duration
	// Duration is the time from the call's arrival to its answer.
	Duration time.Duration

	asking asking
}

// Do answers a call. It never panics and never returns an error: whatever goes
// wrong is a problem in the reply.
func (g *Gateway) Do(ctx context.Context, op *Operation, call *Call) Reply {
	start := time.Now()
	seen := Observation{
		Operation: op, Channel: call.Channel, RequestID: call.RequestID,
		Caller: account.Caller{Address: call.Address}, Reply: Reply{Private: op.Cost > 0, Credits: -1},
	}
	if err := g.steps(ctx, op, call, &seen); err != nil {
		g.fail(ctx, op, call, &seen.Reply, err)
	}
	seen.Duration = time.Since(start)
	seen.Reply.at = start.Add(seen.Duration)
	if g.Observe != nil {
		seen.StaleBy = seen.Reply.staleBy(start)
		g.Observe(ctx, &seen)
	}
	return seen.Reply
}

// steps are the path of every call, in this order.
func (g *Gateway) steps(ctx context.Context, op *Operation, call *Call, seen *Observation) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	caller, reply := &seen.Caller, &seen.Reply
	if !op.Unmetered {
		if err := g.authenticate(ctx, call, caller, reply); err != nil {
			return err
		}
		if err := g.admit(caller, reply); err != nil {
			return err
		}
	}
	if call.Malformed != nil {
		return call.Malformed
	}
	in, err := op.bind(call.Args)
	if err != nil {
		return err
	}
	if err := entitle(op, caller); err != nil {
		return err
	}
	seen.asking = asking{ctx, caller}
	res, err := op.run(&seen.asking, *caller, in)
	if err != nil {
		return err
	}
	return reply.succeed(op, call, res)
}

// Authenticate finds out who calls, for a channel that has to know before there
// is an operation to do. The problem is the one that Do would answer the call
// with, and nil for a caller who may go on.
func (g *Gateway) Authenticate(ctx context.Context, call *Call) (account.Caller, *Problem) {
	caller := account.Caller{Address: call.Address}
	if err := g.authenticate(ctx, call, &caller, new(Reply)); err != nil {
		return caller, g.problem(ctx, "authenticate", call, err)
	}
	return caller, nil
}

// authenticate finds out who calls. A key that was sent and is not valid is
// never taken for no key. It draws on the bucket of its address, so that keys
// cannot be tried faster than anonymous calls can be made; valid keys from there
// are none the worse for it.
func (g *Gateway) authenticate(ctx context.Context, call *Call, caller *account.Caller, reply *Reply) error {
	if call.Authorization == "" {
		return nil
	}
	scheme, secret, _ := strings.Cut(call.Authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return Unauthorized.New("the Authorization header is of another scheme than Bearer; send \"Authorization: Bearer <key>\", or leave it out for free operations")
	}
	key, err := g.Keys.Key(ctx, strings.TrimSpace(secret))
	switch {
	case errors.Is(err, account.ErrUnknownKey):
		if err := g.admit(caller, reply); err != nil {
			return err
		}
		return Unauthorized.New("the key is not valid: it is mistyped, unknown, or revoked; send a valid one, or leave the Authorization header out for free operations")
	case errors.Is(err, account.ErrStoreDown):
		g.Logger.LogAttrs(ctx, slog.LevelError, "looking up a key", slog.Any("error", err))
		p := Unavailable.New("the key cannot be checked just now; try again shortly, or call free operations without a key")
		p.RetryAfter = 5 * time.Second
		return p
	case err != nil:
		return err
	}
	for i := range g.Plans {
		if g.Plans[i].Code == key.Plan {
			caller.Key, caller.Plan = &key, &g.Plans[i]
			return nil
		}
	}
	return fmt.Errorf("account %s has plan %q, which is not in the catalogue", key.Account, key.Plan)
}

// admit takes a token from the caller's bucket.
func (g *Gateway) admit(caller *account.Caller, reply *Reply) error {
	rate := g.Anonymous
	if caller.Plan != nil {
		rate = caller.Plan.Rate
	}
	reply.Policy = g.policy(caller.Plan)
	reply.Allowance = g.Buckets.Take(caller.Bucket(), rate)
	if reply.Allowance.OK {
		return nil
	}
	p := RateLimited.New("more than %d requests a second (%d at once) came from this caller; wait as Retry-After says", rate.PerSecond, rate.Burst)
	if caller.Key == nil {
		p.Detail += ", or use a key for a higher limit"
	}
	p.RetryAfter = reply.Allowance.RetryAfter
	return p
}

// policy is what the headers call the rate of a plan, or of anonymous callers.
func (g *Gateway) policy(plan *metering.Plan) *Policy {
	g.named.Do(func() {
		g.policies = map[*metering.Plan]*Policy{nil: NewPolicy("anonymous", g.Anonymous)}
		for i := range g.Plans {
			g.policies[&g.Plans[i]] = NewPolicy(g.Plans[i].Code, g.Plans[i].Rate)
		}
	})
	return g.policies[plan]
}

// entitle checks the caller's plan. Anonymous callers have what all plans have.
func entitle(op *Operation, caller *account.Caller) error {
	if op.Entitlement == "" || caller.Plan == nil || caller.Plan.Includes(op.Entitlement) {
		return nil
	}
	return EntitlementMissing.New("the plan %s does not include %s; choose a plan that does", caller.Plan.Name, op.Entitlement)
}

func (r *Reply) succeed(op *Operation, call *Call, res result) error {
	if res.document == nil {
		doc, err := EncodeDocument(res.value)
		if err != nil {
			return fmt.Errorf("encoding the answer of %s: %w", op.Name, err)
		}
		res.document = doc
	}
	r.Status, r.Document, r.Freshness = op.Success, res.document, res.Freshness
	if call.IfNoneMatch != "" && matches(call.IfNoneMatch, res.document.ETag()) {
		r.Status = http.StatusNotModified
	}
	return nil
}

// fail answers with an error.
func (g *Gateway) fail(ctx context.Context, op *Operation, call *Call, reply *Reply, err error) {
	reply.Problem = g.problem(ctx, op.Name, call, err)
	reply.Status = reply.Problem.Status()
}

// problem turns an error into a problem. A registry's failure and an internal
// error are logged here, once; the caller reads neither's cause.
func (g *Gateway) problem(ctx context.Context, operation string, call *Call, err error) *Problem {
	p, known := problemOf(err)
	switch {
	case !known:
		id := rand.Text()
		g.Logger.LogAttrs(ctx, slog.LevelError, "internal error",
			slog.String("operation", operation), slog.String("request_id", call.RequestID), slog.String("id", id), slog.Any("error", err))
		p = Internal.New("the service made a mistake; it is logged under the id %s", id)
		p.ID = id
	case p.Status() >= http.StatusBadGateway:
		g.Logger.LogAttrs(ctx, slog.LevelWarn, "not answered",
			slog.String("operation", operation), slog.String("request_id", call.RequestID), slog.Int("status", p.Status()), slog.Any("error", err))
	}
	return p
}
