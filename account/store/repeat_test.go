package store

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
)

// Calls that were not charged leave no keys behind, however many there are.
func TestFreeCallsAreForgotten(t *testing.T) {
	forStores(t, func(t *testing.T, d *DB) {
		for i := range 50 {
			key := strconv.Itoa(i)
			testkit.NoError(t, testkit.Err(d.BeginCall(t.Context(), "account1", key, "list")))
			testkit.NoError(t, d.EndCall(t.Context(), "account1", key))
		}

		if left := texts(t, d, `SELECT key_hash FROM repeatable_calls`); len(left) > 0 {
			t.Errorf("the keys %v are left", left)
		}
	})
}

func TestRepeatableCalls(t *testing.T) {
	forStores(t, func(t *testing.T, d *DB) {
		begin := func(key, fingerprint string, want int64, wantErr error) {
			t.Helper()
			charged, err := d.BeginCall(t.Context(), "account1", key, fingerprint)
			if !errors.Is(err, wantErr) || err == nil && charged != want {
				t.Errorf("%s %s: %d %v, want %d %v", key, fingerprint, charged, err, want, wantErr)
			}
		}
		end := func(key string) {
			t.Helper()
			testkit.NoError(t, d.EndCall(t.Context(), "account1", key))
		}

		begin("a", "list", 0, nil)
		begin("a", "list", 0, account.ErrCallRuns)
		begin("a", "other", 0, account.ErrOtherCall)
		begin("b", "list", 0, nil)
		charge := metering.Charge{Account: "account1", Operation: "batch_companies", Credits: 7,
			Monthly: metering.Unlimited, Repeatable: "a"}
		more := charge
		more.Credits, more.Continues = 2, true
		testkit.NoError(t, testkit.Err(d.Settle(t.Context(), time.Now(), []metering.Charge{charge, more})))

		end("a")
		begin("a", "list", 9, nil)
		end("b")
		begin("b", "other", 0, nil) // the first call was not charged

		// A killed process does not hold its key for longer than the lease, and an expired key counts as new.
		ends := func(column string) {
			t.Helper()
			testkit.NoError(t,
				testkit.Err(d.Writer.Exec(`UPDATE repeatable_calls SET `+column+` = $1 WHERE key_hash = 'a'`,
					time.Now().UnixMilli())))
		}
		begin("a", "list", 0, account.ErrCallRuns)
		ends("runs_until")
		begin("a", "list", 9, nil)
		ends("runs_until")
		ends("expires_at")
		begin("a", "other", 0, nil)
		ends("expires_at")
		testkit.NoError(t, d.Tidy(t.Context(), time.Now()))

		var left int
		if err := d.Reader.QueryRow(`SELECT count(*) FROM repeatable_calls`).Scan(&left); err != nil || left != 1 {
			t.Errorf("%d calls are left, want the one that has not expired: %v", left, err)
		}

		calls, err := d.Usage(t.Context(), "account1", metering.Day(time.Now()), metering.Day(time.Now()))
		if err != nil || len(calls) != 1 || calls[0].Calls != 1 || calls[0].Credits != 9 {
			t.Errorf("usage %+v %v, want one call of 9 credits", calls, err)
		}
	})
}
