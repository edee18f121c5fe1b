package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// processes are the server's process and its children: Varnish serves from one.
func (s *server) processes() []int {
	pid := s.process.Process.Pid
	pids := []int{pid}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for field := range strings.FieldsSeq(string(children)) {
		if child, err := strconv.Atoi(field); err == nil {
			pids = append(pids, child)
		}
	}

	return pids
}

// cpu is the processor time that the server has used: user and system, in ticks
// of 10 ms.
func (s *server) cpu() (total time.Duration) {
	for _, pid := range s.processes() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}

		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest) // of proc(5), from the third on
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		total += time.Duration(user+system) * 10 * time.Millisecond
	}
	return total
}

// usage is a gateway's resource usage at one moment.
type usage struct {
	resident    int // KiB
	descriptors int
	goroutines  int
}

// usage reads what the gateway holds: from /proc, and the goroutines, which only
// the gateway can count, from the page of its metrics.
func (s *server) usage(metrics string) (usage, error) {
	var u usage
	pid := s.process.Process.Pid
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u, err
	}
	if u.resident, err = figure(status, "VmRSS:"); err != nil {
		return u, err
	}

	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return u, err
	}

	u.descriptors = len(open)
	page, err := fetch(metrics, get(metrics, "/metrics"))
	if err != nil {
		return u, err
	}

	u.goroutines, err = figure(page, "go_goroutines ")
	return u, err
}

// figure is the number behind a name at the beginning of a line.
func figure(text []byte, name string) (int, error) {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			return strconv.Atoi(string(bytes.Fields(rest)[0]))
		}
	}
	return 0, fmt.Errorf("there is no figure %s", strings.TrimSpace(name))
}
