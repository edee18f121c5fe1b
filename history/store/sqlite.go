package store

import (
	"context"
	"fmt"

	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/internal/database"
)

// OpenSQLite opens the store at path. It creates the file and its folders if necessary, readable only by the owner. It
// migrates older tables and refuses newer ones. While the store is open, opening it again fails, in this process and in
// others. The file path + ".lock" stays behind and can be ignored.
func OpenSQLite(ctx context.Context, path string) (*DB, error) {
	d := &DB{dialect: goose.DialectSQLite3}
	// Recursive triggers make the deletion triggers also catch the rows that INSERT OR REPLACE would replace. The
	// journal of a single statement may be in memory.
	_, err := database.OpenSQLite(ctx, path, func(file *database.DB) (err error) {
		d.DB = file
		if err := schema("sqlite").Migrate(ctx, d.Writer, d.dialect); err != nil {
			return err
		}

		d.statements, err = database.PrepareSQLite(ctx, d.Writer, allStatements()...)
		return err
	}, "recursive_triggers(1)", "temp_store(MEMORY)")
	if err != nil {
		return nil, fmt.Errorf("opening the store of observations %s: %w", path, err)
	}

	return d, nil
}
