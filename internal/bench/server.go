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

// server is a process that is measured.
type server struct {
	address string
	process *exec.Cmd
	stopped bool
}

// start runs a command that serves HTTP at an address, and waits until it
// listens. What the command prints goes into a file of the stage's folder.
func (s *stage) start(ctx context.Context, name, address, command string, args ...string) (*server, error) {
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
	if err := started.awaitListening(ctx); err != nil {
		text, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("%s does not answer: %w\n%s", name, err, text)
	}
	return started, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (s *server) awaitListening(ctx context.Context) error {
	return eventually(ctx, func() error {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			return err
		}
		return conn.Close()
	})
}

// patience is how long a server may take for what it is waited for, an answer
// among others.
const patience = 30 * time.Second

// eventually tries until it succeeds; in the end it fails as the last try did.
func eventually(ctx context.Context, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
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

// stop ends the server in good order. To stop it twice is no mistake.
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
