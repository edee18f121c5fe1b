package cache

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

const (
	batchDelay = 100 * time.Millisecond
	batchSize  = 256
	writePause = time.Minute
	sweepEvery = time.Minute
	sweepSize  = 1024 // entries visited in one sweep
)

var errPaused = errors.New("writing is suspended for a minute after an error")

// notify wakes the writer.
func (d *disk) notify() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// run writes queued entries, batched for batchDelay, until close.
func (d *disk) run() {
	defer close(d.stopped)
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	var due <-chan time.Time
	for {
		select {
		case <-d.wake:
			if due == nil {
				due = time.After(batchDelay)
			}
			if length, _ := d.queue.state(); length < batchSize {
				continue
			}

			due = d.drain()
		case <-due:
			due = d.drain()
		case <-sweep.C:
			d.sweep(time.Now())
		case <-d.stop:
			d.pausedUntil.Store(0) // try one last time
			d.drain()
			return
		}
	}
}

// drain writes the whole queue. If that fails, it returns a timer for the next attempt.
func (d *disk) drain() (again <-chan time.Time) {
	for {
		n, err := d.flush()
		if err != nil {
			return time.After(time.Until(time.Unix(0, d.pausedUntil.Load())))
		}
		if n < batchSize {
			return nil
		}
	}
}

// flush writes one batch of the queue in one transaction and returns its size.
func (d *disk) flush() (int, error) {
	d.writing.Lock()
	defer d.writing.Unlock()
	batch := d.queue.oldest(batchSize)
	if len(batch) == 0 {
		return 0, nil
	}

	err := d.write(func(b *bbolt.Bucket) error {
		for _, q := range batch {
			if err := b.Put([]byte(q.entry.name), q.encoded); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		return 0, err
	}

	d.queue.removeWritten(batch)
	return len(batch), nil
}

// remove deletes a key.
func (d *disk) remove(key string) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	return d.write(func(b *bbolt.Bucket) error { return b.Delete([]byte(key)) })
}

// sweep deletes expired entries among the next sweepSize entries of the file.
func (d *disk) sweep(now time.Time) {
	d.writing.Lock()
	defer d.writing.Unlock()
	expired, err := d.expiredKeys(now)
	if err != nil {
		d.failures.Add(1)
		return
	}
	if len(expired) == 0 {
		return
	}

	// A failure is counted and logged, and retried in the next round.
	_ = d.write(func(b *bbolt.Bucket) error {
		for _, key := range expired {
			if err := b.Delete(key); err != nil {
				return err
			}
		}

		return nil
	})
}

// expiredKeys advances the cursor and returns the keys of entries that have expired or cannot be read.
func (d *disk) expiredKeys(now time.Time) (keys [][]byte, err error) {
	err = d.access(func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucket)
			if b == nil {
				return nil
			}

			cursor := b.Cursor()
			key, encoded := cursor.Seek(d.cursor)
			for n := 0; key != nil && n < sweepSize; n++ {
				if text, err := unseal(encoded); err != nil || isPastKeepUntil(text, now) {
					keys = append(keys, bytes.Clone(key))
				}
				key, encoded = cursor.Next()
			}

			d.cursor = bytes.Clone(key) // nil at the end: start over
			return nil
		})
	})
	return keys, err
}

// isPastKeepUntil reports whether an encoded entry is past keepUntil.
func isPastKeepUntil(text []byte, now time.Time) bool {
	var r struct {
		KeepUntil time.Time `json:"keepUntil"`
	}
	return json.Unmarshal(text, &r) != nil || r.KeepUntil.Before(now)
}

// write changes the file in one transaction, unless a write failed less than a minute ago: a full or read-only disk is
// not retried constantly. The caller holds writing.
func (d *disk) write(change func(*bbolt.Bucket) error) error {
	if d.isPaused() {
		return errPaused
	}

	err := d.access(func(db *bbolt.DB) error {
		return d.commit(db, func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(bucket)
			if err != nil {
				return err
			}
			return change(b)
		})
	})
	if err != nil {
		d.failures.Add(1)
		d.pausedUntil.Store(time.Now().Add(writePause).UnixNano())
		d.log.Warn("the cache file cannot be written; caching continues in memory, next attempt in a minute", "file",
			d.path, "error", err)
		return fmt.Errorf("writing %s: %w", d.path, err)
	}

	if d.pausedUntil.Swap(0) != 0 {
		d.log.Info("the cache file is writable again", "file", d.path)
	}

	return nil
}

// isPaused reports whether writing is suspended. Setting the clock back does not extend the pause.
func (d *disk) isPaused() bool {
	left := time.Duration(d.pausedUntil.Load() - time.Now().UnixNano())
	return left > 0 && left <= writePause
}
