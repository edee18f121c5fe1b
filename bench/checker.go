package main

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/testkit/standin"
)

// checker compares answers with the correct ones and counts them.
type checker struct {
	workload *workload
	truth    map[string]*truth // by path; read-only during the run
	changing *regexp.Regexp    // parts that may differ between two correct answers
	latency  latencies

	mu      sync.Mutex
	wrong   int
	refused int // answers with a status other than 200
	example string
}

// truth is the correct answer for a path, verbatim and with the parts that may change removed.
type truth struct{ exact, normal []byte }

// newChecker returns a checker that ignores the values of the given members.
func newChecker(companies []standin.Company, members ...string) *checker {
	return &checker{
		workload: newWorkload(companies), truth: make(map[string]*truth),
		changing: regexp.MustCompile(`"(` + strings.Join(members, "|") + `)":("[^"]*"|true|false)`),
	}
}

func (o *checker) normalise(body []byte) []byte { return o.changing.ReplaceAll(body, nil) }

// learn requests every path of the workload.
func (o *checker) learn(ctx context.Context, server *server) error {
	for _, path := range o.workload.paths() {
		var body []byte
		err := eventually(ctx, func() (err error) {
			body, err = fetch(server.address, get(server.address, path))
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}

		o.truth[path] = &truth{exact: slices.Clone(body), normal: o.normalise(body)}
	}

	return nil
}

// record checks and counts an answer.
func (o *checker) record(path string, status int, body []byte, latency time.Duration) {
	want := o.truth[path]
	wrong := status == 200 && !bytes.Equal(body, want.exact) && !bytes.Equal(o.normalise(body), want.normal)
	o.latency.add(latency)
	o.mu.Lock()
	defer o.mu.Unlock()
	if wrong {
		o.wrong++
	}
	if status != 200 {
		o.refused++
	}
	if o.example == "" && (wrong || status != 200) {
		o.example = fmt.Sprintf("%s answered %d %s", path, status, body)
	}
}

func (o *checker) verdict() error {
	if o.wrong > 0 || o.refused > 0 {
		return fmt.Errorf("%d wrong bodies and %d answers other than 200; the first: %s", o.wrong, o.refused,
			o.example)
	}
	return nil
}
