package webhook

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/watch/store"
)

const (
	// pollInterval is the interval at which the leader checks for due deliveries without being woken, because other
	// edges queue some as well.
	pollInterval = 5 * time.Second
	// checkGap is the minimum time between two checks, so that a stream of events does not cause one check each.
	checkGap = 50 * time.Millisecond
	// grace is the time that requests in flight may take after the leader stops.
	grace = 5 * time.Second
	// recordedAtOnce is the maximum number of attempts recorded in one transaction.
	recordedAtOnce = 500
)

// deliverer sends due deliveries to all endpoints while this process leads.
type deliverer struct {
	*Webhooks
	sending  context.Context // of requests; it ends a little later than the leader's context
	outcomes chan outcome

	mu        sync.Mutex
	endpoints map[int64]*endpoint // being served
	running   sync.WaitGroup
}

// deliver runs while this process leads; see [lease.Lead].
func (w *Webhooks) deliver(ctx context.Context) {
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	d := &deliverer{
		Webhooks: w, sending: sending, outcomes: make(chan outcome, recordedAtOnce),
		endpoints: make(map[int64]*endpoint),
	}
	w.leading.Store(d)
	defer w.leading.Store(nil)

	var recording sync.WaitGroup
	recording.Go(func() { d.record(ctx) })
	d.lead(ctx)

	timer := time.AfterFunc(grace, cancel)
	d.running.Wait()
	timer.Stop()
	close(d.outcomes)
	recording.Wait()
}

// lead runs while this process is the leader: it sends deliveries as they become due, until the context ends.
func (d *deliverer) lead(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		changed := d.o.Hub.Wait()
		timer.Reset(d.check(ctx))
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-d.bell:
		case <-timer.C:
		}

		if work.Sleep(ctx, checkGap) != nil {
			return
		}
	}
}

// check starts serving every endpoint with due deliveries, and returns the time until the next deliveries are due.
func (d *deliverer) check(ctx context.Context) time.Duration {
	now := time.Now()
	due, err := d.o.Store.DueWebhooks(ctx, now)
	if err != nil {
		if ctx.Err() == nil {
			d.o.Logger.Warn("reading due deliveries failed; retrying in 5 seconds", "error", err)
		}
		return pollInterval
	}

	for _, hook := range due {
		d.serve(ctx, hook)
	}

	d.notifyOwners(ctx)
	next, err := d.o.Store.NextDelivery(ctx, now)
	if err != nil || next.IsZero() {
		return pollInterval
	}

	return min(max(time.Until(next), 0), pollInterval)
}

// serve starts serving an endpoint, or wakes it if it is being served.
func (d *deliverer) serve(ctx context.Context, hook store.Webhook) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.endpoints[hook.Ordinal]; e != nil {
		e.mu.Lock()
		e.hook = hook
		e.mu.Unlock()
		e.bell.Ring()
		return
	}

	e := newEndpoint(d, hook)
	d.endpoints[hook.Ordinal] = e
	d.running.Go(func() { e.serve(ctx) })
}

// leave stops serving an endpoint, unless it has been woken in the meantime.
func (d *deliverer) leave(e *endpoint) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(e.bell) > 0 && !e.stopped {
		return false
	}

	delete(d.endpoints, e.hook.Ordinal)
	return true
}

// resume ends the pause of an endpoint at once.
func (d *deliverer) resume(hook int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.endpoints[hook]; e != nil {
		e.mu.Lock()
		e.isResumed = true
		e.mu.Unlock()
		e.bell.Ring()
	}
}

// try sends a delivery and decides when to retry it. A panic counts as a failure, so that one event cannot crash the
// server repeatedly.
func (d *deliverer) try(e *endpoint, hook *store.Webhook, v store.Delivery) (o outcome) {
	v.Tries++
	defer func() {
		if p := recover(); p != nil {
			d.o.Logger.Error("sending an event panicked", "webhook", hook.ID, "event", v.Event.ID, "panic",
				fmt.Sprint(p))
			o.answer = failed("an internal error occurred")
		}

		v.Attempt, v.DueAt = o.answer.Attempt, time.Time{}
		if !v.Delivered && !schedule.IsExhausted(v.Tries) {
			v.DueAt = v.At.Add(max(jitter(schedule.After(v.Tries)), o.answer.wait))
		}
		o.endpoint, o.delivery = e, v
	}()

	if reason := deletedReason(&v); reason != "" {
		v.Tries = len(schedule) + 1 // no retry
		return outcome{answer: failed(reason)}
	}
	return outcome{answer: d.attempt(d.sending, hook, v)}
}

// deletedReason returns the reason why an event can no longer be sent: it or its watch-list was deleted after it was
// queued. It is empty if neither was.
func deletedReason(v *store.Delivery) string {
	switch {
	case v.Event.ID == "":
		return "the event has been deleted"
	case v.List != 0 && v.Event.Data.Watchlist == nil:
		return "its watch-list has been deleted"
	}

	return ""
}

// attempt posts an event to an endpoint.
func (w *Webhooks) attempt(ctx context.Context, hook *store.Webhook, v store.Delivery) answer {
	// The operator may have disallowed private endpoints since this one was accepted.
	if err := w.o.Endpoints.Check(hook.URL); err != nil {
		return failed(err.Error())
	}

	k, err := w.open(hook)
	if err != nil {
		w.o.Logger.Error("decrypting the secrets of a webhook failed", "webhook", hook.ID, "error", err)
		return failed("its secret cannot be read on this installation; rotate it")
	}

	body, err := bodyOf(v.Event)
	if err != nil {
		return failed("the event cannot be written as JSON")
	}

	a := w.sender.send(ctx, hook.URL, k, v.Event.ID, body)
	if a.detail != "" {
		w.o.Logger.Debug("the endpoint of a webhook must not be called", "webhook", hook.ID, "detail", a.detail)
	}

	return a
}

// results are the names of the states after an attempt in the metrics.
var results = map[monitoring.DeliveryState]string{
	monitoring.Delivered: "delivered", monitoring.Failed: "failed", monitoring.Pending: "retried",
}

// record records attempts, many in a transaction, until the channel is closed. An attempt that cannot be recorded is
// repeated.
func (d *deliverer) record(ctx context.Context) {
	for first := range d.outcomes {
		all := []outcome{first}
		for len(all) < recordedAtOnce && len(d.outcomes) > 0 {
			all = append(all, <-d.outcomes)
		}

		d.write(ctx, all)
		for _, o := range all {
			d.o.Meter(results[o.delivery.State()])
			o.endpoint.settled <- deliveryID{o.delivery.Number, o.delivery.List}
		}
	}
}

// write records attempts. It retries until it succeeds or this process no longer leads.
func (d *deliverer) write(ctx context.Context, all []outcome) {
	tried := make([]store.Delivery, len(all))
	latest := make(map[int64]store.Webhook)
	for i := range all {
		tried[i] = all[i].delivery
		if w := all[i].changed; w != nil && latest[w.Ordinal].Disabled == "" {
			latest[w.Ordinal] = *w
		}
	}

	changed := slices.Collect(maps.Values(latest))
	for {
		writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		err := d.o.Store.Settle(writing, tried, changed)
		cancel()
		if err == nil {
			break
		}

		d.o.Logger.Warn("recording deliveries failed; they may be sent twice", "count", len(tried), "error", err)
		if work.Sleep(ctx, time.Second) != nil {
			return
		}
	}

	if len(changed) > 0 {
		d.Wake() // notifies the owners
	}
}
