package vies

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/internal/vatid"
	"github.com/rodata/rodata/upstream"
)

// Register answers whether VAT numbers are valid, from the cache or from VIES. It implements api.VATNumbers.
type Register struct {
	facts *cache.Facts[Question, Verdict]
	lanes *Lanes
}

// Lanes are the queues and breakers of all member states. They outlive a Register.
type Lanes struct {
	of     map[vatid.State]*lane
	status keeper
}

// Options configure Lanes.
type Options struct {
	// Client asks VIES.
	Client *Client
	// Breaker says when a member state counts as down; the zero value is the defaults.
	Breaker upstream.BreakerSettings
}

// NewLanes returns the lanes of all states. Run keeps what VIES says of its own state.
func NewLanes(o Options) *Lanes {
	l := &Lanes{of: make(map[vatid.State]*lane, len(vatid.States)), status: newKeeper(o)}
	for _, state := range vatid.States {
		l.of[state] = newLane(state, o.Client.Check, o.Breaker)
	}
	return l
}

// NewRegister returns a register.
func NewRegister(c *cache.Cache, l *Lanes) *Register {
	r := &Register{lanes: l}
	r.facts = cache.ThroughLoader(c, cache.Kind{
		Name: Name, Fresh: validFor, StaleIfError: rememberedFor, Patience: stalePatience, Timeout: patience + 5*time.Second,
		// That a requester is refused is an answer, of which every question by an account would else cost another one.
		Unknown: invalidFor, ErrUnknown: api.ErrRequesterRefused,
	}, r.lanes.check)
	return r
}

// stalePatience is how long a caller waits for a new answer when an old one is stored.
const stalePatience = 3 * time.Second

func (l *Lanes) check(ctx context.Context, q Question, d cache.Demand) (Verdict, error) {
	return l.of[q.Number.State()].check(ctx, q, d)
}

// Check implements [api.VATNumbers].
func (r *Register) Check(ctx context.Context, asked api.VATQuestion) (api.Answer[*api.VATCheck], error) {
	caller := api.CallerOf(ctx)
	q := Question{Number: vatid.Number(asked.Number), Requester: vatid.Number(asked.Requester)}
	if q.Requester == "" {
		found, err := r.facts.Get(ctx, q)
		return r.answer(q, found, err)
	}

	if q.Owner = caller.Account(); q.Owner == "" { // nobody to keep it for
		v, err := r.lanes.check(ctx, q, cache.Demand{})
		found := cache.Found[Verdict]{Value: v, RetrievedAt: time.Now().UTC()}
		found.FreshUntil = found.RetrievedAt.Add(v.Lasts())
		if err == nil {
			return fresh(q, &found), nil
		}
		return r.withoutRequester(q, err)
	}
	found, err := r.facts.Get(ctx, q)
	if err != nil {
		return r.withoutRequester(q, err)
	}
	return r.answer(q, found, nil)
}

// withoutRequester answers when VIES could not be asked on behalf of a requester, or not in time. What is stored for all is
// then only the last known answer: it proves nothing, and the requester must not pay for it.
func (r *Register) withoutRequester(q Question, err error) (api.Answer[*api.VATCheck], error) {
	var f *api.Failure
	if !errors.As(err, &f) && !errors.Is(err, context.DeadlineExceeded) {
		return api.Answer[*api.VATCheck]{}, err
	}
	found, stored := r.facts.Peek(Question{Number: q.Number})
	if !stored {
		return api.Answer[*api.VATCheck]{}, err
	}
	return r.unknown(q, &found), nil
}

// answer is what a caller gets of an outcome.
func (r *Register) answer(q Question, found cache.Found[Verdict], err error) (api.Answer[*api.VATCheck], error) {
	if err != nil {
		return api.Answer[*api.VATCheck]{}, err
	}
	return r.told(q, &found), nil
}

// told is what a caller gets of an answer that may be stored for long.
func (r *Register) told(q Question, found *cache.Found[Verdict]) api.Answer[*api.VATCheck] {
	switch age := time.Since(found.RetrievedAt); {
	case found.Hit && !found.Stale:
		return stored(q, found)
	case !found.Stale:
		return fresh(q, found)
	case found.Value.Valid && age <= staleFor:
		return stale(q, found)
	}
	return r.unknown(q, found)
}
