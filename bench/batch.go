package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/standin"
)

// The goals of a batch of a thousand companies.
const (
	batchSize      = 1_000
	coldWithin     = 13 * time.Second
	singleWithin   = 2200 * time.Millisecond // the 99th percentile of concurrent single look-ups
	firstLineAfter = 5 * time.Millisecond
	streams        = 20
	streamsMemory  = 64 << 10 // KiB
)

// measureBatch measures lists of a thousand companies: new companies, with single look-ups at the same time; stored
// companies, as one object and as a stream; and new companies in many concurrent streams.
func measureBatch(f *flag.FlagSet) func(context.Context, *testbed) error {
	rounds := f.Int("rounds", 20, "how often the stored companies are asked for")
	return func(ctx context.Context, s *testbed) error {
		metrics := loopback.FreeAddress()
		server, err := s.caddy(ctx, "batch",
			site(withBatches(s.paced("batch")), "\trodata\n")+"http://"+metrics+" {\n\tmetrics\n}\n")
		if err != nil {
			return err
		}

		b := &batches{
			ctx: ctx, server: server, metrics: metrics, numbers: new(misses), asked: s.registries.ANAF.Requests,
		}
		fmt.Printf("%d companies in one call; the tax authority takes one request a second, and %s for it\n\n",
			batchSize, authorityTakes)
		fmt.Println("| what | measured | goal |\n|---|---|---|")
		list := b.list(batchSize)
		return errors.Join(b.cold(list), b.stored(list, *rounds), b.manyStreams())
	}
}

// withBatches returns the gateway's options changed so that callers without a key may send whole batches.
func withBatches(app string) string {
	return withOption(app, "batch {\n\t\t\tanonymous 1000\n\t\t}")
}

// batches are the calls of a measurement.
type batches struct {
	ctx     context.Context
	server  *server
	metrics string
	numbers *misses
	asked   func() standin.Counts
}

// list returns a body with companies that have never been requested.
func (b *batches) list(n int) []byte {
	cuis := make([]string, n)
	for i := range cuis {
		cuis[i] = b.numbers.company().String()
	}
	return []byte(`{"waitSeconds":25,"taxIds":[` + strings.Join(cuis, ",") + `]}`)
}

// timing has the times from a request to the first line and to the end of its answer.
type timing struct{ first, whole time.Duration }

// post sends a list and reads the answer, which must have found all companies.
func (b *batches) post(list []byte, accept string) (timing, error) {
	t, found, err := b.ask(list, accept)
	// A status that is split between two buffers is not counted.
	if want := bytes.Count(list, []byte(",")); err == nil && found < want*99/100 {
		err = fmt.Errorf("%s: %d of %d companies were found", accept, found, want)
	}
	return t, err
}

// ask sends a list and counts the companies in the answer.
func (b *batches) ask(list []byte, accept string) (t timing, found int, err error) {
	r, err := http.NewRequestWithContext(b.ctx, http.MethodPost, "http://"+b.server.address+"/v1/companies/batch",
		bytes.NewReader(list))
	if err != nil {
		return t, 0, err
	}

	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", accept)
	start := time.Now()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return t, 0, err
	}
	defer res.Body.Close()

	if res.StatusCode != http.StatusOK {
		return t, 0, fmt.Errorf("a list was answered %s", res.Status)
	}

	in := bufio.NewReaderSize(res.Body, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if t.first == 0 {
			t.first = time.Since(start)
		}

		found += bytes.Count(line, []byte(`"status":200`))
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
	}

	t.whole = time.Since(start)
	return t, found, nil
}

