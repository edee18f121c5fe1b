package store

import (
	"context"
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
		if err := schema(d.dialect).MigrateSQLite(ctx, d.Writer); err != nil {
			return err
		}
		if err := d.releaseAll(ctx); err != nil {
			return err
		}

		d.statements, err = database.PrepareSQLite(ctx, d.Writer, selectBalances, useCredits, insertCharges, addUsage)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("opening the account store %s: %w", path, err)
	}

	return d, nil
}
