package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/internal/database"
)

const sqliteReaders = 4 // connections

// OpenSQLite opens the store at path. It creates the file and its folders if necessary, readable only by the owner,
// migrates older tables and refuses newer ones. While it is open, opening it again fails, in this and other processes.
// The file path + ".lock" stays behind and has no meaning.
func OpenSQLite(ctx context.Context, path string) (*DB, error) {
	d, err := openSQLite(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("opening the store of observations %s: %w", path, err)
	}
	return d, nil
}

func openSQLite(ctx context.Context, path string) (_ *DB, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := database.PrepareFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}

	d := &DB{dialect: goose.DialectSQLite3, path: path, DB: database.DB{Holder: rand.Int64()}}
	if d.lock, err = database.Own(ctx, path+".lock"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()

	// With recursive triggers, those against deletions also see what INSERT OR REPLACE would replace. The journal of a
	// single statement need not be a file.
	if d.Writer, err = database.Connect(path, 1, "busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)",
		"recursive_triggers(1)", "foreign_keys(1)", "temp_store(MEMORY)"); err != nil {
		return nil, err
	}
	if err := schema("sqlite").Migrate(ctx, d.Writer, d.dialect); err != nil {
		return nil, err
	}
	if d.statements, err = database.PrepareSQLite(ctx, d.Writer, allStatements()...); err != nil {
		return nil, err
	}
	if d.Reader, err = database.Connect(path, sqliteReaders, "busy_timeout(5000)", "query_only(1)"); err != nil {
		return nil, err
	}

	return d, d.Ping(ctx)
}
