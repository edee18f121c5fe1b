package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
)

// Balance implements metering.Journal.
func (d *DB) Balance(ctx context.Context, owner, period string) (metering.Balance, error) {
	return database.One(ctx, d.Reader, "reading the balance of account "+owner+" in "+period, nil,
		func(r database.Row, b *metering.Balance) error { return r.Scan(&b.Used, &b.Given) },
		`SELECT used, given FROM credits WHERE account_id = $1 AND period = $2`, owner, period)
}

// maxGift keeps the sum of repeated gifts from overflowing.
const maxGift = 1_000_000_000_000

// GiveCredits gives an account n credits in addition to its plan's, from 1 to 10^12, for a period in the form
// of metering.Period. They take effect at once, or within a second for an account that was just refused. The
// error is account.ErrNoAccount if there is no such account, or it is closed.
func (d *DB) GiveCredits(ctx context.Context, owner, period string, n int64) error {
	if n < 1 || n > maxGift {
		return fmt.Errorf("giving %d credits to account %s: want from 1 to %d", n, owner, maxGift)
	}
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		if err := LockAccount(ctx, tx, owner); err != nil {
			return err
		}
		return database.Exec(ctx, tx,
			`INSERT INTO credits (account_id, period, used, given) VALUES ($1, $2, 0, $3)
			 ON CONFLICT (account_id, period) DO UPDATE SET given = credits.given + excluded.given`, owner, period, n)
	})
	if err != nil && !errors.Is(err, account.ErrNoAccount) {
		return fmt.Errorf("giving %d credits to account %s: %w", n, owner, err)
	}

	return err
}

// errNothingCharged rolls back a transaction that would write nothing.
var errNothingCharged = errors.New("no charge was made")

// Settle implements metering.Journal.
func (d *DB) Settle(ctx context.Context, at time.Time,
	charges []metering.Charge) (verdicts []metering.Verdict, err error) {
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		b := batch{tx: tx, period: metering.Period(at), at: at}
		if err := b.hold(ctx, charges); err != nil {
			return err
		}
		if verdicts = b.judge(charges); len(b.made) == 0 {
			return errNothingCharged
		}

		return b.write(ctx)
	})
	if err != nil && err != errNothingCharged {
		return nil, fmt.Errorf("charging %d calls: %w", len(charges), err)
	}

	return verdicts, nil
}

// batch is the charges of one transaction.
type batch struct {
	tx       *sql.Tx
	period   string
	at       time.Time
	balances map[string]metering.Balance // by account
	used     map[string]int64            // by account, of made
	made     []metering.Charge
}

// hold reads and locks the balances of the accounts until the end of the transaction.
func (b *batch) hold(ctx context.Context, charges []metering.Charge) error {
	b.balances, b.used = make(map[string]metering.Balance), make(map[string]int64)
	for i := range charges {
		b.balances[charges[i].Account] = metering.Balance{}
	}

	// In a fixed order, to avoid deadlocks.
	for accounts := range slices.Chunk(slices.Sorted(maps.Keys(b.balances)), rowsAtOnce) {
		args := []any{b.period}
		for _, id := range accounts {
			args = append(args, id)
		}

		// An update without changes locks the row in both databases.
		_, err := database.Collect(ctx, b.tx, "locking balances", b.read,
			`INSERT INTO credits (period, account_id, used, given) VALUES `+tuples(len(accounts), 1, 1, "0", "0")+`
			 ON CONFLICT (account_id, period) DO UPDATE SET used = credits.used RETURNING account_id, used, given`, args...)
		if err != nil {
			return err
		}
	}

	return nil
}

func (b *batch) read(r database.Row, balance *metering.Balance) error {
	var id string
	err := r.Scan(&id, &balance.Used, &balance.Given)
	b.balances[id] = *balance
	return err
}

// judge accepts or refuses the charges in order.
func (b *batch) judge(charges []metering.Charge) []metering.Verdict {
	verdicts := make([]metering.Verdict, len(charges))
	for i, c := range charges {
		balance := b.balances[c.Account]
		if balance.Take(c.Credits, c.Monthly) {
			verdicts[i].Charged = true
			b.balances[c.Account] = balance
			b.used[c.Account] += c.Credits
			b.made = append(b.made, c)
		}

		verdicts[i].Balance = balance
	}

	return verdicts
}

// write writes the accepted charges.
func (b *batch) write(ctx context.Context) error {
	if err := b.use(ctx); err != nil {
		return err
	}
	if err := b.enter(ctx); err != nil {
		return err
	}
	if err := noteRepeatable(ctx, b.tx, b.made); err != nil {
		return err
	}
	return count(ctx, b.tx, b.calls())
}

// use adds to the usage of the accounts.
func (b *batch) use(ctx context.Context) error {
	for accounts := range slices.Chunk(slices.Sorted(maps.Keys(b.used)), rowsAtOnce) {
		args := []any{b.period}
		for _, id := range accounts {
			args = append(args, id, b.used[id])
		}

		err := database.Exec(ctx, b.tx,
			`INSERT INTO credits (period, account_id, used, given) VALUES `+tuples(len(accounts), 1, 2, "0")+`
			 ON CONFLICT (account_id, period) DO UPDATE SET used = credits.used + excluded.used`, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// enter writes an entry for each charge.
func (b *batch) enter(ctx context.Context) error {
	for made := range slices.Chunk(b.made, rowsAtOnce) {
		args := []any{b.period, b.at.UnixMilli()}
		for _, c := range made {
			args = append(args, account.NewID(), c.Account, c.Key, c.Operation, c.Credits, database.Integer(c.Hit))
		}

		err := database.Exec(ctx, b.tx,
			`INSERT INTO charges (period, charged_at, id, account_id, key_id, operation, credits, hit) VALUES `+
				tuples(len(made), 2, 6), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// calls are the sums by account and operation.
func (b *batch) calls() []metering.Calls {
	type sum struct{ account, operation string }
	sums := make(map[sum]metering.Calls)
	for _, c := range b.made {
		id := sum{c.Account, c.Operation}
		s := sums[id]
		s.Account, s.Operation, s.Day = c.Account, c.Operation, metering.Day(b.at)
		s.Credits += c.Credits
		if !c.Continues {
			s.Calls, s.Hits = s.Calls+1, s.Hits+int64(database.Integer(c.Hit))
		}
		sums[id] = s
	}

	return slices.Collect(maps.Values(sums))
}
