package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is a process that is measured.
type server struct {
	name, address, path string
	process             *exec.Cmd
}

// start runs a built gateway on a configuration in a folder of its own, and
// waits until it answers for the path.
func start(ctx context.Context, binary, name, path, folder, config string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, name+".caddyfile")
	config = strings.ReplaceAll(config, "ADDRESS", "http://"+address)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(folder, name+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	process := exec.CommandContext(ctx, binary, "run", "--config", file, "--adapter", "caddyfile")
	process.Stdout, process.Stderr = log, log
	process.Env = append(os.Environ(), "XDG_DATA_HOME="+folder, "XDG_CONFIG_HOME="+folder)
	process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
	process.WaitDelay = 10 * time.Second
	if err := process.Start(); err != nil {
		return nil, err
	}
	s := &server{name: name, address: address, path: path, process: process}
	if _, err := s.body(ctx); err != nil {
		text, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("%s does not answer: %w\n%s", name, err, text)
	}
	return s, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// body is what the server answers, asked for until it is up.
func (s *server) body(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		body, err := s.fetch(ctx)
		if err == nil {
			return body, nil
		}
		last = err
		select {
		case <-ctx.Done():
			return nil, last
		case <-tick.C:
		}
	}
}

func (s *server) fetch(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+s.path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", res.Status, body)
	}
	return body, err
}

// cpu is the processor time that the process has used: user and system, in
// ticks of 10 ms.
func (s *server) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.process.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest) // of proc(5), from the third on
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

func (s *server) stop() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.process.Wait()
}
