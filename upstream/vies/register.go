package vies

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rodata/rodata/api/vat"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// Register answers whether VAT numbers are valid, from the cache or from VIES. It implements vat.Numbers.
type Register struct {
	facts *cache.Facts[Question, Result]
	// once holds answers that concurrent callers share but that are never stored: answers for a requester without an
	// account.
	once  *cache.Facts[Question, sharedAnswer]
	lanes *Lanes
}

// Lanes are the queues and breakers of all member states. They outlive a Register.
type Lanes struct {
	of     map[ro.MemberState]*lane
	status poller

	mu          sync.Mutex
	shutUntil   time.Time // no state is asked before this time
	shutBecause error
}

// Querier queries VIES once. It is implemented by *Client.
type Querier interface {
	Check(context.Context, Question) (Result, error)
	Availability(context.Context) (Availability, error)
}

// Options configure Lanes.
type Options struct {
	// Client queries VIES, usually a *Client.
	Client Querier
	// Breaker configures the breakers of the member states; the zero value has the defaults.
	Breaker upstream.BreakerSettings
}

// NewLanes returns the lanes of all states. Run keeps their copy of VIES's own status up to date.
func NewLanes(o Options) *Lanes {
	l := &Lanes{of: make(map[ro.MemberState]*lane, len(ro.MemberStates)), status: newPoller(o)}
	for _, state := range ro.MemberStates {
		l.of[state] = newLane(state, l, o)
	}
	return l
}

// NewRegister returns a register.
func NewRegister(c *cache.Cache, l *Lanes) *Register {
	r := &Register{lanes: l}
	r.facts = cache.Through(c, cache.Kind{
		Name: Name, Fresh: validFor, StaleIfError: rememberedFor, Patience: patience, Timeout: flightTime,
		// A refused requester is cached too. Otherwise each of the account's questions would cause a request.
		Unknown: invalidFor, ErrUnknown: vat.ErrRequesterRefused,
	}, r.lanes.check)
	r.once = cache.Through(c, cache.Kind{Name: Name + "-once", Timeout: flightTime},
		func(ctx context.Context, q Question, d cache.Demand) (sharedAnswer, error) {
			v, err := r.lanes.check(ctx, q, d)
			return sharedAnswer{v}, err
		})
	return r
}

// flightTime is the deadline of a flight. It leaves a question enough time for its turn, for its attempts, and for the
// last attempt to end, so that it never cancels a question on the wire.
const flightTime = turnPatience + 2*patience + 10*time.Second

// sharedAnswer is an answer that concurrent callers share and that is not stored.
type sharedAnswer struct {
	Answer Result `json:"answer"`
}

// blockedReason returns the reason why no state may be queried now. It returns nil if states may be queried.
func (l *Lanes) blockedReason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.shutUntil) {
		return l.shutBecause
	}

	return nil
}

// backOff pauses all lanes because of an answer that concerns VIES as a whole. A block of our address fails every
// question for a minute.
func (l *Lanes) backOff(c *cause, err error) {
	if c.reason == vat.VIESBlocked {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.shutUntil, l.shutBecause = time.Now().Add(downPause), err
		return
	}

	for _, lane := range l.of {
		lane.turns.backOff(err)
	}
}

func (l *Lanes) check(ctx context.Context, q Question, d cache.Demand) (Result, error) {
	return l.of[q.Number.State()].check(ctx, q, d)
}

// Check implements [vat.Numbers].
func (r *Register) Check(ctx context.Context, asked vat.Question) (op.Answer[*vat.VATCheck], error) {
	caller := op.CallerOf(ctx)
	q := Question{Number: asked.Number, Requester: asked.Requester}
	if q.Requester != "" {
		q.Owner = caller.Account()
	}

	found, err := r.get(ctx, q)
	switch {
	case err == nil:
		return r.answer(q, &found), nil
	case q.Requester != "":
		return r.withoutRequester(q, err)
	}

	return op.Answer[*vat.VATCheck]{}, err
}

// get returns the stored answer, or waits for a new one. The look-up continues after the caller's deadline.
func (r *Register) get(ctx context.Context, q Question) (found cache.Found[Result], err error) {
	shared := q.Requester == "" || q.Owner != ""
	if shared {
		if found, ok, err := r.facts.Stored(ctx, q); ok {
			return found, err
		}
	}

	ctx, cancel := context.WithTimeoutCause(ctx, patience, cache.ErrUnattended)
	defer cancel()
	if shared {
		found, err = r.facts.Get(ctx, q)
	} else {
		var passed cache.Found[sharedAnswer]
		passed, err = r.once.Get(ctx, q)
		found = cache.Found[Result]{Value: passed.Value.Answer, RetrievedAt: passed.RetrievedAt}
		found.FreshUntil = found.RetrievedAt.Add(found.Value.Lasts())
	}

	found.Failure = r.explainTimeout(q, found.Failure)
	return found, r.explainTimeout(q, err)
}

// explainTimeout converts the error of a check that missed its deadline.
func (r *Register) explainTimeout(q Question, err error) error {
	_, failed := errors.AsType[*op.Failure](err)
	if failed || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return r.lanes.of[q.Number.State()].lateFailure(err)
}

// withoutRequester answers if VIES could not be queried on behalf of a requester, or not in time. It returns the shared
// stored answer as the last known one. Such an answer proves nothing, so it is free.
func (r *Register) withoutRequester(q Question, err error) (op.Answer[*vat.VATCheck], error) {
	_, failed := errors.AsType[*op.Failure](err)
	found, stored := r.facts.Peek(Question{Number: q.Number})
	if !failed || !stored {
		return op.Answer[*vat.VATCheck]{}, err
	}

	found.Failure = err
	return unknownAnswer(q, &found), nil
}

// answer converts a stored result, which may be old, to an answer for a caller.
func (r *Register) answer(q Question, found *cache.Found[Result]) op.Answer[*vat.VATCheck] {
	switch age := time.Since(found.RetrievedAt); {
	case found.Hit && !found.Stale:
		return storedAnswer(q, found)
	case !found.Stale:
		return checkAnswer(q, found, op.Miss)
	case found.Value.Valid && age <= staleFor:
		return checkAnswer(q, found, op.Hit)
	}

	return unknownAnswer(q, found)
}
