package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// readers is the number of connections that read a file concurrently. A lookup takes some 20 microseconds.
const readers = 4

// openSQLite opens the file with its owner's lock.
func (d *DB) openSQLite(ctx context.Context, pragmas []string) (err error) {
	if d.Path, err = filepath.Abs(d.Path); err != nil {
		return err
	}
	if err := prepareFolder(filepath.Dir(d.Path)); err != nil {
		return err
	}
	if d.lock, err = own(ctx, d.Path+".lock"); err != nil {
		return err
	}

	d.Holder = rand.Int64()
	pragmas = append([]string{"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
		"secure_delete(1)"}, pragmas...)
	if d.Writer, err = Connect(d.Path, 1, pragmas...); err != nil {
		return err
	}

	d.Reader, err = Connect(d.Path, readers, "busy_timeout(5000)", "query_only(1)")
	return err
}

// prepareFolder creates a folder if necessary, and checks that it is writable: SQLite would only say that it
// cannot open the database.
func prepareFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}

	return CheckWritable(dir)
}

// CheckWritable returns an error if no file can be created in a folder. It leaves nothing behind.
func CheckWritable(dir string) error {
	trial, err := os.CreateTemp(dir, ".trial-*")
	if err != nil {
		return err
	}

	return errors.Join(trial.Close(), os.Remove(trial.Name()))
}

// own takes the owner's lock: an exclusive lock on an empty database next to the file. The operating system releases
// it when the process ends, even after a crash. A lock on the file itself would also lock out this process's readers
// and the tools of operators.
func own(ctx context.Context, path string) (*sql.DB, error) {
	db, err := Connect(path, 1, "busy_timeout(0)", "locking_mode(EXCLUSIVE)")
	if err != nil {
		return nil, err
	}

	// The locking mode keeps the lock after the transaction, as long as the pool keeps its one connection.
	if _, err := db.ExecContext(ctx, `BEGIN EXCLUSIVE; COMMIT`); err != nil {
		defer db.Close()
		if failure, ok := errors.AsType[*sqlite.Error](err); ok && failure.Code()&0xff == sqlite3.SQLITE_BUSY {
			return nil, fmt.Errorf("it is in use, and %s is locked: stop the process that uses it, or give this one "+
				"a data directory of its own (RODATA_DATA_DIR)", path)
		}
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}

	return db, nil
}

// Connect opens a database file with up to limit connections. It creates the file readable only by its owner; SQLite
// gives its other files the same mode.
func Connect(path string, limit int, pragmas ...string) (*sql.DB, error) {
	// O_EXCL avoids opening an existing file: closing it would release the POSIX locks that this process holds on it.
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

// TruncateWAL empties the write-ahead log of a SQLite file, which holds pages from before rows were deleted. In the
// file itself, SQLite overwrites deleted rows, so neither contains them afterwards. It does nothing on PostgreSQL,
// which leaves deleted rows to its vacuum.
func (d *DB) TruncateWAL(ctx context.Context) error {
	if d.Path == "" {
		return nil
	}

	// It uses a separate connection that gives up if a reader, such as a backup, takes long; the next call retries. The
	// first checkpoint moves the pages without blocking writers, which leaves little work for the second.
	db, err := Connect(d.Path, 1, "busy_timeout(200)")
	if err != nil {
		return err
	}
	defer db.Close()

	for _, checkpoint := range []string{`PRAGMA wal_checkpoint(PASSIVE)`, `PRAGMA wal_checkpoint(TRUNCATE)`} {
		var busy, frames, moved int
		if err := db.QueryRowContext(ctx, checkpoint).Scan(&busy, &frames, &moved); err != nil {
			return Wrap("removing deleted rows from "+d.Path, err)
		}
	}

	return nil
}
