package fleettest

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// audit ends the load and compares the callers' records with the charges. No answer may be wrong, no charge may be
// lost, at most surplus charges may be unknown to callers, and no account may exceed its quota.
func (l *load) audit(t *testing.T, surplus int) {
	t.Helper()
	l.stop()
	spender := l.payers[len(l.payers)-1]
	l.exhaust(t, spender)
	for _, err := range l.wrong {
		t.Error(err)
	}

	db := l.fleet.postgres.open(t, database)
	defer db.Close()
	var paid, made, lost, more int
	for _, p := range l.payers {
		var used, entries, counted int
		err := db.QueryRowContext(t.Context(),
			`SELECT (SELECT COALESCE(SUM(used), 0) FROM credits WHERE account_id = $1),
				(SELECT COUNT(*) FROM charges WHERE account_id = $1),
			        (SELECT COALESCE(SUM(credits), 0) FROM usage_days
			        WHERE account_id = $1)`, p.account).Scan(&used, &entries,
			&counted)
		testkit.NoError(t, err)
		if used != entries || used != counted {
			t.Errorf("account %s: %d credits used, %d charges, %d credits counted by day", p.account, used,
				entries, counted)
		}
		if used > p.paid+p.unconfirmed {
			t.Errorf("account %s: %d credits used, %d calls paid for and %d unconfirmed", p.account, used, p.paid,
				p.unconfirmed)
		}
		if p == spender && used > quota {
			t.Errorf("%d credits used of a quota of %d", used, quota)
		}

		lost, more = lost+max(0, p.paid-used), more+max(0, used-p.paid)
		paid, made = paid+p.paid, made+used
	}

	if lost > 0 || more > surplus {
		t.Errorf("%d charges were lost and %d were not seen by a caller, want 0 and at most %d", lost, more, surplus)
	}
	if spender.paid > quota {
		t.Errorf("%d calls were paid for with %d credits", spender.paid, quota)
	}

	t.Logf("%d calls, wrong answers %d; %d charges seen, %d made: lost %d, surplus %d; %d of a quota of %d spent",
		len(l.calls), len(l.wrong), paid, made, lost, more, spender.paid, quota)
}

// exhaust spends the rest of a quota, at all edges concurrently.
func (l *load) exhaust(t *testing.T, p *payer) {
	t.Helper()
	var spending sync.WaitGroup
	for i := range l.fleet.edges {
		for range payersPerEdge {
			spending.Go(func() {
				for n := range 2 * quota {
					switch status := l.call(spent, i, p, n); status {
					case http.StatusOK:
					case http.StatusPaymentRequired:
						return
					default:
						t.Errorf("edge %d does not let a quota be spent: status %d", i, status)
						return
					}
				}

				t.Errorf("edge %d lets more than a quota be spent", i)
			})
		}
	}

	spending.Wait()
}

// went fails the test for calls with unexpected outcomes.
func (l *load) went(t *testing.T, what string, k kind, edge int, from, to time.Time, statuses ...int) tally {
	t.Helper()
	y := tallied(l.callsBetween(k, edge, from, to))
	t.Logf("%s: edge %d: %s: %s", what, edge, k, y)
	if !y.only(statuses...) {
		t.Errorf("%s: edge %d: %s calls: %s, want only %v", what, edge, k, y, statuses)
	}

	return y
}
