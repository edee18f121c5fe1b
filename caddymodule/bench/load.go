package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// load is what one round of requests on one server gave.
type load struct {
	requests int
	seconds  float64
	cpu      time.Duration // the server's own
	latency  []time.Duration
}

func (l *load) rate() float64 { return float64(l.requests) / l.seconds }

// cpuPerRequest is in microseconds.
func (l *load) cpuPerRequest() float64 {
	return float64(l.cpu.Microseconds()) / float64(l.requests)
}

// percentile is a latency; p is from 0 to 1.
func (l *load) percentile(p float64) time.Duration {
	return l.latency[int(p*float64(len(l.latency)-1))]
}

// run asks a server for one path over keep-alive connections, each in a closed
// loop, for some time. Every answer must be a 200 with the expected body.
func (s *server) run(connections int, duration time.Duration, want []byte) (*load, error) {
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		total   load
		failure error
	)
	cpu, start := s.cpu(), time.Now()
	for range connections {
		wg.Go(func() {
			latency, err := s.connection(start.Add(duration), want)
			mu.Lock()
			defer mu.Unlock()
			total.latency = append(total.latency, latency...)
			failure = errors.Join(failure, err)
		})
	}
	wg.Wait()
	total.seconds, total.cpu = time.Since(start).Seconds(), s.cpu()-cpu
	total.requests = len(total.latency)
	slices.Sort(total.latency)
	if failure == nil && total.requests == 0 {
		failure = errors.New("no request was answered")
	}
	return &total, failure
}

// connection is one closed loop: a request, its answer, the next request.
func (s *server) connection(until time.Time, want []byte) ([]time.Duration, error) {
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	request := []byte("GET " + s.path + " HTTP/1.1\r\nHost: " + s.address + "\r\nUser-Agent: bench\r\n\r\n")
	in, body := bufio.NewReaderSize(conn, 8<<10), make([]byte, len(want))
	latency := make([]time.Duration, 0, 1<<16)
	for began := time.Now(); began.Before(until); {
		if _, err := conn.Write(request); err != nil {
			return latency, err
		}
		if err := readAnswer(in, body); err != nil {
			return latency, err
		}
		if !bytes.Equal(body, want) {
			return latency, fmt.Errorf("another body: %s", body)
		}
		now := time.Now()
		latency = append(latency, now.Sub(began))
		began = now
	}
	return latency, nil
}

// readAnswer reads an answer whose body is exactly as long as body. It is as
// little of an HTTP client as will do: a real one would cost the two cores more
// than the server that is measured.
func readAnswer(in *bufio.Reader, body []byte) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")) {
		return fmt.Errorf("answered %s", bytes.TrimSpace(line))
	}
	length := -1
	for {
		if line, err = in.ReadSlice('\n'); err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		const name = "Content-Length: "
		if len(line) > len(name) && bytes.EqualFold(line[:len(name)], []byte(name)) {
			length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(name):])))
			if err != nil {
				return err
			}
		}
	}
	if length != len(body) {
		return fmt.Errorf("a body of %d bytes, want %d", length, len(body))
	}
	_, err = io.ReadFull(in, body)
	return err
}
