package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
)

// BeginCall records that an account makes a call under an Idempotency-Key. It stores the key as a hash. It returns the
// credits charged for earlier calls under the key. The fingerprint identifies the request. The errors include
// [account.ErrCallRuns] and [account.ErrOtherCall].
func (d *DB) BeginCall(ctx context.Context, owner, key, fingerprint string) (charged int64, err error) {
	now := time.Now()
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		// An update that changes nothing locks the row in both databases; an expired row starts over.
		var known string
		var runsUntil int64
		err := tx.QueryRowContext(ctx,
			`INSERT INTO repeatable_calls (account_id, key_hash, fingerprint, charged, runs_until, expires_at)
				VALUES ($1, $2, $3, 0, 0, $4)
			 ON CONFLICT (account_id, key_hash) DO UPDATE SET
			     fingerprint = CASE WHEN repeatable_calls.expires_at <= $5 THEN excluded.fingerprint
			     ELSE repeatable_calls.fingerprint END,
			     charged = CASE WHEN repeatable_calls.expires_at <= $5 THEN 0 ELSE repeatable_calls.charged END,
			     expires_at = CASE WHEN repeatable_calls.expires_at <= $5 THEN excluded.expires_at
			     ELSE repeatable_calls.expires_at END
			 RETURNING fingerprint, charged, runs_until`,
			owner, key, fingerprint, now.Add(account.RepeatFor).UnixMilli(), now.UnixMilli()).
			Scan(&known, &charged, &runsUntil)
		switch {
		case err != nil:
			return err
		case known != fingerprint:
			return account.ErrOtherCall
		case runsUntil > now.UnixMilli():
			return account.ErrCallRuns
		}

		return database.Exec(ctx, tx,
			`UPDATE repeatable_calls SET runs_until = $1 WHERE account_id = $2 AND key_hash = $3`,
			now.Add(account.CallLease).UnixMilli(), owner, key)
	})
	return charged, database.Wrap("noting a repeatable call of account "+owner, err, account.ErrOtherCall,
		account.ErrCallRuns)
}

// EndCall records that a call has ended, so that its key can be used again. It forgets a key under which nothing was
// charged: the credits of an account thus bound its remembered keys.
func (d *DB) EndCall(ctx context.Context, owner, key string) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		return cmp.Or(
			database.Exec(ctx, tx,
				`DELETE FROM repeatable_calls WHERE account_id = $1 AND key_hash = $2 AND charged = 0`, owner, key),
			database.Exec(ctx, tx,
				`UPDATE repeatable_calls SET runs_until = 0 WHERE account_id = $1 AND key_hash = $2`, owner, key))
	})
	return database.Wrap("noting the end of a repeatable call of account "+owner, err)
}

// noteRepeatable adds the charges of repeatable calls to the amounts paid under their keys.
func noteRepeatable(ctx context.Context, tx *sql.Tx, made []metering.Charge) error {
	made = slices.DeleteFunc(slices.Clone(made), func(c metering.Charge) bool { return c.Repeatable == "" })
	slices.SortFunc(made, func(a, b metering.Charge) int { // in a fixed order, to prevent deadlocks
		return cmp.Or(strings.Compare(a.Account, b.Account), strings.Compare(a.Repeatable, b.Repeatable))
	})
	for _, c := range made {
		if err := database.Exec(ctx, tx,
			`UPDATE repeatable_calls SET charged = charged + $1 WHERE account_id = $2 AND key_hash = $3`,
			c.Credits, c.Account, c.Repeatable); err != nil {
			return err
		}
	}

	return nil
}
