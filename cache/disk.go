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

// bucket holds the entries; its name ends with the version of their form.
var bucket = []byte("facts-1")

var errDamaged = errors.New("the file is damaged")

// disk is the second level: a bbolt file of encoded records by key. Every commit
// is synced, so that the file is whole after a kill or a loss of power.
type disk struct {
	path   string
	recent *recent
	log    *slog.Logger
	commit func(*bbolt.DB, func(*bbolt.Tx) error) error // tests make it fail

	mu sync.RWMutex // held for writing while db is replaced
	db *bbolt.DB

	writing     sync.Mutex   // held by the one that writes
	pausedUntil atomic.Int64 // Unix nanoseconds; 0 when the last write went well
	cursor      []byte       // where the next sweep begins

	failures   atomic.Uint64
	wake, stop chan struct{}
	stopped    chan struct{}
}

// openDisk opens or makes the file and starts its writer.
func openDisk(path string, queue *recent, log *slog.Logger) (*disk, error) {
	d := &disk{path: path, recent: queue, log: log, commit: (*bbolt.DB).Update,
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

// close writes what is queued and closes the file.
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

// get is the encoded record of a key, nil when there is none or it cannot be
// read.
func (d *disk) get(key string) []byte {
	var encoded []byte
	err := d.access(func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			if b := tx.Bucket(bucket); b != nil {
				encoded = bytes.Clone(b.Get([]byte(key)))
			}
			return nil
		})
	})
	if err != nil {
		d.failures.Add(1)
		return nil
	}
	return encoded
}

// access uses the file. A damaged one makes bbolt panic or, where a page is
// missing, fault: the file is set aside then, and a new one begins.
func (d *disk) access(use func(*bbolt.DB) error) error {
	d.mu.RLock()
	db := d.db
	err := guarded(func() error { return use(db) })
	d.mu.RUnlock()
	if !errors.Is(err, errDamaged) {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db != db {
		return err // another has replaced it
	}
	// The damaged file stays open: closing it could wait for ever for a lock that
	// the panic left behind.
	newer, openErr := d.startOver(err)
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	d.db = newer
	return err
}

// startOver moves a damaged file aside, over one that was moved before, and
// opens a new one.
func (d *disk) startOver(cause error) (*bbolt.DB, error) {
	aside := d.path + ".damaged"
	if err := os.Rename(d.path, aside); err != nil {
		return nil, err
	}
	d.log.Error("the cache file was damaged; a new one begins", "file", d.path, "moved", aside, "cause", cause)
	return openFile(d.path)
}

// openFile opens or makes a file. Its error is errDamaged when only the content
// is at fault.
func openFile(path string) (db *bbolt.DB, err error) {
	err = guarded(func() error {
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
		return nil, fmt.Errorf("another process has held it for %s", lockTimeout)
	case errors.Is(err, errDamaged) || errors.As(err, &system):
		return nil, err
	}
	return nil, fmt.Errorf("%w: %w", errDamaged, err)
}

// guarded turns a panic, or a fault in mapped memory, into errDamaged.
func guarded(use func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	return use()
}
