package metering

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/writebehind"
)

// Ledger charges credits in two steps. Reserve refuses a call without enough credits before any work is done.
// Hold.Settle charges a call after it has succeeded. Reserve checks a balance in memory; it queries the journal only
// for an account's first call. Several processes may share a journal, so this balance may be out of date. Settle is
// authoritative: the charge is durable in the Journal before it returns, and charges never exceed the credits.
//
// Concurrent charges are committed together (group commit): while one transaction is being written, the charges of the
// next one queue up.
type Ledger struct {
	journal Journal
	logger  *slog.Logger
	queue   chan *Hold
	quit    chan struct{}
	ended   chan struct{} // closed when the writer has stopped
	err     error         // the writer's last error; read it after ended is closed

	mu       sync.Mutex
	accounts map[string]*standing

	free *freeCalls
	counters
}

const (
	// maxBatch bounds the charges in one transaction.
	maxBatch = 512
	// writeTimeout bounds each transaction, and readTimeout each read of a balance.
	writeTimeout = 5 * time.Second
	readTimeout  = 5 * time.Second
	// recheckAfter is the minimum time between two reads of an account's balance. Newly granted credits of an account
	// that was refused take effect after at most this time.
	recheckAfter = time.Second
	// forgetAfter is the time for which an idle account is kept in memory.
	forgetAfter = 10 * time.Minute
)

// ErrUncertain reports that the journal failed while it wrote a charge, so the charge may have been made.
var ErrUncertain = errors.New("writing a charge")

// The errors of a charge that was not made.
var (
	// ErrExhausted: fewer credits are left than the charge needs.
	ErrExhausted = errors.New("the month's credits are used up")
	// ErrClosed: the ledger has been closed.
	ErrClosed = errors.New("the ledger is closed")
)

// NewLedger returns a ledger over a journal and starts its writer, which Close stops. The logger receives errors that
// no caller waits for.
func NewLedger(journal Journal, logger *slog.Logger) *Ledger {
	l := &Ledger{
		journal: journal, logger: logger,
		queue: make(chan *Hold, maxBatch), quit: make(chan struct{}), ended: make(chan struct{}),
		accounts: make(map[string]*standing),
	}
	l.free = writebehind.New(freeSum.plus, l.writeFree)
	go l.write()
	return l
}

// Close writes the queued charges and counts, and stops the writer. It must be called once, after the last call has
// returned; the journal may then be closed. It returns an error if free calls could not be counted.
func (l *Ledger) Close() error {
	close(l.quit)
	<-l.ended
	return l.err
}

// Reserve reserves the price of a call. The caller must settle or release the hold. It returns ErrExhausted if too few
// credits are left, or the reason why the balance is unknown.
func (l *Ledger) Reserve(ctx context.Context, c Charge) (*Hold, error) {
	now := time.Now()
	l.mu.Lock()
	s := l.standing(c.Account, now)
	reserved := s.reserve(&c)
	ask := !reserved && (s.recheck(now) || !s.known)
	l.mu.Unlock()
	if ask {
		if err := l.readBalance(ctx, s); err != nil {
			return nil, err
		}

		l.mu.Lock()
		reserved = s.reserve(&c)
		l.mu.Unlock()
	}

	if !reserved {
		l.refused.Add(1)
		return nil, ErrExhausted
	}

	return &Hold{ledger: l, standing: s, charge: c, answered: make(chan struct{})}, nil
}

// Remaining returns the credits that an account with a monthly allowance has left, as far as this process knows. It
// reports false if they are unknown or Unlimited.
func (l *Ledger) Remaining(ctx context.Context, account string, monthly int64) (int64, bool) {
	if monthly == Unlimited {
		return 0, false
	}

	now := time.Now()
	l.mu.Lock()
	s := l.standing(account, now)
	known, remaining, ask := s.known, s.balance.Remaining(monthly), !s.known && s.recheck(now)
	l.mu.Unlock()
	if !ask {
		return remaining, known
	}
	if l.readBalance(ctx, s) != nil {
		return 0, false // a charge will report the error
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	return s.balance.Remaining(monthly), true
}

func (l *Ledger) readBalance(ctx context.Context, s *standing) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	balance, err := l.journal.Balance(ctx, s.account, s.month.period())
	if err != nil {
		return fmt.Errorf("reading the credits of account %s: %w", s.account, err)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	s.learn(balance)
	return nil
}
