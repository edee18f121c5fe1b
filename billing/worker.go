package billing

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/internal/work"
)

const (
	// poll is the interval at which the store is checked for work left behind by other processes.
	poll = 30 * time.Second
	// claimLimit is the maximum number of items claimed at once. A process that dies leaves at most this many claimed.
	claimLimit = 1
	// stepTime bounds a piece of work. The lease is longer, to allow for clock skew between machines.
	stepTime  = 2 * time.Minute
	leaseTime = 4 * time.Minute
	// keepEvents is the time for which event IDs are kept. It is longer than the time within which Stripe can resend an
	// event.
	keepEvents = 90 * 24 * time.Hour
	// tidyInterval is the interval between checks for overdue subscriptions and old events.
	tidyInterval = time.Minute
	// signInInterval is the interval between checks of the token for RO e-Factura, which is renewed days before it
	// expires.
	signInInterval = time.Hour
)

// start begins the work on each queue that this process can work on.
func (b *Billing) start() {
	for q, claim := range map[store.Queue]func(context.Context) (int, error){
		store.Payments:  b.workPayments,
		store.Rendering: b.workInvoices(store.Rendering, b.renderInvoice),
		store.Sending:   b.workInvoices(store.Sending, b.sendInvoice),
	} {
		b.workers[q] = work.Worker{
			Name: q.String(), Work: claim, Poll: poll, Now: b.o.Now, Logger: b.o.Logger,
			NextDue: func(ctx context.Context) (time.Time, error) { return b.o.Store.NextDue(ctx, q) },
		}
	}

	active := []*work.Worker{&b.workers[store.Rendering]}
	if b.o.Stripe != nil && b.o.Seller != nil {
		active = append(active, &b.workers[store.Payments])
	}
	if b.sender != nil {
		active = append(active, &b.workers[store.Sending])
		b.pool.Repeat(b.signIn)
	}

	b.pool.Start(active...)
	b.pool.Repeat(b.tidy)
}

func (b *Billing) wake(q store.Queue) { b.workers[q].Wake() }

func (b *Billing) workPayments(ctx context.Context) (int, error) {
	now := b.o.Now()
	claimed, err := b.o.Store.ClaimPayments(ctx, now, now.Add(leaseTime), claimLimit)
	for _, p := range claimed {
		b.step(ctx, "payment "+p.ID, func(ctx context.Context) { b.settlePayment(ctx, p) })
	}

	return len(claimed), err
}

func (b *Billing) workInvoices(q store.Queue,
	work func(context.Context, store.Claim)) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		now := b.o.Now()
		claimed, err := b.o.Store.ClaimInvoices(ctx, q, now, now.Add(leaseTime), claimLimit)
		for _, c := range claimed {
			b.step(ctx, "invoice "+c.ID, func(ctx context.Context) { work(ctx, c) })
		}

		return len(claimed), err
	}
}

// step does one piece of work within its time limit. It recovers from a panic, so that one item cannot crash the server
// again and again.
func (b *Billing) step(ctx context.Context, what string, work func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			b.o.Logger.Error("background work panicked", "about", what, "panic", panics.Error(p))
		}
	}()

	work(ctx)
}

// write records the outcome of a piece of work. If the lease is lost, another process has taken over.
func (b *Billing) write(ctx context.Context, what string, save func(context.Context) error) (ok bool) {
	err := work.Write(ctx, save)
	if err != nil && !errors.Is(err, work.ErrLeaseLost) {
		b.o.Logger.Error("storing the outcome of background work failed", "about", what, "error", err)
	}
	return err == nil
}

// tidy ends subscriptions whose grace period is over, and deletes old events.
func (b *Billing) tidy(ctx context.Context) (pause time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	if b.o.Stripe != nil {
		if err := b.endGrace(ctx); err != nil {
			b.o.Logger.Warn("ending plans with overdue payments failed", "error", err)
		}
	}

	if err := b.o.Store.ForgetEvents(ctx, b.o.Now().Add(-keepEvents)); err != nil {
		b.o.Logger.Warn("deleting old events failed", "error", err)
	}

	return tidyInterval
}

// signIn renews the token for RO e-Factura before it expires, even if there is nothing to send.
func (b *Billing) signIn(ctx context.Context) (pause time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	if err := b.o.EFactura.SignIn(ctx); err != nil && !errors.Is(err, efactura.ErrRenewing) {
		b.o.Logger.Error("RO e-Factura: renewing the token failed", "again_in", signInInterval.String(), "error", err)
	}

	return signInInterval
}

// Close stops the work. Work in progress gets 5 seconds; the rest stays in the store.
func (b *Billing) Close() error {
	b.pool.Close()
	if b.o.Stripe != nil {
		b.o.Stripe.close()
	}
	return nil
}
