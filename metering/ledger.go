package metering

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Ledger is who may spend credits, and who has: in two steps, so that a call is
// refused before its work when there are no credits for it, and charged after it
// and only when it succeeded. The first step, Reserve, knows in memory what an
// account has used, and asks nobody from an account's second call on. The second,
// Hold.Settle, is durable in a Journal before it returns, and has the last word:
// what memory knows may be out of date where several processes share a journal,
// but no charge exceeds the credits, in whatever order they come.
//
// Charges that come at the same time are written together: while one transaction
// is being written, the charges of the next one gather.
type Ledger struct {
	journal Journal
	logger  *slog.Logger
	queue   chan *Hold
	quit    chan struct{}
	ended   chan struct{} // closed when the writer has ended
	err     error         // the writer's last, to be read once it has ended

	mu       sync.Mutex
	accounts map[string]*standing

	free freeCalls
	figures
}

const (
	// maxBatch is how many charges are written together at most.
	maxBatch = 512
	// writeTimeout bounds each transaction, and readTimeout the reading of a balance.
	writeTimeout = 5 * time.Second
	readTimeout  = 5 * time.Second
	// doubtAfter is for how long an account is refused without asking the journal
	// again; so it is how long credits that were just given may go unnoticed.
	doubtAfter = time.Second
	// forgetAfter is how long an account is remembered that does not call.
	forgetAfter = 10 * time.Minute
)

// The ways in which a charge is not made.
var (
	// ErrExhausted: fewer credits are left than the charge needs.
	ErrExhausted = errors.New("the month's credits are used up")
	// ErrClosed: the ledger has been closed.
	ErrClosed = errors.New("the ledger is closed")
)

// NewLedger makes a ledger over a journal and starts its writer, which Close
// stops. What the writer cannot tell a caller goes to the logger.
func NewLedger(journal Journal, logger *slog.Logger) *Ledger {
	l := &Ledger{
		journal: journal, logger: logger,
		queue: make(chan *Hold, maxBatch), quit: make(chan struct{}), ended: make(chan struct{}),
		accounts: make(map[string]*standing),
	}
	go l.write()
	return l
}

// Close writes what is queued and counted, and stops the writer. It is called
// once, when nobody uses the ledger any more; the journal may then be closed. The
// error is of calls without a price that could not be counted.
func (l *Ledger) Close() error {
	close(l.quit)
	<-l.ended
	return l.err
}

// Reserve sets the price of a call aside until the hold is settled or released,
// one of which has to be done. The error is ErrExhausted, or the reason why it is
// not known what the account has used.
func (l *Ledger) Reserve(ctx context.Context, c Charge) (*Hold, error) {
	now := time.Now()
	l.mu.Lock()
	s := l.standing(c.Account, now)
	reserved := s.reserve(&c)
	ask := !reserved && (s.doubt(now) || !s.known)
	l.mu.Unlock()
	if ask {
		if err := l.ask(ctx, s); err != nil {
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

// Remaining are the credits that an account with so many a month has left, as far
// as is known here; false when that cannot be found out, or they are Unlimited.
func (l *Ledger) Remaining(ctx context.Context, account string, monthly int64) (int64, bool) {
	if monthly == Unlimited {
		return 0, false
	}
	now := time.Now()
	l.mu.Lock()
	s := l.standing(account, now)
	known, remaining, ask := s.known, s.balance.Remaining(monthly), !s.known && s.doubt(now)
	l.mu.Unlock()
	if !ask {
		return remaining, known
	}
	if l.ask(ctx, s) != nil {
		return 0, false // whoever needs to know will be told
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return s.balance.Remaining(monthly), true
}

// CountFree counts a successful call that costs nothing. Counts are written once
// a minute; those of the last minute are lost when the process is killed.
func (l *Ledger) CountFree(account, operation string, hit bool) {
	l.free.count(account, operation, hit, time.Now())
}

// ask reads an account's balance from the journal.
func (l *Ledger) ask(ctx context.Context, s *standing) error {
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
