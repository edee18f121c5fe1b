package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/rodata/rodata/api/job"
)

// The goals of jobs.
const (
	storedJobWithin = 3 * time.Second  // 10,000 stored rows, from the upload as CSV to the download as XLSX
	storedJobMemory = 64 << 10         // KiB
	coldJobWithin   = 40 * time.Minute // 100,000 new companies
)

// measureJobs measures two jobs, from the upload to the result: a file of stored companies, and a file of new
// companies at the pace that the tax authority allows, while callers request cached companies.
func measureJobs(f *flag.FlagSet) func(context.Context, *testbed) error {
	part := f.String("part", "both", "the file to measure: stored, cold or both")
	stored := f.Int("stored", 10_000, "rows of the file of stored companies")
	cold := f.Int("cold", 2_000, "rows of the file of new companies; 100000 take 35 minutes")
	rate := f.Int("rate", 200, "calls a second beside the new companies")
	return func(ctx context.Context, s *testbed) error {
		switch *part {
		case "stored":
			return s.storedJob(ctx, *stored)
		case "cold":
			return s.coldJob(ctx, *cold, *rate)
		case "both":
			return errors.Join(s.storedJob(ctx, *stored), s.coldJob(ctx, *cold, *rate))
		}

		return fmt.Errorf("-part %s: the parts are stored, cold and both", *part)
	}
}

// storedJob looks up the same file twice: the second time, all companies are stored.
func (s *testbed) storedJob(ctx context.Context, rows int) error {
	w, err := s.withAccount(ctx, "stored", withOption(s.paced("stored"), "jobs {\n\t\t\tshare 100%\n\t\t}"))
	if err != nil {
		return err
	}

	file := jobFile(rows)
	if _, err := w.job(ctx, file); err != nil { // fills the cache
		return err
	}

	before, err := w.server.anonymous()
	if err != nil {
		return err
	}

	most, stop := w.server.watchMemory(ctx)
	start := time.Now()
	j, err := w.job(ctx, file)
	if err != nil {
		return err
	}

	looked := time.Since(start)
	size, err := w.download(ctx, j.ID, job.XLSX)
	took := time.Since(start)
	stop()
	if err != nil {
		return err
	}

	more := max(0, *most-before)
	printHeader("stored rows, CSV to XLSX", "looked up after", "downloaded after", "size, KiB", "more memory, MiB")
	fmt.Printf("| %d | %s | %s | %d | %d |\n\n", rows, round(looked), round(took), size>>10, more>>10)
	goal := storedJobWithin * time.Duration(rows) / 10_000
	err = missed(took, max(goal, time.Second), "the file of stored companies")
	if rows <= 10_000 && more > storedJobMemory {
		err = errors.Join(err, fmt.Errorf("the file of stored companies took %d KiB, more than %d", more,
			storedJobMemory))
	}

	return errors.Join(err, w.server.stop())
}

// coldJob measures callers first alone and then while a job looks up new companies.
func (s *testbed) coldJob(ctx context.Context, rows, rate int) error {
	w, err := s.withAccount(ctx, "cold", s.paced("cold"))
	if err != nil {
		return err
	}

	if err := pause(ctx, 2*time.Second); err != nil { // the gateway's earlier calls count towards the pace
		return err
	}
	if err := s.fill(ctx, w.server); err != nil {
		return err
	}

	alone, err := s.callers(ctx, w.server, schedule{rate: rate, duration: 20 * time.Second, connections: 16})
	if err != nil {
		return err
	}

	asked := s.registries.ANAF.Requests
	before, start := asked(), time.Now()
	var took time.Duration
	var failed error
	var working sync.WaitGroup
	working.Go(func() {
		_, failed = w.job(ctx, jobFile(rows))
		took = time.Since(start)
	})
	expected := time.Duration(rows/100) * 2100 * time.Millisecond
	beside, err := s.callers(ctx, w.server,
		schedule{rate: rate, duration: max(expected-time.Second, 5*time.Second), connections: 16})
	working.Wait()
	if err = errors.Join(err, failed); err != nil {
		return err
	}

	printHeader("new rows", "looked up after", "requests to the tax authority", "callers' p99 alone", "beside")
	fmt.Printf("| %d | %s | %d | %s | %s |\n", rows, round(took), asked().Requests-before.Requests, round(alone),
		round(beside))
	goal := max(coldJobWithin*time.Duration(rows)/100_000, 30*time.Second)
	return errors.Join(missed(took, goal, "the file of new companies"), w.server.stop())
}

// callers makes calls for cached companies, and returns the 99th percentile of their durations.
func (s *testbed) callers(ctx context.Context, server *server, plan schedule) (time.Duration, error) {
	var latency latencies
	err := plan.drive(ctx, server.address, s.callCompanies(&latency))
	return latency.typical(plan.rate*int(plan.duration/time.Second), 0.99), err
}

// jobFile is a table of companies that have never been requested.
func jobFile(rows int) []byte {
	file := bytes.NewBufferString("Furnizor;CUI;Oraș\n")
	for numbers, n := new(misses), 0; n < rows; n++ {
		fmt.Fprintf(file, "EXEMPLU %d SRL;RO%s;Cluj-Napoca\n", n, numbers.company())
	}
	return file.Bytes()
}

// job uploads a file, and waits for the end of its job.
func (w *watcher) job(ctx context.Context, file []byte) (job.Job, error) {
	var j job.Job
	err := w.send(ctx, "http://"+w.server.address+"/v1/jobs", job.CSV.Media(), bytes.NewReader(file), &j)
	for err == nil && !j.Status.Ended() {
		err = until(ctx, 50*time.Millisecond, func() (bool, error) {
			err := w.read(ctx, "/v1/jobs/"+string(j.ID), &j)
			return j.Status.Ended(), err
		})
	}

	if err == nil && (j.Status != job.Completed || j.Found != j.Total) {
		err = fmt.Errorf("the job ended as %+v", j)
	}

	return j, err
}

// read decodes an answer to the account.
func (w *watcher) read(ctx context.Context, path string, answer any) error {
	res, err := w.get(ctx, path)
	if err != nil {
		return err
	}
	defer res.Body.Close()

	return json.NewDecoder(res.Body).Decode(answer)
}

// get requests a path with the account's key. Any status other than 200 is an error.
func (w *watcher) get(ctx context.Context, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.server.address+path, nil)
	if err != nil {
		return nil, err
	}

	r.Header.Set("X-Api-Key", w.key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close()
		return nil, fmt.Errorf("%s was answered %s", path, res.Status)
	}

	return res, nil
}

// download reads a result, and returns its size.
func (w *watcher) download(ctx context.Context, id job.ID, format job.Format) (int64, error) {
	res, err := w.get(ctx, "/v1/jobs/"+string(id)+"/result?format="+string(format))
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()

	return io.Copy(io.Discard, res.Body)
}

// watchMemory records the server's maximum anonymous memory, in KiB, until stop is called.
func (s *server) watchMemory(ctx context.Context) (most *int, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	most = new(int)
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			if now, err := s.anonymous(); err == nil {
				*most = max(*most, now)
			}

			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	})
	return most, func() {
		cancel()
		watching.Wait()
	}
}
