package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/ro"
)

// firms is the number of companies in the trade register.
const firms = 4_200_000

// pastCompanies describes how many companies are observed, and how often.
type pastCompanies struct {
	count, months, every int
	record               int     // bytes, packed
	changes              float64 // share of companies whose record changes in a month
}

// measureHistory fills a store of observations, and prints its size.
func measureHistory(flags *flag.FlagSet) func(context.Context, *testbed) error {
	var p pastCompanies
	flags.IntVar(&p.count, "companies", 20_000, "companies")
	flags.IntVar(&p.months, "months", 60, "months, of 30 days each")
	flags.IntVar(&p.every, "every", 3, "days between two looks at a company")
	flags.IntVar(&p.record, "record", 500, "bytes of a packed record")
	flags.Float64Var(&p.changes, "changes", 0.01, "share of companies whose record changes in a month")
	database := flags.String("postgres", "", "URL of an empty PostgreSQL database, instead of a SQLite file")

	return func(ctx context.Context, _ *testbed) (err error) {
		folder, err := os.MkdirTemp("", "rodata-bench")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()

		place, open := filepath.Join(folder, "history.db"), store.Open
		if *database != "" {
			place, open = *database, store.Open
		}

		db, err := open(ctx, place)
		if err != nil {
			return err
		}

		start := time.Now()
		looks, err := p.observe(ctx, db)
		took := time.Since(start)
		if err != nil {
			return errors.Join(err, db.Close())
		}

		size, err := sizeOf(ctx, db, *database != "")
		if err := errors.Join(err, db.Close()); err != nil {
			return err
		}

		each := float64(size) / float64(p.count)
		fmt.Printf("| companies | months | answers | bytes | bytes a company | %d companies | time an answer |\n"+
			"|---|---|---|---|---|---|---|\n| %d | %d | %d | %d | %.0f | %.1f GB | %s |\n", firms,
			p.count, p.months, looks, size, each, each*firms/1e9,
			(took / time.Duration(looks)).Round(100*time.Nanosecond))
		return nil
	}
}

// observe appends observations of the companies, a thousand per transaction and in random order.
func (p *pastCompanies) observe(ctx context.Context, db *store.DB) (looks int, err error) {
	random := rand.New(rand.NewPCG(1, 2))
	order, states := random.Perm(p.count), make([]uint64, p.count)
	at, perLook := time.Date(2021, time.January, 1, 10, 0, 0, 0, ro.Bucharest), p.changes*float64(p.every)/30
	for day := 0; day < 30*p.months; day += p.every {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		var all []history.Observation
		for i, company := range order {
			if states[company] == 0 || random.Float64() < perLook {
				states[company] = random.Uint64()
			}

			all = append(all, p.observation(company, states[company], at.AddDate(0, 0, day)))
			if len(all) == 1000 || i == len(order)-1 {
				if err := db.Append(ctx, all); err != nil {
					return looks, err
				}
				looks, all = looks+len(all), all[:0]
			}
		}
	}

	return looks, nil
}

// observation has an incompressible record.
func (p *pastCompanies) observation(company int, state uint64, at time.Time) history.Observation {
	o := history.Observation{Company: ro.CUI(9_900_000_000 + company), At: at, Record: make([]byte, p.record)}
	binary.BigEndian.PutUint64(o.Fingerprint[:], state)
	filler := rand.New(rand.NewPCG(uint64(company), state))
	for i := 0; i+8 <= len(o.Record); i += 8 {
		binary.BigEndian.PutUint64(o.Record[i:], filler.Uint64())
	}

	return o
}

// sizeOf returns the size of the store in bytes, including indexes.
func sizeOf(ctx context.Context, db *store.DB, postgres bool) (size int64, err error) {
	query := `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`
	if postgres {
		query = `SELECT pg_total_relation_size('observations') + pg_total_relation_size('looks') + pg_total_relation_size('past_looks')`
	}

	err = db.Reader.QueryRowContext(ctx, query).Scan(&size)
	return size, err
}
