package accesslog

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// paper is a writer that a test can block and make fail.
type paper struct {
	mu     sync.Mutex
	text   bytes.Buffer
	closed bool
	writes int
	free   chan struct{} // nil, or closed once writes may go on
	accept int           // bytes of each write before it fails; negative for all
}

func newPaper() *paper { return &paper{accept: -1} }

func (p *paper) Write(b []byte) (int, error) {
	if p.free != nil {
		<-p.free
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes++
	if p.accept >= 0 && p.accept < len(b) {
		p.text.Write(b[:p.accept])
		return p.accept, errors.New("the disk is full")
	}

	return p.text.Write(b)
}

func (p *paper) Close() error {
	p.closed = true
	return nil
}

func (p *paper) accepts(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accept = n
}

func (p *paper) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// Lines are written within a second, in one write and in order.
func TestLinesAreWrittenInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaper()
		l := NewLog(p)
		l.Append([]byte("a\n"))
		l.Append([]byte("b\n"))
		synctest.Wait()
		if p.String() != "" {
			t.Errorf("written at once: %q", p)
		}

		<-time.After(flushEvery)
		synctest.Wait()
		if p.String() != "a\nb\n" || p.writes != 1 {
			t.Errorf("after a second: %q in %d writes", p, p.writes)
		}
		if err := l.Close(); err != nil || !p.closed {
			t.Errorf("closing: %v", err)
		}
	})
}

// A full batch is written without waiting for the interval.
func TestFullBatchIsWrittenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaper()
		l := NewLog(p)
		l.Append(bytes.Repeat([]byte("x"), flushSize))
		synctest.Wait()
		if len(p.String()) != flushSize {
			t.Errorf("%d bytes were written", len(p.String()))
		}

		l.Close()
	})
}

// Close writes the waiting lines. Afterwards Append returns false.
func TestCloseLosesNothing(t *testing.T) {
	p := newPaper()
	l := NewLog(p)
	var want strings.Builder
	for i := range 1000 {
		line := fmt.Sprintf("%d\n", i)
		want.WriteString(line)
		l.Append([]byte(line))
	}

	if err := l.Close(); err != nil || p.String() != want.String() {
		t.Errorf("got %d bytes of %d: %v", len(p.String()), want.Len(), err)
	}
	if l.Append([]byte("late\n")) {
		t.Error("a closed log took a line")
	}
}

// If the writer hangs, Append does not block. Memory is bounded: lines beyond the limit are dropped and counted.
func TestWriterThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaper()
		p.free = make(chan struct{})
		l := NewLog(p)
		line := append(bytes.Repeat([]byte("x"), 1023), '\n')
		before, sent := DroppedLines(), uint64(3*maxPending/len(line))
		for range sent {
			if !l.Append(line) {
				t.Fatal("the log is closed")
			}
		}

		close(p.free)
		testkit.NoError(t, l.Close())

		written, dropped := uint64(strings.Count(p.String(), "\n")), DroppedLines()-before
		if written+dropped != sent || dropped < sent/4 || written < maxPending/uint64(len(line)) {
			t.Errorf("of %d lines %d were written and %d dropped", sent, written, dropped)
		}
	})
}

// Close does not wait forever for a writer that hangs.
func TestCloseOfWriterThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaper()
		p.free = make(chan struct{})
		l := NewLog(p)
		l.Append([]byte("x\n"))
		if err := l.Close(); err == nil {
			t.Error("closing succeeded while the writer hung")
		}

		close(p.free)
	})
}

// On a full disk, lines are lost and counted. Once there is space again, new lines are complete.
func TestWriterThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaper()
		l := NewLog(p)
		before := DroppedLines()
		write := func(accept int, lines string) {
			p.accepts(accept)
			l.Append([]byte(lines))
			<-time.After(flushEvery)
			synctest.Wait()
		}
		write(5, "one\ntwo\nthree\n") // one line and a part of the next
		write(0, "four\n")
		write(-1, "five\n")
		if got := p.String(); got != "one\nt\nfive\n" {
			t.Errorf("got %q", got)
		}
		if lost := DroppedLines() - before; lost != 3 {
			t.Errorf("%d lines counted as lost, want 3", lost)
		}

		l.Close()
	})
}
