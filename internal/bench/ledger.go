package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/database"
)

// weekQuota is the monthly credits of one account, which are spent within minutes.
const weekQuota = 500

// weekPlans replace the catalogue of plans.
var weekPlans = fmt.Sprintf(`
		plan boundless {
			credits unlimited
			rate 100000 100000
		}
		plan quota {
			credits %d
			rate 100000 100000
		}
`, weekQuota)

// ledger is a database of accounts, with the callers' own records of their charges.
type ledger struct {
	postgres, books *database.DB
	name, database  string // of the books, and their URL
	payers          []*payer
	spender         *payer   // has a quota
	before          []string // partitions at the start
}

// newLedger creates a database in the server that .ci/postgres starts.
func newLedger(ctx context.Context) (l *ledger, err error) {
	l = &ledger{name: "week_" + strings.ToLower(rand.Text())}
	server := os.Getenv("RODATA_TEST_POSTGRES")
	if server == "" {
		return nil, errors.New("there is no PostgreSQL server: run it as .ci/postgres go run ./internal/bench week")
	}

	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}

	u.Path = "/" + l.name
	query := u.Query()
	query.Set("connect_timeout", "3600") // on the clock: see patienceEdits
	u.RawQuery = query.Encode()
	l.database = u.String()

	if l.postgres, err = connectPostgres(server); err != nil {
		return nil, err
	}
	if l.books, err = connectPostgres(l.database); err != nil {
		return nil, err
	}

	return l, database.Exec(ctx, l.postgres.Writer, "CREATE DATABASE "+l.name)
}

func connectPostgres(address string) (*database.DB, error) {
	config, err := database.PostgresConfig(address)
	if err != nil {
		return nil, err
	}
	return database.OpenPostgres(config, 1), nil
}

func (l *ledger) close() error {
	err := l.books.Close()
	dropped := database.Exec(context.Background(), l.postgres.Writer, "DROP DATABASE "+l.name+" WITH (FORCE)")
	return errors.Join(err, dropped, l.postgres.Close())
}

// open creates the accounts. It also adds charges in the month that PostgreSQL's clock shows, because the migration
// has created the partition of that month.
func (l *ledger) open(ctx context.Context, w *week) error {
	for i := range 9 {
		p := &payer{months: make(map[string]*paid)}
		plan := "boundless"
		if i == 0 {
			plan, l.spender = "quota", p
		}

		var err error
		operator := &watcher{server: w.server, admin: w.admin}
		if p.account, p.key, err = operator.openAccount(ctx, plan); err != nil {
			return err
		}

		l.payers = append(l.payers, p)
	}

	now := time.Now().UTC()
	err := database.Exec(ctx, l.books.Writer, `INSERT INTO charges
		(period, id, account_id, key_id, operation, credits, hit, charged_at)
		SELECT $1, 'past-' || n, $2, '', 'get_company', 1, 0, $3 FROM generate_series(1, 1000) n`,
		monthOf(now), l.payers[1].account, now.UnixMilli())
	if err != nil {
		return err
	}

	l.before, err = l.partitions(ctx)
	return err
}

// partitions lists the partitions of charges.
func (l *ledger) partitions(ctx context.Context) ([]string, error) {
	return database.Collect(ctx, l.books.Reader, "listing the partitions of charges", database.Value[string],
		`SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'charges'::regclass ORDER BY 1`)
}

// payerFor chooses the account of a call at random: of ten calls, three use an unlimited account, one uses the account
// with a quota, and six use no account.
func (l *ledger) payerFor(random *mathrand.Rand) *payer {
	switch p := random.IntN(10); {
	case p == 0:
		return l.spender
	case p < 4:
		return l.payers[1+random.IntN(len(l.payers)-1)]
	}

	return nil
}

// payer is an account, with its callers' record of its charges.
type payer struct {
	account, key string

	mu       sync.Mutex
	months   map[string]*paid // by period
	unsure   int              // charges of calls that were running when the month changed
	open     int              // calls without an answer that shows whether they were charged
	refused  bool             // the last call, for lack of credits
	renewals int              // calls charged after a refusal
}

// paid is the charges of a month.
type paid struct{ credits, refused int }

func (p *payer) month(period string) *paid {
	if p.months[period] == nil {
		p.months[period] = new(paid)
	}
	return p.months[period]
}

