package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

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
	if err := prepareFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}

	s := &DB{dialect: goose.DialectSQLite3, path: path, DB: database.DB{Holder: newHolder()}}
	if s.lock, err = own(ctx, path+".lock"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()

	if s.Writer, err = connect(path, 1, "busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)"); err != nil {
		return nil, err
	}
	if s.remains, err = scour(ctx, s.Writer); err != nil {
		return nil, err
	}
	if err := migrate(ctx, s.Writer, s.dialect); err != nil {
		return nil, err
	}
	if err := s.releaseAll(ctx); err != nil {
		return nil, err
	}
	if s.Reader, err = connect(path, sqliteReaders, "busy_timeout(5000)", "query_only(1)"); err != nil {
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

// prepareFolder creates a folder if necessary, and checks that it is writable: SQLite would only say that it
// cannot open the database.
func prepareFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	trial, err := os.CreateTemp(dir, ".trial-*")
	if err != nil {
		return err
	}

	return errors.Join(trial.Close(), os.Remove(trial.Name()))
}

// own takes the lock of the owner: an exclusive transaction on an empty database beside the store. It ends with
// the process, however that ends. A lock on the store itself would also lock out its own readers, and the tools
// of operators.
func own(ctx context.Context, path string) (*sql.DB, error) {
	db, err := connect(path, 1, "busy_timeout(0)", "locking_mode(EXCLUSIVE)")
	if err != nil {
		return nil, err
	}

	// The locking mode keeps the lock after the transaction, as long as the pool keeps its one connection.
	if _, err := db.ExecContext(ctx, `BEGIN EXCLUSIVE; COMMIT`); err != nil {
		defer db.Close()
		if failure := (*sqlite.Error)(nil); errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_BUSY {
			return nil, fmt.Errorf("it is in use, and %s is locked: stop the process that uses it, or give this one a data directory of its own (RODATA_DATA_DIR)", path)
		}
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}

	return db, nil
}

// connect opens a database file with up to limit connections. It creates the file readable only by its owner;
// SQLite gives the files beside it the same mode.
func connect(path string, limit int, pragmas ...string) (*sql.DB, error) {
	// An existing file is not opened here: closing it would release the POSIX locks of this process.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = file.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}

	name := filepath.ToSlash(path)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // C:/... in a URI
	}

	query := url.Values{"_txlock": {"immediate"}, "_pragma": pragmas}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: name, RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, err
	}

	db.SetMaxOpenConns(limit)
	db.SetMaxIdleConns(limit)
	return db, nil
}
