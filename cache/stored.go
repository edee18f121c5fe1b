package cache

import (
	"bytes"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// Stored is an entry in the file.
type Stored[V any] struct {
	Key         string // without the kind
	Value       V
	RetrievedAt time.Time
}

// OnDisk returns the values of a kind in the file, however old, in key order: of up to limit keys after a given
// one, and the last of these keys, which is empty at the end. Unknown and unreadable entries are omitted. Entries
// written in the meantime may be missing.
func OnDisk[V any](c *Cache, kind, after string, limit int) (all []Stored[V], last string, err error) {
	if c.disk == nil {
		return nil, "", nil
	}
	prefix := kind + ":"
	names, texts, err := c.disk.next(prefix, after, limit)
	if err != nil {
		return nil, "", err
	}

	for i, name := range names {
		key := strings.TrimPrefix(name, prefix)
		if len(names) == limit {
			last = key
		}
		if e, err := decode[V](kind, nil, name, texts[i]); err == nil && !e.unknown {
			all = append(all, Stored[V]{Key: key, Value: e.value.(V), RetrievedAt: e.retrievedAt})
		}
	}
	return all, last, nil
}

// next returns up to limit keys with a prefix, after a given one, and their encoded entries.
func (d *disk) next(prefix, after string, limit int) (keys []string, encoded [][]byte, err error) {
	err = d.access(func(db *bbolt.DB) error {
		keys, encoded = nil, nil
		return db.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucket)
			if b == nil {
				return nil
			}
			cursor, start := b.Cursor(), []byte(prefix+after)
			for key, text := cursor.Seek(start); bytes.HasPrefix(key, []byte(prefix)) && len(keys) < limit; key, text = cursor.Next() {
				if after == "" || !bytes.Equal(key, start) {
					keys, encoded = append(keys, string(key)), append(encoded, bytes.Clone(text))
				}
			}
			return nil
		})
	})
	return keys, encoded, err
}
