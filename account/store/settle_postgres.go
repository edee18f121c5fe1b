package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
)

// settlePostgres calls a function of the database: one round trip, which is also the transaction.
func (d *DB) settlePostgres(ctx context.Context, at time.Time, charges []metering.Charge) ([]metering.Verdict, error) {
	order := make([]int, len(charges))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(strings.Compare(charges[i].Account, charges[j].Account), i-j)
	})

	var a chargeArrays
	for _, i := range order {
		a.append(&charges[i])
	}

	sorted, err := database.Collect(ctx, d.Writer, "settling charges", scanVerdict,
		`SELECT charged, used, given FROM settle_charges($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		metering.Period(at), metering.Day(at), at.UnixMilli(), a.owners, a.counts, a.sums, a.ids, a.accounts, a.keys,
		a.operations, a.prices, a.allowances, a.hits, a.continued, a.repeatables)
	if err != nil {
		return nil, err
	}

	verdicts := make([]metering.Verdict, len(charges))
	for place, i := range order {
		verdicts[i] = sorted[place]
	}
	return verdicts, nil
}

func scanVerdict(r database.Row, v *metering.Verdict) error {
	return r.Scan(&v.Charged, &v.Balance.Used, &v.Balance.Given)
}

// chargeArrays are charges in the form of the database's function, which documents them.
type chargeArrays struct {
	owners                                       []string
	counts                                       []int32
	sums                                         []int64
	ids, accounts, keys, operations, repeatables []string
	prices, allowances                           []int64
	hits                                         []int32
	continued                                    []bool
}

func (a *chargeArrays) append(c *metering.Charge) {
	if last := len(a.owners) - 1; last < 0 || a.owners[last] != c.Account {
		a.owners, a.counts, a.sums = append(a.owners, c.Account), append(a.counts, 0), append(a.sums, 0)
	}
	last := len(a.owners) - 1
	a.counts[last]++
	a.sums[last] += c.Credits

	a.ids = append(a.ids, account.NewID())
	a.accounts = append(a.accounts, c.Account)
	a.keys = append(a.keys, c.Key)
	a.operations = append(a.operations, c.Operation)
	a.prices = append(a.prices, c.Credits)
	a.allowances = append(a.allowances, c.Monthly)
	a.hits = append(a.hits, int32(database.Integer(c.Hit)))
	a.continued = append(a.continued, c.Continues)
	a.repeatables = append(a.repeatables, c.Repeatable)
}
