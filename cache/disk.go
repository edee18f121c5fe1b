package cache

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

const lockTimeout = 2 * time.Second

// bucket holds the entries; its name ends with the version of their encoding.
var bucket = []byte("facts-1")

var errDamaged = errors.New("the file is damaged")

// disk is the second level: a bbolt file of encoded entries by key. Every commit is synced, so the file survives
// kill -9 and power loss.
type disk struct {
	path   string
	queue  *writeQueue
	log    *slog.Logger
	commit func(*bbolt.DB, func(*bbolt.Tx) error) error // replaced in tests

	mu sync.RWMutex // locked for writing while db is replaced
	db *bbolt.DB

	writing     sync.Mutex   // held by the writer
	pausedUntil atomic.Int64 // Unix nanoseconds; 0 after a successful write
	cursor      []byte       // where the next sweep starts

	failures   atomic.Uint64
	wake, stop chan struct{}
	stopped    chan struct{}
}

// openDisk opens or creates the file and starts its writer.
func openDisk(path string, queue *writeQueue, log *slog.Logger) (*disk, error) {
	d := &disk{path: path, queue: queue, log: log, commit: (*bbolt.DB).Update,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{})}
	db, err := openFile(path)
	if errors.Is(err, errDamaged) {
		db, err = d.startOver(err)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the cache file %s: %w", path, err)
	}

	d.db = db
	go d.run()
	return d, nil
}

// close writes the queued entries and closes the file.
func (d *disk) close() error {
	close(d.stop)
	<-d.stopped
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.db.Close(); err != nil {
		return fmt.Errorf("closing the cache file %s: %w", d.path, err)
	}

	return nil
}

// get returns the encoded entry of a key, or nil if there is none or it cannot be read.
func (d *disk) get(key string) (encoded []byte) {
	d.view(key, func(found []byte) { encoded = bytes.Clone(found) })
	return encoded
}

// has reports whether the file has an entry of a key.
func (d *disk) has(key string) (found bool) {
	d.view(key, func(encoded []byte) { found = encoded != nil })
	return found
}

// view passes the encoded entry of a key to use, which must not keep it. It does not call use if the file cannot be
// read.
func (d *disk) view(key string, use func(encoded []byte)) {
	err := d.access(func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			if b := tx.Bucket(bucket); b != nil {
				use(b.Get([]byte(key)))
			}
			return nil
		})
	})
	if err != nil {
		d.failures.Add(1)
	}
}

// access calls use with the open file. If the file turns out to be damaged (bbolt panics, or faults on a missing page),
// access moves it aside, replaces it with an empty one, and returns the error.
func (d *disk) access(use func(*bbolt.DB) error) error {
	d.mu.RLock()
	db := d.db
	err := recoverDamage(func() error { return use(db) })
	d.mu.RUnlock()
	if !errors.Is(err, errDamaged) {
		return err
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db != db {
		return err // another goroutine has replaced it
	}

	// The damaged file stays open: closing it could deadlock on a lock that the panic left behind.
	newer, openErr := d.startOver(err)
	if openErr != nil {
		return errors.Join(err, openErr)
	}

	d.db = newer
	return err
}

// startOver renames a damaged file, replacing an earlier damaged one, and creates an empty file.
func (d *disk) startOver(cause error) (*bbolt.DB, error) {
	aside := d.path + ".damaged"
	if err := os.Rename(d.path, aside); err != nil {
		return nil, err
	}

	d.log.Error("the cache file was damaged; starting over with an empty one", "file", d.path, "moved", aside,
		"cause", cause)
	return openFile(d.path)
}

// openFile opens or creates a file. The error wraps errDamaged if the content is damaged.
func openFile(path string) (db *bbolt.DB, err error) {
	err = recoverDamage(func() error {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTimeout, FreelistType: bbolt.FreelistMapType})
		if err != nil {
			return err
		}
		return db.View(func(tx *bbolt.Tx) error {
			info, err := os.Stat(path)
			if err == nil && info.Size() < tx.Size() {
				return fmt.Errorf("%w: %d bytes are missing at its end", errDamaged, tx.Size()-info.Size())
			}
			return err
		})
	})
	if err != nil && db != nil {
		err = errors.Join(err, db.Close())
	}

	var system syscall.Errno
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("another process held its lock for %s", lockTimeout)
	case errors.Is(err, errDamaged) || errors.As(err, &system):
		return nil, err
	}

	return nil, fmt.Errorf("%w: %w", errDamaged, err)
}

// recoverDamage converts a panic, or a fault in mapped memory, into errDamaged.
func recoverDamage(use func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	return use()
}
