package metering

import (
	"context"
	"sync/atomic"
)

// Hold is a reservation of credits for one call. The nil Hold belongs to a free call.
type Hold struct {
	ledger   *Ledger
	standing *standing
	charge   Charge
	released bool // the credits are no longer reserved
	stage    atomic.Int32

	// The writer's answer; read it after answered is closed.
	settlement Settlement
	err        error
	answered   chan struct{}
}

// The stages of a queued charge: the first transition from waiting decides whether the charge is made.
const (
	waiting   int32 = iota
	taken           // by the writer
	cancelled       // by its caller
)

// Settle charges the reserved credits after the call has succeeded, and returns the account's remaining credits, or
// Unlimited. Hit reports that no registry was queried. Once Settle returns without an error, the charge is durable. It
// counts towards the period in which it is written.
//
// Settle returns ErrExhausted if too few credits are left after all, or an error from ctx or the journal. After an
// error, the call must not be answered. If the caller leaves before the charge is written, no charge is made. Only
// ErrUncertain leaves open whether the charge was made.
func (h *Hold) Settle(ctx context.Context, hit bool) (remaining int64, err error) {
	defer h.Release()
	h.charge.Hit = hit
	select {
	case h.ledger.queue <- h:
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-h.ledger.quit:
		return 0, ErrClosed
	}

	select {
	case <-h.answered:
	case <-ctx.Done():
		if h.stage.CompareAndSwap(waiting, cancelled) {
			return 0, ctx.Err()
		}
		<-h.answered // it is being written
	case <-h.ledger.ended:
		if h.stage.CompareAndSwap(waiting, cancelled) {
			return 0, ErrClosed
		}
	}

	switch {
	case h.err != nil:
		return 0, h.err
	case !h.settlement.Charged:
		h.ledger.refused.Add(1)
		return 0, ErrExhausted
	}

	return h.settlement.Balance.Remaining(h.charge.Monthly), nil
}

// Split moves part of the hold's credits into a separate hold, to be settled while the call continues; there must be
// enough of them.
func (h *Hold) Split(credits int64) *Hold {
	h.charge.Credits -= credits
	part := &Hold{ledger: h.ledger, standing: h.standing, charge: h.charge, answered: make(chan struct{})}
	part.charge.Credits = credits
	h.charge.Continues = true
	return part
}

// Repeatable makes the charge part of a repeatable call under a key: see [Charge.Repeatable]. It returns the hold.
func (h *Hold) Repeatable(key string) *Hold {
	h.charge.Repeatable = key
	return h
}

// Release returns the reserved credits. Repeated calls, and calls after Settle, have no effect.
func (h *Hold) Release() {
	if h == nil || h.released {
		return
	}

	h.ledger.mu.Lock()
	defer h.ledger.mu.Unlock()
	h.releaseLocked()
}

// releaseLocked is Release for callers who hold the ledger's lock.
func (h *Hold) releaseLocked() {
	h.released = true
	h.standing.held -= h.charge.Credits
}
