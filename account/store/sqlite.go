package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/internal/database"
)

const sqliteReaders = 4 // connections; a lookup takes some 20 microseconds

// OpenSQLite opens the store at path. It creates the file and its folders if necessary, readable only by the
// owner, migrates older tables and refuses newer ones. While it is open, opening it again fails, in this and
// other processes, because each would count credits separately. The file path + ".lock" stays behind and has no
// meaning.
func OpenSQLite(ctx context.Context, path string) (*DB, error) {
	s, err := openSQLite(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("opening the account store %s: %w", path, err)
	}
	return s, nil
}

func openSQLite(ctx context.Context, path string) (_ *DB, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := database.PrepareFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}

	s := &DB{dialect: goose.DialectSQLite3, path: path, DB: database.DB{Holder: newHolder()}}
	if s.lock, err = database.Own(ctx, path+".lock"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()

	if s.Writer, err = database.Connect(path, 1, "busy_timeout(5000)", "journal_mode(WAL)",
		"synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)"); err != nil {
		return nil, err
	}
	if s.remains, err = scour(ctx, s.Writer); err != nil {
		return nil, err
	}
	if err := schema.Migrate(ctx, s.Writer, s.dialect); err != nil {
		return nil, err
	}
	if err := s.releaseAll(ctx); err != nil {
		return nil, err
	}
	if s.Reader, err = database.Connect(path, sqliteReaders, "busy_timeout(5000)", "query_only(1)"); err != nil {
		return nil, err
	}

	return s, s.Ping(ctx)
}

// scoured is the user_version of a file without remains of rows that were deleted before secure_delete was
// used.
const scoured = 1

// scour rewrites, once, a file that a release until November 2026 has used. It can fail if the disk is full,
// which does not prevent the start: remains reports that.
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
