package metering

import (
	"context"
	"sync/atomic"
)

// Hold is credits that are set aside for one call. One caller uses it. The nil
// Hold is that of a call without a price.
type Hold struct {
	ledger   *Ledger
	standing *standing
	charge   Charge
	over     bool // nothing is set aside any more
	stage    atomic.Int32

	// The writer's answer, to be read once answered is closed.
	verdict  Verdict
	err      error
	answered chan struct{}
}

// The stages of a charge that is queued: the first to leave waiting decides
// whether it is made.
const (
	waiting int32 = iota
	taken         // by the writer
	given         // up by its caller
)

// Settle charges what was set aside, when the call has succeeded, and gives what
// the account has left after that, or Unlimited. Hit says that no registry had to
// be asked. When it returns without an error the charge is durable. It counts to
// the period in which it is made, whenever it was reserved. The error is
// ErrExhausted when too few credits were left after all, that of ctx, or the
// journal's; then the call must not be answered. A charge whose caller has gone
// before it is written is not made.
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
		if h.stage.CompareAndSwap(waiting, given) {
			return 0, ctx.Err()
		}
		<-h.answered // it is being written
	case <-h.ledger.ended:
		if h.stage.CompareAndSwap(waiting, given) {
			return 0, ErrClosed
		}
	}
	switch {
	case h.err != nil:
		return 0, h.err
	case !h.verdict.Charged:
		h.ledger.refused.Add(1)
		return 0, ErrExhausted
	}
	return h.verdict.Balance.Remaining(h.charge.Monthly), nil
}

// Release gives back what was set aside. After the first time, and after Settle,
// it does nothing.
func (h *Hold) Release() {
	if h == nil || h.over {
		return
	}
	h.ledger.mu.Lock()
	defer h.ledger.mu.Unlock()
	h.end()
}

// end is Release under the ledger's lock, for the user or for the writer that has
// taken the charge.
func (h *Hold) end() {
	h.over = true
	h.standing.held -= h.charge.Credits
}
