package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// server is a process under measurement.
type server struct {
	address string
	process *exec.Cmd
	stopped bool
}

// start runs a command that serves HTTP at an address, and waits until it listens. Its output goes to a file in the
// testbed's folder.
func (s *testbed) start(ctx context.Context, name, address, command string, args ...string) (*server, error) {
	log, err := os.Create(filepath.Join(s.folder, name+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()

	process := exec.CommandContext(ctx, command, args...)
	process.Stdout, process.Stderr = log, log
	process.Env = append(os.Environ(), "XDG_DATA_HOME="+s.folder, "XDG_CONFIG_HOME="+s.folder)
	process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
	process.WaitDelay = 10 * time.Second
	if err := process.Start(); err != nil {
		return nil, err
	}

	started := &server{address: address, process: process}
	s.servers = append(s.servers, started)
	err = eventually(ctx, func() error {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	})
	if err != nil {
		text, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("%s does not answer: %w\n%s", name, err, text)
	}

	return started, nil
}

// serverTimeout bounds every wait for a server.
const serverTimeout = 30 * time.Second

// eventually retries until it succeeds; after the timeout it returns the last error.
func eventually(ctx context.Context, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}

		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

// pause waits for a duration, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// stop shuts the server down gracefully. Stopping twice is allowed.
func (s *server) stop() error {
	if s.stopped {
		return nil
	}

	s.stopped = true
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := s.process.Wait(); !errors.Is(err, context.Canceled) {
		return err
	}

	return nil
}
