package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
)

// settlePostgres calls a function of the database: one round trip, which is also the transaction.
func (d *DB) settlePostgres(ctx context.Context, at time.Time,
	charges []metering.Charge) ([]metering.Settlement, error) {
	order := make([]int, len(charges)) // by account
	for i := range order {
		order[i] = i
	}

	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(charges[i].Account, charges[j].Account) })

	var a chargeArrays
	for _, i := range order {
		a.append(&charges[i])
	}
	if !a.repeated {
		a.repeatables = nil
	}

	var done settleResult
	types := pgtype.NewMap()
	err := d.Writer.QueryRowContext(ctx,
		`SELECT made, used, given FROM settle_charges($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
			$16)`,
		metering.Period(at), metering.Day(at), at.UnixMilli(), a.owners, a.counts, a.sums, a.limits, a.ids, a.accounts,
		a.keys, a.operations, a.prices, a.allowances, a.hits, a.continued, a.repeatables).
		Scan(types.SQLScanner(&done.made), types.SQLScanner(&done.used), types.SQLScanner(&done.given))
	if err != nil {
		return nil, database.Wrap("settling charges", err)
	}

	return done.settlements(charges, order, a.counts), nil
}

// settleResult is the result of the database's function: whether each charge was made, and the balances of the accounts
// before the transaction.
type settleResult struct {
	made        []bool
	used, given []int64
}

// settlements returns the settlements of charges. The function received them in the given order, grouped by account;
// counts has the size of each group.
func (s *settleResult) settlements(charges []metering.Charge, order []int, counts []int32) []metering.Settlement {
	all := make([]metering.Settlement, len(charges))
	place := 0
	for k, n := range counts {
		balance := metering.Balance{Used: s.used[k], Given: s.given[k]}
		for range n {
			i := order[place]
			if s.made[place] {
				balance.Used += charges[i].Credits
			}

			all[i] = metering.Settlement{Charged: s.made[place], Balance: balance}
			place++
		}
	}

	return all
}

// chargeArrays are charges in the form of the database's function, which documents them.
type chargeArrays struct {
	owners                                       []string
	counts                                       []int32
	sums, limits                                 []int64
	ids, accounts, keys, operations, repeatables []string
	prices, allowances                           []int64
	hits                                         []int32
	continued                                    []bool
	repeated                                     bool // some charge is of a repeatable call
}

func (a *chargeArrays) append(c *metering.Charge) {
	if last := len(a.owners) - 1; last < 0 || a.owners[last] != c.Account {
		a.owners, a.counts, a.sums = append(a.owners, c.Account), append(a.counts, 0), append(a.sums, 0)
		a.limits = append(a.limits, metering.Unlimited)
	}

	last := len(a.owners) - 1
	a.counts[last]++
	a.sums[last] += c.Credits
	if limit := a.limits[last]; c.Monthly != metering.Unlimited && (limit == metering.Unlimited || c.Monthly < limit) {
		a.limits[last] = c.Monthly
	}

	a.ids = append(a.ids, account.NewID())
	a.accounts = append(a.accounts, c.Account)
	a.keys = append(a.keys, c.Key)
	a.operations = append(a.operations, c.Operation)
	a.prices = append(a.prices, c.Credits)
	a.allowances = append(a.allowances, c.Monthly)
	a.hits = append(a.hits, int32(database.Integer(c.Hit)))
	a.continued = append(a.continued, c.Continues)
	a.repeatables = append(a.repeatables, c.Repeatable)
	a.repeated = a.repeated || c.Repeatable != ""
}
