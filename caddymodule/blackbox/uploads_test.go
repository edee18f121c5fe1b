package blackbox

import (
	"bufio"
	"fmt"
	"net/http"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/uploads"
)

// While four accounts at once send eight files that are made to exhaust memory or time, the process grows by less than
// 256 MiB, 99 % of other callers' answers arrive within 100 ms, and another account's job of one row ends within 2 s.
// With smaller files, beside other tests, the time limits are ten times as long.
func TestCraftedUploads(t *testing.T) {
	if racing {
		t.Skip("under the race detector, memory and time say nothing; internal/upload reads the same files")
	}

	const accounts, each = 4, 2
	most, longest := time.Second, 20*time.Second
	if uploads.IsFull() {
		most, longest = 100*time.Millisecond, 2*time.Second
	}

	wallets := make([]wallet, accounts)
	var other wallet
	changes := []func(*gateway){paying(t, &other, 1000)}
	for i := range wallets {
		changes = append(changes, paying(t, &wallets[i], 1000))
	}

	g := start(t, changes...)
	id := numbers(t, 1)[0]
	small := func() { other.ended(t, g, other.upload(t, g, "", "text/csv", "cui\n"+id+"\n")) }
	small() // the company is known from now on
	for _, file := range uploads.Files(t) {
		t.Run(file.Name, func(t *testing.T) {
			content := file.Make()
			debug.FreeOSMemory()
			growth := residentPeak()
			stop, done := make(chan struct{}), make(chan struct{})
			var took []time.Duration
			go func() {
				defer close(done)
				for tick := time.NewTicker(5 * time.Millisecond); ; {
					select {
					case <-tick.C:
						began := time.Now()
						g.get(t, "/v1/caen-codes/6210")
						took = append(took, time.Since(began))
					case <-stop:
						return
					}
				}
			}()

			var senders sync.WaitGroup
			for i := range accounts * each {
				senders.Go(func() {
					a := g.do(t, "POST", "/v1/jobs?fields=taxId", request{body: content, header: map[string]string{
						"X-Api-Key": wallets[i%accounts].key, "Content-Type": file.Media}})
					if (a.StatusCode == http.StatusAccepted) != file.IsRead || a.StatusCode >= 500 {
						t.Errorf("got %d %.200s", a.StatusCode, a.body)
					}
				})
			}

			began := time.Now()
			small()
			row := time.Since(began)
			senders.Wait()
			close(stop)
			<-done
			slices.Sort(took)
			p99, bytes := took[len(took)*99/100], growth()
			t.Logf("%d KiB in %s: %d MiB more, 99 %% of %d answers within %s, one row after %s", len(content)>>10,
				time.Since(began).Round(time.Millisecond), bytes>>20, len(took), p99, row)
			if bytes > 256<<20 || p99 > most || row > longest {
				t.Errorf("want 256 MiB, %s and %s", most, longest)
			}
		})
	}
}

// An upload takes a slot before its body is read, be it a job's file or a table for a watch-list: while an account
// sends two, a third one is refused although its body is not sent. A server that reads a body first writes
// 100 Continue.
func TestUploadTakesASlotBeforeItsBody(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 10))
	begin := func(path string) *bufio.Reader {
		c := g.connect(t)
		_, err := fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nX-Api-Key: %s\r\nContent-Type: text/csv\r\n"+
			"Content-Length: 100\r\nExpect: 100-continue\r\n\r\n", path, strings.TrimPrefix(g.url, "http://"), w.key)
		testkit.NoError(t, err)
		return bufio.NewReader(c)
	}
	status := func(in *bufio.Reader) int {
		answer := testkit.Must(http.ReadResponse(in, nil))
		defer answer.Body.Close()
		return answer.StatusCode
	}

	const job, list = "/v1/jobs", "/v1/watchlists/1/companies"
	for _, path := range []string{job, list} {
		if got := status(begin(path)); got != http.StatusContinue {
			t.Errorf("%s: the body is not read: %d", path, got)
		}
	}

	third, fourth := begin(job), begin(list)
	for path, in := range map[string]*bufio.Reader{job: third, list: fourth} {
		if got := status(in); got != http.StatusTooManyRequests {
			t.Errorf("%s: a third upload of an account is answered with %d", path, got)
		}
	}
}

// residentPeak records the growth of the memory that the process has from the system, until the returned function is
// called. It includes the share of the test.
func residentPeak() (growth func() uint64) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	return peakOf(func() uint64 {
		metrics.Read(samples)
		return samples[0].Value.Uint64() - samples[1].Value.Uint64()
	})
}
