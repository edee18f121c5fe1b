package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"github.com/rodata/rodata/testkit"
)

// logbook is a logger with its output.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *logbook) count(words string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), words)
}

// killed returns a copy of a cache's file as left by a kill of the process.
func killed(t *testing.T, c *Cache) string {
	t.Helper()
	content, err := os.ReadFile(c.disk.path)
	testkit.NoError(t, err)

	path := filepath.Join(t.TempDir(), "cache.db")
	testkit.NoError(t, os.WriteFile(path, content, 0o600))

	return path
}

// lived returns a file with n companies.
func lived(t *testing.T, n int) string {
	t.Helper()
	path := t.TempDir() + "/cache.db"
	c, err := Open(Options{Path: path})
	testkit.NoError(t, err)

	f := through(c, company, new(registry).fetch)
	for key := range taxID(n) {
		f.Put(key, fmt.Sprintf("stored %s %s", key, strings.Repeat("x", 500)), time.Now())
	}
	testkit.NoError(t, c.Close())

	return path
}

func TestFileSurvivesAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, Options{Path: t.TempDir() + "/cache.db"})
		r := new(registry)
		f := through(c, company, r.fetch)
		want(t, f, 14399840, "14399840, answer 1", false, false)
		r.fail(errUnknown)
		f.Get(t.Context(), 14399841)
		pass(batchDelay)
		synctest.Wait()

		f = through(open(t, Options{Path: killed(t, c)}), company, r.fetch)
		found := want(t, f, 14399840, "14399840, answer 1", true, false)
		if age := time.Since(found.RetrievedAt); age != batchDelay {
			t.Errorf("the entry is %s old, want %s", age, batchDelay)
		}
		if found, err := f.Get(t.Context(), 14399841); !errors.Is(err, errUnknown) || !found.Hit {
			t.Errorf("found %+v, %v; want the unknown remembered", found, err)
		}

		r.wantAsked(t, 2)
	})
}

func TestFileIsWrittenBeforeADelayWhenABatchIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, Options{Path: t.TempDir() + "/cache.db"})
		f := through(c, company, new(registry).fetch)
		for key := range taxID(batchSize) {
			f.Put(key, "stored", time.Now())
		}

		synctest.Wait()
		if s := c.Stats(); s.Queued != 0 {
			t.Errorf("%d entries wait although the batch is full", s.Queued)
		}
	})
}

func TestCloseWritesTheQueue(t *testing.T) {
	path := lived(t, 600)
	f := through(open(t, Options{Path: path}), company, new(registry).fetch)
	for key := range taxID(600) {
		if _, ok := f.Peek(key); !ok {
			t.Fatalf("%s was lost", key)
		}
	}
}

func TestBulkPutLosesNothing(t *testing.T) {
	c := open(t, Options{Path: t.TempDir() + "/cache.db", MaxBytes: 1 << 20})
	f := through(c, company, new(registry).fetch)
	for key := range taxID(5000) {
		f.Put(key, "stored", time.Now())
	}

	for key := range taxID(5000) {
		if _, ok := f.Peek(key); !ok {
			t.Fatalf("%s was lost", key)
		}
	}

	if s := c.Stats(); s.Displaced != 0 {
		t.Errorf("%d entries were displaced before they were written", s.Displaced)
	}
}

// TestSimultaneousBatchLosesNothing verifies that a small cache has room for a batch of companies that arrive
// together, before any of them has been written to the file.
func TestSimultaneousBatchLosesNothing(t *testing.T) {
	c := open(t, Options{Path: t.TempDir() + "/cache.db", MaxBytes: 1 << 20})
	stored := make(chan struct{})
	c.disk.commit = func(db *bbolt.DB, change func(*bbolt.Tx) error) error {
		<-stored
		return db.Update(change)
	}
	f := through(c, company, func(context.Context, taxID) (string, error) { return strings.Repeat("x", 4<<10), nil })
	var callers sync.WaitGroup
	for key := range taxID(100) {
		callers.Go(func() { f.Get(t.Context(), key) })
	}

	for s := c.Stats(); s.Queued+int(s.Displaced) < 100; s = c.Stats() {
		<-time.After(time.Millisecond)
	}

	close(stored)
	callers.Wait()
	if s := c.Stats(); s.Displaced != 0 {
		t.Errorf("%d entries were displaced before they were written", s.Displaced)
	}
}

