package billing

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/rodata/rodata/billing/efactura"
)

const (
	// poll is how often the store is asked without a reason: for what other
	// processes left behind.
	poll = 30 * time.Second
	// batch is how much is claimed at once: a process that dies leaves no more of it
	// until the lease ends.
	batch = 1
	// stepTime bounds a piece of work. The lease is longer by what the clocks of two
	// machines may be apart.
	stepTime  = 2 * time.Minute
	leaseTime = 4 * time.Minute
	// noteTime bounds one note of what was done.
	noteTime = 5 * time.Second
	// grace is what is under way gets when billing is closed.
	grace = 5 * time.Second
	// keepEvents is how long events are remembered: longer than Stripe can be made
	// to send them again.
	keepEvents = 90 * 24 * time.Hour
)

// start begins the work on each queue.
func (b *Billing) start(ctx context.Context) {
	for queue, work := range []func(context.Context) (int, error){
		Payments: b.workPayments, Rendering: b.workRendering, Sending: b.workSending,
	} {
		b.running.Go(func() {
			b.repeat(b.woken[queue], func() time.Duration { return b.drain(ctx, Queue(queue), work) })
		})
	}
	b.running.Go(func() { b.repeat(nil, func() time.Duration { return b.tidy(ctx) }) })
	if b.o.EFactura != nil {
		b.running.Go(func() { b.repeat(nil, func() time.Duration { return b.signIn(ctx) }) })
	}
}

// repeat works now, whenever it is woken, and after as long as the work says; until
// billing is closed.
func (b *Billing) repeat(woken <-chan struct{}, work func() time.Duration) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-woken:
		case <-timer.C:
		}
		timer.Reset(work())
	}
}

// wake tells a queue's worker that there is something to do.
func (b *Billing) wake(q Queue) {
	select {
	case b.woken[q] <- struct{}{}:
	default: // it has been told
	}
}

// able reports whether this process can work on a queue.
func (b *Billing) able(q Queue) bool {
	switch q {
	case Payments:
		return b.o.Stripe != nil && b.o.Seller != nil
	case Sending:
		return b.sender != nil
	}
	return true
}

// drain does all that is due in a queue and says how long there is nothing to do
// then.
func (b *Billing) drain(ctx context.Context, q Queue, work func(context.Context) (int, error)) time.Duration {
	for b.able(q) && !b.stopped() {
		due, err := b.o.Store.NextDue(ctx, q)
		if err != nil {
			b.o.Logger.Warn("what is to be invoiced cannot be read", "error", err)
			return poll
		}
		if due.IsZero() {
			return poll
		}
		if wait := due.Sub(b.o.Now()); wait > 0 {
			return min(wait, poll)
		}
		switch n, err := work(ctx); {
		case err != nil:
			b.o.Logger.Warn("what is to be invoiced cannot be claimed", "error", err)
			return poll
		case n == 0: // another process was faster
			return time.Second
		}
	}
	return poll
}

func (b *Billing) stopped() bool {
	select {
	case <-b.stop:
		return true
	default:
		return false
	}
}

func (b *Billing) workPayments(ctx context.Context) (int, error) {
	now := b.o.Now()
	claimed, err := b.o.Store.ClaimPayments(ctx, now, now.Add(leaseTime), batch)
	for _, p := range claimed {
		b.step(ctx, "payment "+p.ID, func(ctx context.Context) { b.settlePayment(ctx, p) })
	}
	return len(claimed), err
}

func (b *Billing) workRendering(ctx context.Context) (int, error) {
	return b.workInvoices(ctx, Rendering, b.renderInvoice)
}

func (b *Billing) workSending(ctx context.Context) (int, error) {
	return b.workInvoices(ctx, Sending, b.sendInvoice)
}

func (b *Billing) workInvoices(ctx context.Context, q Queue, work func(context.Context, Claimed)) (int, error) {
	now := b.o.Now()
	claimed, err := b.o.Store.ClaimInvoices(ctx, q, now, now.Add(leaseTime), batch)
	for _, c := range claimed {
		b.step(ctx, "invoice "+c.ID, func(ctx context.Context) { work(ctx, c) })
	}
	return len(claimed), err
}

// step does one piece of work within its time. A panic is logged: it must not take
// the server down, again and again.
func (b *Billing) step(ctx context.Context, what string, work func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			b.o.Logger.Error("panic", "about", what, "error", fmt.Sprintf("%v\n%s", p, debug.Stack()))
		}
	}()
	work(ctx)
}

// note writes down how a piece of work has ended, also when its time is over or
// billing is being closed.
func note(ctx context.Context, write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	return write(ctx)
}

// tidy ends what has outlived its time, and says when to look again.
func (b *Billing) tidy(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	if b.o.Stripe != nil {
		if err := b.endGrace(ctx); err != nil {
			b.o.Logger.Warn("plans whose payment is overdue cannot be ended", "error", err)
		}
	}
	if err := b.o.Store.ForgetEvents(ctx, b.o.Now().Add(-keepEvents)); err != nil {
		b.o.Logger.Warn("old events cannot be deleted", "error", err)
	}
	return time.Minute
}

// signInPause is how often the token for RO e-Factura is looked at; it is renewed days
// before it ends.
const signInPause = time.Hour

// signIn keeps the token for RO e-Factura from running out while there is nothing to
// send, and says when to look again.
func (b *Billing) signIn(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	if err := b.o.EFactura.SignIn(ctx); err != nil && !errors.Is(err, efactura.ErrRenewing) {
		b.o.Logger.Error("RO e-Factura: the token cannot be renewed", "again_in", signInPause.String(), "error", err)
	}
	return signInPause
}

// Close ends the work. What is just being done gets 5 seconds; the rest stays in the
// store.
func (b *Billing) Close() error {
	b.stopOnce.Do(func() { close(b.stop) })
	timer := time.AfterFunc(grace, b.cancel)
	b.running.Wait()
	timer.Stop()
	b.cancel()
	if b.o.Stripe != nil {
		b.o.Stripe.close()
	}
	return nil
}
