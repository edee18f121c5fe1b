package account

import (
	"context"
	"errors"
	"net/netip"
	"time"
)

// question is a look-up in the store, shared by all callers with the same secret (singleflight).
type question struct {
	done chan struct{}
	// The answer, valid once done is closed. It is nil if the first caller left or was refused.
	key     Key
	err     error
	settled bool
}

// ask looks up a secret in the store. Concurrent callers share one look-up, since a client that starts with many calls
// would otherwise use up the guesses of its address with one valid key. Vouched reports that the secret was valid at
// the last look-up.
func (d *Directory) ask(ctx context.Context, id digest, vouched bool, from netip.Addr) (Key, error) {
	for {
		q, mine, changes := d.question(id)
		if mine {
			return d.lookUp(ctx, id, q, changes, vouched, from)
		}

		select {
		case <-q.done:
		case <-ctx.Done():
			return Key{}, ctx.Err()
		}

		if q.settled {
			return q.key, q.err
		}
	}
}

// question joins the look-up of a secret in progress, or starts one.
func (d *Directory) question(id digest) (q *question, mine bool, changes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if q := d.questions[id]; q != nil {
		return q, false, 0
	}

	q = &question{done: make(chan struct{})}
	d.questions[id] = q
	return q, true, d.changes
}

// lookUp answers a question, and caches the answer unless something changed since changes was read.
func (d *Directory) lookUp(ctx context.Context, id digest, q *question, changes int, vouched bool,
	from netip.Addr) (Key, error) {
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.questions[id] == q {
			delete(d.questions, id)
		}

		close(q.done)
	}()

	exonerate := func() {}
	if !vouched {
		var err error
		if exonerate, err = d.guess(from); err != nil {
			return Key{}, err
		}
	}

	asked := time.Now() // the answer is no older than the question
	limited, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	q.key, q.err = d.store.KeyByHash(limited, id[:])
	if q.err = answered(q.err, ErrUnknownKey); !errors.Is(q.err, ErrUnknownKey) {
		exonerate()
	}

	q.settled = q.err == nil || ctx.Err() == nil
	d.remember(id, q, changes, asked)
	return q.key, q.err
}

// remember caches the answer of the store.
func (d *Directory) remember(id digest, q *question, changes int, asked time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case errors.Is(q.err, ErrUnknownKey):
		q.key, q.err = Key{}, ErrUnknownKey
		delete(d.known.entries, id)
		d.unknown.put(id, struct{}{}, asked)
	case q.err == nil && changes == d.changes:
		d.known.put(id, q.key, asked)
	}
}