// cold requests companies that are not stored, with single ones in between.
func (b *batches) cold(list []byte) error {
	before := b.asked().Requests
	ctx, stop := context.WithCancel(b.ctx)
	var singles []time.Duration
	var beside sync.WaitGroup
	var failed error
	beside.Go(func() { singles, failed = b.singles(ctx) })
	t, err := b.post(list, "application/x-ndjson")
	stop()
	beside.Wait()
	if err = errors.Join(err, failed); err != nil {
		return err
	}

	slices.Sort(singles)
	p99 := percentile(singles, 0.99)
	fmt.Printf("| new companies, streamed | %s, the first after %s, in %d requests | %s |\n", round(t.whole),
		round(t.first), b.asked().Requests-before, coldWithin)
	fmt.Printf("| single look-ups in between (%d) | p50 %s, p99 %s | p99 %s |\n", len(singles),
		round(percentile(singles, 0.5)), round(p99), singleWithin)
	return errors.Join(missed(t.whole, coldWithin, "new companies"), missed(p99, singleWithin, "single look-ups"))
}

// singles looks up a new company every 200 ms.
func (b *batches) singles(ctx context.Context) (took []time.Duration, err error) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	var mu sync.Mutex
	var asking sync.WaitGroup
	for {
		select {
		case <-ctx.Done():
			asking.Wait()
			return took, err
		case <-tick.C:
		}

		cui := b.numbers.company()
		asking.Go(func() {
			start := time.Now()
			failure := b.single(cui)
			mu.Lock()
			defer mu.Unlock()
			took, err = append(took, time.Since(start)), errors.Join(err, failure)
		})
	}
}

func (b *batches) single(cui ro.CUI) error {
	res, err := http.Get("http://" + b.server.address + "/v1/companies/" + cui.String())
	if err != nil {
		return err
	}
	defer res.Body.Close()

	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("company %s: %s", cui, res.Status)
	}

	return nil
}

// stored requests the same companies again.
func (b *batches) stored(list []byte, rounds int) error {
	var errs []error
	for _, form := range []string{"application/json", op.NDJSONType} {
		first := make([]time.Duration, rounds)
		cpu, start := b.server.cpu(), time.Now()
		for i := range rounds {
			t, err := b.post(list, form)
			if err != nil {
				return err
			}

			first[i] = t.first
		}

		slices.Sort(first)
		spent, line := (b.server.cpu()-cpu)/time.Duration(rounds), percentile(first, 0.5)
		fmt.Printf("| stored ones as %s | %s of CPU with the network's part, %s elapsed, the first line after %s | "+
			"the first line of a stream after %s |\n",
			form, round(spent), round(time.Since(start)/time.Duration(rounds)), round(line), firstLineAfter)
		if form == op.NDJSONType {
			errs = append(errs, missed(line, firstLineAfter, "first line"))
		}
	}

	return errors.Join(errs...)
}

// manyStreams requests new companies in many concurrent streams. The process has answered lists before, so that the
// initial growth of the heap is not measured.
func (b *batches) manyStreams() error {
	before, err := b.server.usage(b.metrics)
	if err != nil {
		return err
	}

	var asking sync.WaitGroup
	var answered atomic.Int64
	failed := make([]error, streams)
	for i := range streams {
		list := b.list(batchSize)
		asking.Go(func() { // most companies time out
			_, found, err := b.ask(list, "application/x-ndjson")
			answered.Add(int64(found))
			failed[i] = err
		})
	}

	most, tick := 0, time.NewTicker(500*time.Millisecond)
	defer tick.Stop()
	done := make(chan struct{})
	go func() { asking.Wait(); close(done) }()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		case <-tick.C:
			now, err := b.server.usage(b.metrics)
			if err != nil {
				return err
			}

			most = max(most, now.resident-before.resident)
		}
	}

	fmt.Printf("| %d streams of new companies at once, %d answered within 25 s | from %d to %d KiB: +%d | +%d |\n",
		streams, answered.Load(), before.resident, before.resident+most, most, streamsMemory)
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if most > streamsMemory {
		return fmt.Errorf("%d streams took %d KiB, more than %d", streams, most, streamsMemory)
	}

	return nil
}

func round(d time.Duration) time.Duration {
	if d < 100*time.Millisecond {
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(10 * time.Millisecond)
}

func missed(took, goal time.Duration, what string) error {
	if took <= goal {
		return nil
	}
	return fmt.Errorf("%s: %s, more than %s", what, took, goal)
}
