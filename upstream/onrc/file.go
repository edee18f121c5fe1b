package onrc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"github.com/rodata/rodata/internal/work"
)

func readJSON(path string, into any) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// writeJSON replaces a file atomically.
func writeJSON(path string, value any) error {
	body, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return err
	}
	return renameio.WriteFile(path, append(body, '\n'), 0o644, renameio.WithTempDir(filepath.Dir(path)))
}

// lock locks the directory of a register for a load, an installation or a publication. It returns ErrBusy if another
// process holds the lock. The lock ends with the process at the latest.
func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}

	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}

	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrBusy
		}
		return nil, fmt.Errorf("locking %s: %w", file.Name(), err)
	}

	return func() { file.Close() }, nil
}

// refusal records a release that was refused, so that it is not downloaded repeatedly in the background.
type refusal struct {
	Origin string `json:"origin"`
	Reason string `json:"reason"`
}

func refusalPath(dir string) string { return filepath.Join(dir, "refused.json") }

// lastRefusal returns the last refused release, or the zero value.
func lastRefusal(dir string) (r refusal) {
	if readJSON(refusalPath(dir), &r) != nil {
		return refusal{}
	}
	return r
}

// countingReader reports the number of bytes read.
type countingReader struct {
	io.Reader
	note func(int64)
}

func (c countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.note(int64(n))
	return n, err
}

// pacedReader rests before each read for nine times as long as its caller worked since the last one, so that the caller
// uses a tenth of a processor.
type pacedReader struct {
	ctx context.Context
	io.Reader
	since time.Time // end of the last read
}

func (r *pacedReader) Read(p []byte) (int, error) {
	if err := rest(r.ctx, 9, r.since); err != nil {
		return 0, err
	}

	n, err := r.Reader.Read(p)
	r.since = time.Now()
	return n, err
}

// rest sleeps for some times as long as the caller worked since a time, unless that is zero.
func rest(ctx context.Context, times int, since time.Time) error {
	if since.IsZero() {
		return ctx.Err()
	}
	return work.Sleep(ctx, time.Duration(times)*min(time.Since(since), 100*time.Millisecond))
}

// contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