func TestDamagedFileIsMovedAside(t *testing.T) {
	for name, damage := range map[string]func(content []byte) []byte{
		"not a database": func([]byte) []byte { return []byte(strings.Repeat("GET / HTTP/1.1\n", 2000)) },
		"one byte":       func([]byte) []byte { return []byte{1} },
		"cut off":        func(content []byte) []byte { return content[:len(content)/2] },
		"zeroed pages": func(content []byte) []byte {
			clear(content[2*os.Getpagesize():])
			return content
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := lived(t, 1000)
			content, err := os.ReadFile(path)
			testkit.NoError(t, err)
			testkit.NoError(t, os.WriteFile(path, damage(content), 0o600))

			log := new(logbook)
			c, err := Open(Options{Path: path, Logger: log.logger()})
			testkit.NoError(t, err)

			r := new(registry)
			f := through(c, company, r.fetch)
			want(t, f, 500, "500, answer 1", false, false)
			c.disk.drain()
			want(t, f, 500, "500, answer 1", true, false)
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if log.count("the cache file was damaged") != 1 {
				t.Errorf("logged %q, want one line on the damage", &log.text)
			}
			if _, err := os.Stat(path + ".damaged"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFileThatIsCutOffWhileOpenIsReplaced(t *testing.T) {
	log := new(logbook)
	c := open(t, Options{Path: lived(t, 1000), Logger: log.logger()})
	r := new(registry)
	f := through(c, company, r.fetch)
	testkit.NoError(t, os.Truncate(c.disk.path, int64(os.Getpagesize())*2))

	for key := range taxID(1000) {
		if _, err := f.Get(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}

	r.wantAsked(t, 1000)
	c.disk.drain()
	for key := range taxID(1000) {
		if found, err := f.Get(t.Context(), key); err != nil || !found.Hit {
			t.Fatalf("%s: hit %t, %v", key, found.Hit, err)
		}
	}

	if log.count("the cache file was damaged") != 1 {
		t.Errorf("logged %q, want one line on the damage", &log.text)
	}
}

func TestDamagedEntriesAreMisses(t *testing.T) {
	good := func(key string, at time.Time) []byte {
		r := &entry{name: key, value: "stored", retrievedAt: at, freshUntil: at.Add(time.Hour),
			keepUntil: at.Add(time.Hour)}
		encoded, err := encode[string](r)
		testkit.NoError(t, err)

		return encoded
	}
	for name, test := range map[string]struct {
		encoded []byte
		found   bool
	}{
		"as stored": {good("company:7", time.Now()), true},
		"a changed byte": {bytes.Replace(good("company:7", time.Now()), []byte("stored"),
			[]byte("forged"), 1), false},
		"too short":                   {[]byte{1, 2}, false},
		"of another key":              {good("company:8", time.Now()), false},
		"from a clock a year ahead":   {good("company:7", time.Now().AddDate(1, 0, 0)), false},
		"from a clock a second ahead": {good("company:7", time.Now().Add(time.Second)), true},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, Options{Path: t.TempDir() + "/cache.db"})
			if err := c.disk.write(func(b *bbolt.Bucket) error {
				return b.Put([]byte("company:7"), test.encoded)
			}); err != nil {
				t.Fatal(err)
			}

			r := new(registry)
			found, err := through(c, company, r.fetch).Get(t.Context(), 7)
			if err != nil || found.Hit != test.found {
				t.Errorf("hit %t, %v; want %t", found.Hit, err, test.found)
			}
			if unreadable := c.Stats().Unreadable != 0; unreadable == test.found {
				t.Errorf("counted as unreadable: %t", unreadable)
			}
		})
	}
}

func TestValuesOfAnotherTypeAreAbsent(t *testing.T) {
	c := open(t, Options{Path: t.TempDir() + "/cache.db"})
	want(t, through(c, company, new(registry).fetch), 7, "7, answer 1", false, false)
	numbers := through(c, company, func(context.Context, taxID) (int, error) { return 12, nil })
	for _, hit := range []bool{false, true} {
		if found, err := numbers.Get(t.Context(), 7); err != nil || found.Value != 12 || found.Hit != hit {
			t.Errorf("found %+v, %v", found, err)
		}
	}
}

func TestFullDiskStopsWritingForAMinute(t *testing.T) {
	for name, cause := range map[string]error{"full": syscall.ENOSPC, "read-only": syscall.EROFS} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := new(logbook)
				c := open(t, Options{Path: lived(t, 3), Logger: log.logger()})
				var full atomic.Bool
				var writes atomic.Int64
				c.disk.commit = func(db *bbolt.DB, change func(*bbolt.Tx) error) error {
					writes.Add(1)
					if full.Load() {
						return cause
					}
					return db.Update(change)
				}
				r := new(registry)
				f := through(c, company, r.fetch)
				full.Store(true)
				for key := taxID(10); key < 100; key++ {
					f.Get(t.Context(), key)
					if found, err := f.Get(t.Context(), key); err != nil || !found.Hit {
						t.Fatalf("%s: hit %t, %v", key, found.Hit, err)
					}

					pass(time.Second / 2)
				}

				if _, ok := f.Peek(2); !ok {
					t.Error("an entry in the file was not found")
				}
				if err := f.Delete(t.Context(), 2); err == nil {
					t.Error("Delete reported success without deleting from the file")
				}
				if writes.Load() != 1 || log.count("cannot be written") != 1 {
					t.Errorf("%d writes were tried in a minute, %d lines logged; want one", writes.Load(),
						log.count("cannot be written"))
				}
				if s := c.Stats(); !s.DiskPaused || s.DiskErrors != 1 || s.Queued != 90 {
					t.Errorf("counted %+v", s)
				}

				full.Store(false)
				pass(time.Minute)
				synctest.Wait()
				if s := c.Stats(); s.DiskPaused || s.Queued != 0 {
					t.Errorf("a minute after there is room again: %+v", s)
				}
				if log.count("is writable again") != 1 {
					t.Error("the recovery was not logged")
				}

				f = through(open(t, Options{Path: killed(t, c)}), company, r.fetch)
				want(t, f, 10, "10, answer 1", true, false)
			})
		})
	}
}

func TestExpiredEntriesLeaveTheFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, Options{Path: t.TempDir() + "/cache.db"})
		short := through(c, Kind{Name: "short", Fresh: time.Minute}, new(registry).fetch)
		long := through(c, Kind{Name: "long", Fresh: 48 * time.Hour}, new(registry).fetch)
		const each = 3 * sweepSize / 2
		for key := range taxID(each) {
			short.Put(key, "stored", time.Now())
			long.Put(key, "stored", time.Now())
		}

		count := func() (n int) {
			err := c.disk.db.View(func(tx *bbolt.Tx) error {
				n = tx.Bucket(bucket).Stats().KeyN
				return nil
			})
			testkit.NoError(t, err)
			return n
		}
		pass(30 * time.Second)
		synctest.Wait()
		if n := count(); n != 2*each {
			t.Fatalf("the file has %d entries, want %d", n, 2*each)
		}

		pass(10 * time.Minute)
		synctest.Wait()
		if n := count(); n != each {
			t.Errorf("the file has %d entries, want the %d that are fresh", n, each)
		}
	})
}

func TestOpenNamesTheFileThatItCannotHave(t *testing.T) {
	held := lived(t, 1)
	open(t, Options{Path: held})
	for name, test := range map[string]struct{ path, words string }{
		"held by another": {held, "another process held its lock for 2s"},
		"no folder":       {t.TempDir() + "/missing/cache.db", "no such file or directory"},
		"a folder":        {t.TempDir(), "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the wait for a lock takes no time
				_, err := Open(Options{Path: test.path})
				if err == nil || !strings.Contains(err.Error(), test.path) ||
					!strings.Contains(err.Error(), test.words) {
					t.Errorf("error %v, want the path and %q", err, test.words)
				}
			})
		})
	}
}
