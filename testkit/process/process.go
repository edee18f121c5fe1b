// Package process starts programs for tests, among them the test binary itself for tests that kill a process.
package process

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// Test returns a command that runs a test of the package in another process, with further environment variables.
func Test(t testing.TB, name string, env ...string) *exec.Cmd {
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+name+"$", "-test.v")
	c.Env = append(os.Environ(), env...)
	return c
}

// Process is a program that ends with its test.
type Process struct {
	command *exec.Cmd
	output  buffer
	ended   chan struct{} // closed once the process has ended
	err     error         // how it ended
}

// Start starts a program. Unless the command has other writers, the output is kept, and logged if the test fails.
func Start(t testing.TB, c *exec.Cmd) *Process {
	t.Helper()
	p := &Process{command: c, ended: make(chan struct{})}
	if c.Stdout == nil {
		c.Stdout, c.Stderr = &p.output, &p.output
	}
	testkit.NoError(t, c.Start())

	go func() {
		defer close(p.ended)
		p.err = c.Wait()
	}()
	t.Cleanup(func() {
		p.Kill()
		if text := p.Output(); t.Failed() && text != "" {
			t.Logf("%s wrote:\n%s", c.Path, text)
		}
	})
	return p
}

// StartUntilLine starts a program and waits until it has written a line with a prefix. It returns the rest of the line.
func StartUntilLine(t testing.TB, c *exec.Cmd, prefix string) (p *Process, rest string) {
	t.Helper()
	p = Start(t, c)
	testkit.Until(t, "the process writes "+prefix, func() bool {
		ended := p.hasEnded() // before the output is read, which is whole by then
		for line := range strings.Lines(p.Output()) {
			line, whole := strings.CutSuffix(line, "\n")
			if text, found := strings.CutPrefix(line, prefix); found && whole {
				rest = text
				return true
			}
		}

		if ended {
			t.Fatalf("the process ended with %v: %s", p.err, p.Output())
		}
		return false
	})
	return p, rest
}

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Output returns what the program has written so far.
func (p *Process) Output() string { return p.output.String() }

// Signal sends a signal.
func (p *Process) Signal(t testing.TB, s os.Signal) {
	t.Helper()
	testkit.NoError(t, p.command.Process.Signal(s))
}

// Wait waits for the end of the process. It returns nil if its exit code was 0.
func (p *Process) Wait() error {
	<-p.ended
	return p.err
}

// WaitFor waits for the end of the process, and kills it after a time.
func (p *Process) WaitFor(limit time.Duration) error {
	select {
	case <-p.ended:
	case <-time.After(limit):
		p.Kill()
	}

	return p.err
}

// Ended returns a channel that is closed once the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Kill ends the process like kill -9, and waits for its end.
func (p *Process) Kill() {
	p.command.Process.Kill()
	<-p.ended
}

// Stop ends the process as an operator does. It must exit with code 0.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	p.Signal(t, syscall.SIGTERM)
	if err := p.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
}

// Healthy waits until a gateway answers, and returns the time that this took.
func Healthy(t testing.TB, url string) time.Duration {
	t.Helper()
	return testkit.Until(t, url+" answers", func() bool {
		res, err := http.Get(url + "/health")
		if err != nil {
			return false
		}

		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
}

// buffer is a buffer for a process and its test.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