// note records the outcome of a call.
func (p *payer) note(began, ended time.Time, status int, cost string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()

	period := monthOf(began)
	credits, _ := strconv.Atoi(cost)
	switch {
	case err != nil, status >= http.StatusInternalServerError:
		p.open++
	case status == http.StatusPaymentRequired:
		p.month(period).refused++
		p.refused = true
	case period != monthOf(ended):
		p.unsure += credits
	default:
		p.month(period).credits += credits
	}

	if status == http.StatusOK && credits > 0 && p.refused {
		p.renewals++
		p.refused = false
	}
}

// spentBefore returns the number of earlier months in which the account was refused for lack of credits.
func (p *payer) spentBefore(period string) (n int) {
	for month, m := range p.months {
		if month < period && m.refused > 0 {
			n++
		}
	}

	return n
}

// booked is the record of an account and a month in the database: the balance, the charges and the usage.
type booked struct {
	account, month       string
	used, charges, usage int
}

func (l *ledger) booked(ctx context.Context) ([]booked, error) {
	return database.Collect(ctx, l.books.Reader, "reading the ledger", func(r database.Row, b *booked) error {
		return r.Scan(&b.account, &b.month, &b.used, &b.charges, &b.usage)
	}, `SELECT account_id, period, used,
		(SELECT coalesce(sum(credits), 0) FROM charges h WHERE h.account_id = c.account_id AND h.period = c.period),
		(SELECT coalesce(sum(credits), 0) FROM usage_days u
			WHERE u.account_id = c.account_id AND left(u.day, 7) = c.period)
		FROM credits c`)
}

// monthOf returns the month of a charge, as 2026-12.
func monthOf(t time.Time) string { return t.UTC().Format("2006-01") }

// audit compares the database with the callers' records, and returns the sums over all accounts.
func (l *ledger) audit(books []booked) (made, seen, open int, err error) {
	var errs []error
	for _, p := range l.payers {
		used := make(map[string]int)
		for _, b := range books {
			if b.account != p.account {
				continue
			}

			used[b.month] = b.used
			if b.used != b.charges || b.used != b.usage {
				errs = append(errs, fmt.Errorf("account %s in %s: %d credits used, %d charged, %d in the usage",
					b.account, b.month, b.used, b.charges, b.usage))
			}
			if p == l.spender && b.used > weekQuota {
				errs = append(errs, fmt.Errorf("account %s used %d of %d credits in %s",
					b.account, b.used, weekQuota, b.month))
			}
		}

		total, known := 0, p.unsure
		for period, n := range used {
			total += n
			if known := p.month(period).credits; n < known || n > known+p.unsure+p.open {
				errs = append(errs, fmt.Errorf("account %s in %s: %d credits used, its callers paid %d and perhaps "+
					"%d more", p.account, period, n, known, p.unsure+p.open))
			}
		}

		for period, m := range p.months {
			known += m.credits
			if p == l.spender && m.refused > 0 && m.credits+p.unsure+p.open < weekQuota {
				errs = append(errs, fmt.Errorf("account %s was refused in %s after %d of %d credits",
					p.account, period, m.credits, weekQuota))
			}
		}

		if total < known || total > known+p.open {
			errs = append(errs, fmt.Errorf("account %s: %d credits used, its callers paid %d and perhaps %d more",
				p.account, total, known, p.open))
		}

		made, seen, open = made+total, seen+known, open+p.open
	}

	return made, seen, open, errors.Join(errs...)
}

// judgePartitions checks the partitions at the end. The current month on the clock must have a partition, and
// partitions that had expired by the last daily deletion must be gone.
func judgePartitions(before, after []string, end time.Time) (dropped []string, err error) {
	name := func(t time.Time) string { return "charges_" + strings.ReplaceAll(monthOf(t), "-", "_") }
	dropped = slices.DeleteFunc(slices.Clone(before), func(p string) bool { return slices.Contains(after, p) })

	var errs []error
	if !slices.Contains(after, name(end)) {
		errs = append(errs, fmt.Errorf("there is no partition %s", name(end)))
	}

	last := end.Add(-25 * time.Hour)
	kept := name(time.Date(last.Year(), last.Month()-1, 1, 0, 0, 0, 0, time.UTC))
	for _, p := range after {
		if p != "charges_other" && p < kept {
			errs = append(errs, fmt.Errorf("the partition %s is still there", p))
		}
	}

	return dropped, errors.Join(errs...)
}
