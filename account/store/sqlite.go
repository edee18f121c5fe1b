package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/internal/database"
)

// OpenSQLite opens the store at path. It creates the file and its folders if necessary, readable only by the owner. It
// migrates older tables and refuses newer ones. While the store is open, opening it again fails, in this process and in
// others, because each would count credits separately. The file path + ".lock" stays behind and can be ignored.
func OpenSQLite(ctx context.Context, path string) (*DB, error) {
	d := &DB{dialect: goose.DialectSQLite3}
	_, err := database.OpenSQLite(ctx, path, func(file *database.DB) (err error) {
		d.DB = file
		if d.remains, err = scour(ctx, d.Writer); err != nil {
			return err
		}
		if err := schema(d.dialect).MigrateSQLite(ctx, d.Writer); err != nil {
			return err
		}
		if err := d.releaseAll(ctx); err != nil {
			return err
		}

		d.statements, err = database.PrepareSQLite(ctx, d.Writer, selectBalances, useCredits, insertCharges, addUsage)
		return err
	}, "secure_delete(1)")
	if err != nil {
		return nil, fmt.Errorf("opening the account store %s: %w", path, err)
	}

	return d, nil
}

// scoured is the user_version of a file without remains of rows deleted before secure_delete was enabled.
const scoured = 1

// scour rewrites a file that was used by a release before December 2026, once. It can fail if the disk is full. That
// does not prevent the start; remains then has the error.
func scour(ctx context.Context, db *sql.DB) (remains, err error) {
	var version, tables int
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil || version >= scoured {
		return nil, err
	}
	if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_master`).Scan(&tables); err != nil {
		return nil, err
	}

	if tables > 0 {
		if _, err := db.ExecContext(ctx, `VACUUM`); err != nil {
			return fmt.Errorf("rewriting the file, which needs free space of its size; the next start tries again: %w",
				err), nil
		}
	}

	_, err = db.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, scoured))
	return nil, err
}
