// Package redis starts Redis servers for tests.
package redis

import (
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/process"
)

// Server is a server on a loopback address that belongs to one test.
type Server struct {
	t       testing.TB
	program string
	address string
	flags   []string
	process *process.Process
}

// Start starts an empty server with flags of redis-server; it stops with the test. The test is skipped unless
// RODATA_TEST_REDIS names the program.
func Start(t testing.TB, flags ...string) *Server {
	t.Helper()
	program := os.Getenv("RODATA_TEST_REDIS")
	if program == "" {
		t.Skip("RODATA_TEST_REDIS does not name the program redis-server: .ci/redis runs a command with it")
	}

	s := &Server{t: t, program: program, address: loopback.FreeAddress(), flags: flags}
	s.Restart()
	return s
}

// StartCluster starts a single-node cluster, which refuses commands whose keys may be on different nodes of a larger
// one.
func StartCluster(t testing.TB) *Server {
	t.Helper()
	_, bus, _ := net.SplitHostPort(loopback.FreeAddress())
	s := Start(t, "--cluster-enabled", "yes", "--cluster-port", bus)
	for _, command := range []string{"CLUSTER ADDSLOTSRANGE 0 16383", "CLUSTER INFO"} {
		s.await(command, func(answer string) bool {
			return strings.HasPrefix(answer, "+OK") || strings.Contains(answer, "cluster_state:ok")
		})
	}

	return s
}

// URL returns the server's URL, which a restart does not change.
func (s *Server) URL() string { return "redis://" + s.address }

// Restart starts the server again, empty, and returns once it answers.
func (s *Server) Restart() {
	s.t.Helper()
	_, port, _ := net.SplitHostPort(s.address)
	flags := append([]string{"--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--dir",
		s.t.TempDir()}, s.flags...)
	s.process = process.Start(s.t, exec.Command(s.program, flags...))
	s.await("PING", func(answer string) bool { return strings.HasPrefix(answer, "+PONG") })
}

// await repeats a command until its answer is good.
func (s *Server) await(command string, good func(answer string) bool) {
	s.t.Helper()
	testkit.Until(s.t, "redis answers "+command, func() bool { return good(s.do(command)) })
}

// do returns the answer to a command on a separate connection. It is empty if there is no answer.
func (s *Server) do(command string) string {
	conn, err := net.DialTimeout("tcp", s.address, 10*time.Second)
	if err != nil {
		return ""
	}
	defer conn.Close()

	conn.SetDeadline(time.Now().Add(10 * time.Second))
	io.WriteString(conn, command+"\r\nQUIT\r\n")
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

// Kill kills the server, as in a crash; all its data is lost.
func (s *Server) Kill() { s.process.Kill() }

// Stall suspends the server until Resume: connections stay open, without answers.
func (s *Server) Stall() { s.process.Signal(s.t, syscall.SIGSTOP) }

// Resume ends a stall.
func (s *Server) Resume() { s.process.Signal(s.t, syscall.SIGCONT) }
