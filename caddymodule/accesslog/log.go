package accesslog

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"
)

// The bounds of a Log.
const (
	flushEvery   = time.Second
	flushSize    = 64 << 10  // bytes of waiting lines that are written at once
	maxPending   = 8 << 20   // bytes of waiting lines; more are dropped
	maxWrite     = 512 << 10 // bytes of a write, less than the smallest size at which Caddy rotates files
	maxSpare     = 1 << 20   // the largest buffer that is kept after a burst
	closeTimeout = 5 * time.Second
)

// dropped counts the lines that were not written because the writer failed or was too slow.
var dropped atomic.Uint64

// DroppedLines returns the number of lines that were lost since the process started.
func DroppedLines() uint64 { return dropped.Load() }

// Log writes lines in batches. Append never waits for the writer. While the writer is busy, lines are buffered in
// memory; once there are too many, new lines are dropped and counted. A Log may be used concurrently.
type Log struct {
	out io.WriteCloser

	mu      sync.Mutex
	pending []byte // whole lines
	closed  bool

	wake, stop, done chan struct{}

	// The following fields belong to the goroutine that writes.
	spare   []byte
	torn    bool // the last write ended within a line
	failing bool
}

// NewLog returns a Log that writes to out. Close ends it.
func NewLog(out io.WriteCloser) *Log {
	l := &Log{out: out, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go l.run()
	return l
}

// Append adds a line, which ends with a newline. It returns false if the Log is closed.
func (l *Log) Append(line []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	if len(l.pending)+len(line) > maxPending {
		dropped.Add(1)
		return true
	}

	l.pending = append(l.pending, line...)
	if len(l.pending) >= flushSize {
		select {
		case l.wake <- struct{}{}:
		default: // it is awake, or about to be
		}
	}

	return true
}

// Close writes the waiting lines and closes the writer. It fails if the writer takes longer than a few seconds.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()

	close(l.stop)
	select {
	case <-l.done:
		return l.out.Close()
	case <-time.After(closeTimeout):
		return errors.New("the writer of the access log hangs; its last lines may be lost")
	}
}

// Destruct implements caddy.Destructor.
func (l *Log) Destruct() error { return l.Close() }

// run writes the lines until the Log is closed.
func (l *Log) run() {
	defer close(l.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-l.wake:
		case <-l.stop:
			l.flush()
			return
		}

		l.flush()
	}
}

// flush writes the waiting lines while new lines go to the spare buffer.
func (l *Log) flush() {
	l.mu.Lock()
	batch := l.pending
	l.pending = l.spare[:0]
	l.mu.Unlock()

	for rest := batch; len(rest) > 0; {
		n := len(rest)
		if n > maxWrite {
			n = bytes.LastIndexByte(rest[:maxWrite], '\n') + 1
		}

		l.write(rest[:n])
		rest = rest[n:]
	}

	l.spare = nil
	if cap(batch) <= maxSpare {
		l.spare = batch
	}
}

// write writes lines. Lines that cannot be written are lost and counted.
func (l *Log) write(batch []byte) {
	var n int
	err := l.endTornLine()
	if err == nil {
		n, err = l.out.Write(batch)
		l.torn = n > 0 && n < len(batch) && batch[n-1] != '\n'
	}

	if err == nil {
		l.recovered()
		return
	}

	lost := bytes.Count(batch[n:], []byte("\n"))
	dropped.Add(uint64(lost))
	if !l.failing {
		l.failing = true
		caddy.Log().Named("rodata").Error("the access log cannot be written", zap.Error(err),
			zap.Int("lines_lost", lost))
	}
}

// endTornLine writes a newline after a line that was written only in part.
func (l *Log) endTornLine() error {
	if !l.torn {
		return nil
	}

	_, err := l.out.Write([]byte("\n"))
	return err
}

func (l *Log) recovered() {
	if l.failing {
		l.failing = false
		caddy.Log().Named("rodata").Info("the access log is written again")
	}
}
