package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/metering"
)

// Repeats remembers calls that their callers may repeat without paying twice: it implements
// api.Repeats, with its errors.
type Repeats struct {
	*DB
	// Keep is how long a call is remembered, Lease how long one may be under way.
	Keep, Lease time.Duration
	// Runs and Other are the errors of a key whose call is under way, and of one that
	// belongs to another call.
	Runs, Other error
}

// BeginCall implements api.Repeats.
func (r *Repeats) BeginCall(ctx context.Context, owner, key, fingerprint string) (charged int64, err error) {
	now := time.Now()
	err = r.Transact(ctx, func(tx *sql.Tx) error {
		// An update that changes nothing locks the row in both databases; one that has
		// expired begins anew.
		var known string
		var runsUntil int64
		err := tx.QueryRowContext(ctx,
			`INSERT INTO repeatable_calls (account_id, key_hash, fingerprint, charged, runs_until, expires_at) VALUES ($1, $2, $3, 0, 0, $4)
			 ON CONFLICT (account_id, key_hash) DO UPDATE SET
			     fingerprint = CASE WHEN repeatable_calls.expires_at <= $5 THEN excluded.fingerprint ELSE repeatable_calls.fingerprint END,
			     charged = CASE WHEN repeatable_calls.expires_at <= $5 THEN 0 ELSE repeatable_calls.charged END,
			     expires_at = CASE WHEN repeatable_calls.expires_at <= $5 THEN excluded.expires_at ELSE repeatable_calls.expires_at END
			 RETURNING fingerprint, charged, runs_until`,
			owner, key, fingerprint, now.Add(r.Keep).UnixMilli(), now.UnixMilli()).Scan(&known, &charged, &runsUntil)
		switch {
		case err != nil:
			return err
		case known != fingerprint:
			return r.Other
		case runsUntil > now.UnixMilli():
			return r.Runs
		}

		_, err = tx.ExecContext(ctx, `UPDATE repeatable_calls SET runs_until = $1 WHERE account_id = $2 AND key_hash = $3`,
			now.Add(r.Lease).UnixMilli(), owner, key)
		return err
	})
	if err != nil && !errors.Is(err, r.Other) && !errors.Is(err, r.Runs) {
		err = fmt.Errorf("noting a repeatable call of account %s: %w", owner, err)
	}

	return charged, err
}

// EndCall implements api.Repeats.
func (r *Repeats) EndCall(ctx context.Context, owner, key string) error {
	_, err := r.Writer.ExecContext(ctx, `UPDATE repeatable_calls SET runs_until = 0 WHERE account_id = $1 AND key_hash = $2`, owner, key)
	if err != nil {
		return fmt.Errorf("noting the end of a repeatable call of account %s: %w", owner, err)
	}
	return nil
}

// noteRepeatable adds the charges of repeatable calls to what these have paid.
func noteRepeatable(ctx context.Context, tx *sql.Tx, made []metering.Charge) error {
	made = slices.DeleteFunc(slices.Clone(made), func(c metering.Charge) bool { return c.Repeatable == "" })
	slices.SortFunc(made, func(a, b metering.Charge) int { // in one order, to avoid deadlocks
		return strings.Compare(a.Account+a.Repeatable, b.Account+b.Repeatable)
	})
	for _, c := range made {
		if _, err := tx.ExecContext(ctx, `UPDATE repeatable_calls SET charged = charged + $1 WHERE account_id = $2 AND key_hash = $3`,
			c.Credits, c.Account, c.Repeatable); err != nil {
			return err
		}
	}
	return nil
}
