package store

import (
	"cmp"
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

// The statements of a transaction of charges in SQLite, prepared because parsing them takes longer than executing them.
var (
	selectBalances = &database.Statement{
		Text: `SELECT c.account_id, c.used, c.given FROM (VALUES %s) AS a
			JOIN credits c ON c.account_id = a.column1 AND c.period = a.column2`,
		Types: []string{"TEXT", "TEXT"},
	}
	useCredits = &database.Statement{
		Text: `INSERT INTO credits (account_id, period, used, given) VALUES %s
			ON CONFLICT (account_id, period) DO UPDATE SET used = credits.used + excluded.used`,
		Types: make([]string, 4),
	}
	insertCharges = &database.Statement{
		Text:  `INSERT INTO charges (period, id, account_id, key_id, operation, credits, hit, charged_at) VALUES %s`,
		Types: make([]string, 8),
	}
	addUsage = &database.Statement{
		Text: `INSERT INTO usage_days (account_id, day, operation, calls, hits, credits) VALUES %s
			ON CONFLICT (account_id, day, operation) DO UPDATE SET
				calls = usage_days.calls + excluded.calls, hits = usage_days.hits + excluded.hits, credits = usage_days.credits + excluded.credits`,
		Types: make([]string, 6),
	}
)

// Settle implements metering.Journal.
func (d *DB) Settle(ctx context.Context, at time.Time,
	charges []metering.Charge) (settlements []metering.Settlement, err error) {
	settle := d.settleSQLite
	if d.IsPostgres() {
		settle = d.settlePostgres
	}
	if settlements, err = settle(ctx, at, charges); err != nil {
		return nil, fmt.Errorf("charging %d calls: %w", len(charges), err)
	}

	return settlements, nil
}

// errNothingCharged rolls back a transaction that would write nothing.
var errNothingCharged = errors.New("no charge was made")

func (d *DB) settleSQLite(ctx context.Context, at time.Time,
	charges []metering.Charge) (settlements []metering.Settlement, err error) {
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		b := batch{DB: d, tx: tx, at: at, period: metering.Period(at)}
		balances, err := b.read(ctx, charges)
		if err != nil {
			return err
		}
		if settlements = b.decide(balances, charges); len(b.made) == 0 {
			return errNothingCharged
		}

		return b.write(ctx)
	})
	if err == errNothingCharged {
		err = nil
	}
	return settlements, err
}

// batch is the set of charges of one transaction in SQLite, which has no other writer meanwhile.
type batch struct {
	*DB
	tx     *sql.Tx
	at     time.Time
	period string
	made   []metering.Charge
	used   map[string]int64 // by account, of the charges made
}

func (b *batch) read(ctx context.Context, charges []metering.Charge) (map[string]metering.Balance, error) {
	balances := make(map[string]metering.Balance)
	for i := range charges {
		balances[charges[i].Account] = metering.Balance{}
	}

	args := make([]any, 0, 2*len(balances))
	for id := range balances {
		args = append(args, id, b.period)
	}

	return balances, b.Statements.Query(ctx, b.tx, selectBalances, args, func(r *sql.Rows) error {
		var id string
		var balance metering.Balance
		err := r.Scan(&id, &balance.Used, &balance.Given)
		balances[id] = balance
		return err
	})
}

func (b *batch) decide(balances map[string]metering.Balance, charges []metering.Charge) []metering.Settlement {
	b.used = make(map[string]int64)
	settlements := make([]metering.Settlement, len(charges))
	for i, c := range charges {
		balance := balances[c.Account]
		if balance.Take(c.Credits, c.Monthly) {
			settlements[i].Charged = true
			balances[c.Account] = balance
			b.used[c.Account] += c.Credits
			b.made = append(b.made, c)
		}

		settlements[i].Balance = balance
	}

	return settlements
}

func (b *batch) write(ctx context.Context) error {
	return cmp.Or(b.writeBalances(ctx), b.writeCharges(ctx), noteRepeatable(ctx, b.tx, b.made),
		b.count(ctx, b.tx, b.calls()))
}

func (b *batch) writeBalances(ctx context.Context) error {
	args := make([]any, 0, 4*len(b.used))
	for id, used := range b.used {
		args = append(args, id, b.period, used, 0)
	}
	return b.Statements.Exec(ctx, b.tx, useCredits, args)
}

func (b *batch) writeCharges(ctx context.Context) error {
	args := make([]any, 0, 8*len(b.made))
	for _, c := range b.made {
		args = append(args, b.period, account.NewID(), c.Account, c.Key, c.Operation, c.Credits,
			database.Integer(c.Hit), b.at.UnixMilli())
	}

	return b.Statements.Exec(ctx, b.tx, insertCharges, args)
}

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
