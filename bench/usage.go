package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// processes returns the server's process and its children: Varnish serves from one.
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

// cpu returns the server's CPU time: user and system, in ticks of 10 ms.
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

// usage is a gateway's resources at one moment, and its counters.
type usage struct {
	resident    int // KiB
	descriptors int
	goroutines  int
	answered    int // calls since its start
	missed      int // calls for companies that were cache misses, likewise
}

// usage reads /proc, and the gateway's own counters from its metrics.
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

	u.answered = total(page, "rodata_requests_total{")
	u.missed = total(page, `rodata_cache_total{kind="company",result="miss"}`) +
		total(page, `rodata_cache_total{kind="company",result="collapsed"}`)
	u.goroutines, err = figure(page, "go_goroutines ")
	return u, err
}

// figure returns the number after a name at the beginning of a line.
func figure(text []byte, name string) (int, error) {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			return strconv.Atoi(string(bytes.Fields(rest)[0]))
		}
	}

	return 0, fmt.Errorf("there is no figure %s", strings.TrimSpace(name))
}

// total returns the sum of all series with the given prefix.
func total(page []byte, series string) (sum int) {
	for row := range bytes.Lines(page) {
		if bytes.HasPrefix(row, []byte(series)) {
			n, err := strconv.ParseFloat(string(bytes.TrimSpace(row[bytes.LastIndexByte(row, ' '):])), 64)
			if err == nil {
				sum += int(n)
			}
		}
	}

	return sum
}
