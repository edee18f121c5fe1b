package webhook

import (
	"context"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/watch/store"
)

// maxBusy limits the deliveries of an endpoint in memory.
const maxBusy = 512

// deliveryID identifies a delivery of a webhook.
type deliveryID struct{ number, list int64 }

// endpoint sends the deliveries of one webhook, independently of the others. It ends when nothing is due.
type endpoint struct {
	d       *deliverer
	bell    work.Bell // something may be due
	tried   chan outcome
	settled chan deliveryID // recorded; it has room for all that are busy

	mu        sync.Mutex
	hook      store.Webhook
	isResumed bool // the pause is over

	// The fields below belong to serve.
	pace    pace
	waiting []store.Delivery
	busy    map[deliveryID]bool // waiting, being sent, or being recorded
	sending int
	dry     bool // nothing else is due
	stopped bool
}

// outcome is a delivery after an attempt, to be recorded.
type outcome struct {
	endpoint *endpoint
	delivery store.Delivery
	answer   answer
	changed  *store.Webhook // nil if the attempt does not change it
}

func newEndpoint(d *deliverer, hook store.Webhook) *endpoint {
	return &endpoint{
		d: d, hook: hook, bell: work.NewBell(), tried: make(chan outcome, maxInFlight),
		settled: make(chan deliveryID, 2*maxBusy+4*maxInFlight), pace: pace{atOnce: initialInFlight},
		busy: make(map[deliveryID]bool),
	}
}

// serve sends due deliveries. After the context ends it starts no request, and waits for those in flight.
func (e *endpoint) serve(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	stop := ctx.Done()
	for {
		if e.stopped {
			e.drop()
		} else if left := time.Until(e.pace.until); left > 0 {
			pause.Reset(left)
		} else {
			e.load(ctx)
			e.send()
		}

		if len(e.busy) == 0 && (e.dry || e.stopped) && e.d.leave(e) {
			return
		}

		select {
		case o := <-e.tried:
			e.finish(o)
		case id := <-e.settled:
			delete(e.busy, id)
			e.dry = false // a later event of the same company may be due now
		case <-e.bell:
			e.receive()
		case <-pause.C:
		case <-stop:
			stop, e.stopped = nil, true
		}
	}
}

// receive reads what other goroutines have left for serve.
func (e *endpoint) receive() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dry = false
	if e.isResumed {
		e.isResumed, e.pace.until = false, time.Time{}
	}
}

// load reads due deliveries when none is waiting.
func (e *endpoint) load(ctx context.Context) {
	if e.dry || len(e.waiting) > 0 || len(e.busy) >= maxBusy {
		return
	}

	e.mu.Lock()
	hook := e.hook
	e.mu.Unlock()

	// Deliveries in flight are still due in the store until they are recorded.
	limit := len(e.busy) + 4*e.pace.atOnce
	due, err := e.d.o.Store.DueDeliveries(ctx, &hook, time.Now(), limit)
	if err != nil {
		if ctx.Err() == nil {
			e.d.o.Logger.Warn("reading due deliveries failed; retrying", "webhook", hook.ID, "error", err)
		}

		e.dry = true // until the next wake-up
		return
	}

	for i := range due {
		if id := (deliveryID{due[i].Number, due[i].List}); !e.busy[id] {
			e.busy[id] = true
			e.waiting = append(e.waiting, due[i])
		}
	}

	e.dry = len(due) < limit
}

// send sends waiting deliveries, as many at the same time as the pace allows.
func (e *endpoint) send() {
	e.mu.Lock()
	hook := e.hook
	e.mu.Unlock()
	for e.sending < e.pace.atOnce && len(e.waiting) > 0 {
		v := e.waiting[0]
		e.waiting = e.waiting[1:]
		e.sending++
		go func() { e.tried <- e.d.try(e, &hook, v) }()
	}
}

// drop forgets the waiting deliveries. They stay due in the store.
func (e *endpoint) drop() {
	for i := range e.waiting {
		delete(e.busy, deliveryID{e.waiting[i].Number, e.waiting[i].List})
	}
	e.waiting = nil
}

// finish adjusts the pace after an attempt, and passes the outcome on for recording. A request that was cancelled does
// not count.
func (e *endpoint) finish(o outcome) {
	e.sending--
	if e.d.sending.Err() != nil && o.answer.Status == 0 {
		delete(e.busy, deliveryID{o.delivery.Number, o.delivery.List})
		e.stopped = true
		return
	}

	e.pace.note(&o.answer, time.Now())
	if e.pace.until.After(time.Now()) {
		e.drop()
		e.dry = false
	}

	e.assess(&o)
	e.d.outcomes <- o
}

// assess adds the webhook to the outcome, if the attempt changes it.
func (e *endpoint) assess(o *outcome) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.hook
	switch {
	case o.answer.Delivered:
		e.hook.FailingSince, e.hook.Accepted = time.Time{}, true
	case e.hook.FailingSince.IsZero():
		e.hook.FailingSince = o.answer.At
	}

	after := e.hook
	switch {
	case o.answer.isGone():
		after.Disabled = gone
	case !o.answer.Delivered && o.answer.At.Sub(after.FailingSince) >= disableAfter:
		after.Disabled = failing
	}

	e.stopped = e.stopped || after.Disabled != ""
	if after.FailingSince != before.FailingSince || after.Accepted != before.Accepted || after.Disabled != "" {
		o.changed = &after
	}
}
