package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"
)

// measureOracle makes mixed calls at a constant rate and compares every answer with the
// first one for the same path. It fails on any wrong body or status. Latencies count from
// when a call was due, so that a server which falls behind is noticed.
func measureOracle(ctx context.Context, args []string) (err error) {
	f := flags("oracle")
	rate := f.Int("rate", 2000, "calls a second")
	duration := f.Duration("time", 10*time.Minute, "how long")
	connections := f.Int("connections", 64, "number of keep-alive connections")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *rate < 1 || *duration <= 0 || *connections < 1 {
		return errors.New("-rate, -time and -connections must be positive")
	}

	s, err := newTestbed(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	metrics, err := freeAddress()
	if err != nil {
		return err
	}

	server, err := s.caddy(ctx, "oracle", site(s.app("oracle"), "\trodata\n")+"http://"+metrics+" {\n\tmetrics\n}\n")
	if err != nil {
		return err
	}

	o := &checker{workload: newWorkload(s.companies), truth: make(map[string]*truth)}
	if err := o.learn(ctx, server); err != nil {
		return err
	}
	if err := s.closeRegistries(); err != nil {
		return err
	}

	cpu := server.cpu()
	watched, err := o.run(ctx, server, metrics, schedule{*rate, *duration, *connections})
	if err != nil {
		return err
	}

	o.report(*rate, *duration, server.cpu()-cpu, watched)
	return errors.Join(o.verdict(), o.checkBounds(watched))
}

// oracleP99 is the target for the 99th percentile on two cores that the load generator
// shares.
const oracleP99 = 25 * time.Millisecond

// checkBounds checks the latencies and the memory.
func (o *checker) checkBounds(watched []sample) error {
	var t trend
	for _, s := range watched {
		t.lines = append(t.lines, line{usage: s.usage})
	}

	fmt.Print(t.summary())
	if p99 := percentile(o.latency, 0.99); p99 > oracleP99 {
		return errors.Join(t.grown(), fmt.Errorf("99 of 100 calls took up to %s, more than %s", p99, oracleP99))
	}
	return t.grown()
}

// checker knows the correct answers, and counts the actual ones.
type checker struct {
	workload *workload
	truth    map[string]*truth // by path; read-only during the run

	mu      sync.Mutex
	latency []time.Duration
	wrong   int
	refused int // answers with a status other than 200
	example string
}

// truth is the correct answer for a path: verbatim, and without the parts that may
// change.
type truth struct{ exact, normal []byte }

// changing matches what may differ between two correct answers: when the cache was
// filled, and whether it was hit.
var changing = regexp.MustCompile(`"(retrievedAt|cache)":"[^"]*"`)

func normalise(body []byte) []byte { return changing.ReplaceAll(body, []byte(`"$1":""`)) }

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

		o.truth[path] = &truth{exact: slices.Clone(body), normal: normalise(body)}
	}
	return nil
}

// record checks an answer.
func (o *checker) record(path string, status int, body []byte, latency time.Duration) {
	want := o.truth[path]
	wrong := status == 200 && !bytes.Equal(body, want.exact) && !bytes.Equal(normalise(body), want.normal)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.latency = append(o.latency, latency)
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
		return fmt.Errorf("%d wrong bodies and %d answers that are no 200; the first: %s", o.wrong, o.refused, o.example)
	}
	return nil
}

func (o *checker) report(rate int, duration, cpu time.Duration, watched []sample) {
	slices.Sort(o.latency)
	n := len(o.latency)
	at := func(p float64) time.Duration { return percentile(o.latency, p).Round(10 * time.Microsecond) }
	fmt.Printf("%d calls a second for %s: 70 %% companies, 20 %% exchange rates, 10 %% codes and places; %d addresses\n\n", rate, duration, len(o.truth))
	fmt.Println("| calls | wrong bodies | not 200 | p50 | p99 | p99.9 | max | CPU us a call |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	fmt.Printf("| %d | **%d** | **%d** | %s | %s | %s | %s | %.1f |\n\n", n, o.wrong, o.refused,
		at(0.50), at(0.99), at(0.999), at(1), float64(cpu.Microseconds())/float64(n))

	fmt.Println("| after | resident MiB | goroutines | descriptors |")
	fmt.Println("|---|---|---|---|")
	for _, w := range watched {
		fmt.Printf("| %s | %.1f | %d | %d |\n", w.after.Round(time.Second), float64(w.resident)/1024, w.goroutines, w.descriptors)
	}
}
