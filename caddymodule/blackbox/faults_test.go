package blackbox

import (
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/standin"
)

// fault is a failure of a registry, with the expected answer for data that is not stored.
type fault struct {
	name   string
	spoil  standin.Fault
	url    func(*testing.T) string // the registry's address instead, for faults below HTTP
	status int
}

var faults = []fault{
	{name: "refused", url: refusing, status: 502},
	{name: "bad certificate", url: untrusted, status: 502},
	{name: "blackhole", spoil: standin.Hang, status: 504},
	{name: "reset", spoil: standin.Reset, status: 502},
	{name: "a byte a second", spoil: standin.SlowDrip(time.Second), status: 504},
	{name: "latency", spoil: standin.Delay(5 * time.Second), status: 504},
	{name: "status 500", spoil: standin.Status(500, 0), status: 502},
	{name: "status 429", spoil: standin.Status(429, time.Second), status: 503},
	{name: "firewall page", spoil: standin.WAF, status: 502},
	{name: "maintenance page", spoil: standin.Maintenance, status: 502},
	{name: "truncated", spoil: standin.Truncate, status: 502},
	{name: "50 MB", spoil: standin.Oversize, status: 502},
	{name: "gzip bomb", spoil: standin.GzipBomb, status: 502},
	{name: "redirect", spoil: standin.Redirect, status: 502},
	{name: "half of a JSON text", spoil: standin.Garbage, status: 502},
	{name: "another shape", spoil: standin.ChangedShape, status: 502},
}

// injected returns the faults to inject: one below HTTP and one above in a normal run, all of them in a long run.
func injected(t *testing.T) []fault {
	t.Helper()
	if long.Full(t) {
		return faults
	}
	return slices.DeleteFunc(slices.Clone(faults),
		func(f fault) bool { return f.name != "refused" && f.name != "firewall page" })
}

// Bounds on the cost of a fault. A broken connection is retried once, within less than a second.
const (
	faultTimeout = 1500 * time.Millisecond
	faultAnswer  = faultTimeout + 800*time.Millisecond + 500*time.Millisecond
	faultHeap    = 64 << 20
)

// refusing is an address that refuses connections.
func refusing(t *testing.T) string { return "http://" + loopback.FreeAddress() }

// untrusted is a registry with a self-signed certificate.
func untrusted(t *testing.T) string {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

// strike makes a registry fail until the returned function is called.
func (g *gateway) strike(t *testing.T, registry string, f fault) (recover func()) {
	t.Helper()
	if f.url == nil {
		standIn := g.registries.ANAF
		if registry == "bnr" {
			standIn = g.registries.BNR
		}

		standIn.Always(f.spoil)
		return func() { standIn.Always(standin.Fault{}) }
	}

	before := g.upstream(registry)["url"]
	move := func(url any) {
		g.upstream(registry)["url"] = url
		testkit.NoError(t, g.load())
	}
	move(f.url(t))
	return func() { move(before) }
}

// heapPeak records the maximum growth of the heap until the returned function is called. It includes the stand-ins'
// share.
func heapPeak() (growth func() uint64) {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	return peakOf(read)
}

// peakOf records the maximum growth of a value until the returned function is called.
func peakOf(read func() uint64) (growth func() uint64) {
	before := read()
	peak, stop, done := before, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				peak = max(peak, read())
			case <-stop:
				return
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-done
		return peak - before
	}
}

func checkGrowth(t *testing.T, bytes uint64) {
	t.Helper()
	t.Logf("the heap grew by %d KiB at most", bytes>>10)
	if bytes > faultHeap {
		t.Error("the heap grew too much")
	}
}

// refused checks the answer for data that is not stored, and that it is fast.
func (g *gateway) refused(t *testing.T, path string, status int) {
	t.Helper()
	began := time.Now()
	got := g.get(t, path)
	if took := time.Since(began); took > within(t, faultAnswer) {
		t.Errorf("the answer took %s", took)
	}

	got.problem(t, status, map[int]string{502: "upstream-error", 503: "unavailable", 504: "upstream-timeout"}[status])
	if wait, _ := strconv.Atoi(got.Header.Get("Retry-After")); (wait > 0) != (status == 503) {
		t.Errorf("Retry-After is %q", got.Header.Get("Retry-After"))
	}
}

// Under every fault of the tax authority, a stored company is served and marked stale; another is answered with the
// status of the fault, in time and in bounded memory; and the fault is not cached.
func TestCompanyUnderFaultsLong(t *testing.T) {
	for _, f := range injected(t) {
		t.Run(f.name, func(t *testing.T) {
			g := start(t, func(g *gateway) {
				g.app()["cache"] = object{"companies": object{"fresh": "1ms", "revalidate": "1ms"}}
				g.upstream("anaf")["timeout"] = faultTimeout.String()
				g.upstream("anaf")["breaker"] = object{"failures": 100}
			})
			paths := companies(t)
			warm, cold := paths[0], paths[1]
			before := g.get(t, warm).object(t)
			recover := g.strike(t, "anaf", f)
			growth := heapPeak()

			g.refused(t, cold, f.status)
			stale := g.get(t, warm)
			after, source := stale.object(t), anaf(t, stale)
			if source["stale"] != true || source["cache"] != "HIT" || stale.Header.Get("x-cache") != "HIT" {
				t.Errorf("the copy is not marked: %v %v", source, stale.Header)
			}
			if stale.Header.Get("Age") == "" || !strings.Contains(stale.Header.Get("Cache-Status"), "stale") {
				t.Errorf("got Age %q, Cache-Status %q", stale.Header.Get("Age"), stale.Header.Get("Cache-Status"))
			}
			if after["name"] != before["name"] {
				t.Errorf("got %v, want %v", after["name"], before["name"])
			}

			checkGrowth(t, growth())

			recover()
			if got := g.get(t, cold); got.StatusCode != http.StatusOK {
				t.Errorf("after the fault: got %d %s", got.StatusCode, got.body)
			}

			testkit.Until(t, "the company is fresh", func() bool { return anaf(t, g.get(t, warm))["stale"] == false })
		})
	}
}

// anaf returns the tax authority's entry in the sources of a company.
func anaf(t *testing.T, company answer) object {
	t.Helper()
	return company.object(t)["sources"].([]any)[0].(object)
}

// Under every fault of the central bank, past days in the archive are answered as usual. Other days get the same
// errors as companies.
func TestRatesUnderFaultsLong(t *testing.T) {
	long.Only(t, "waits for seconds")
	const warm, cold = "/v1/fx-rates?date=2026-06-10", "/v1/fx-rates?date=2012-06-12"
	for _, f := range injected(t) {
		t.Run(f.name, func(t *testing.T) {
			g := start(t, func(g *gateway) {
				g.upstream("bnr")["timeout"] = faultTimeout.String()
				g.upstream("bnr")["fill_every"] = "1h"
			})
			before := g.get(t, warm)
			recover := g.strike(t, "bnr", f)
			growth := heapPeak()

			g.refused(t, cold, f.status)
			if after := g.get(t, warm); string(after.body) != string(before.body) ||
				after.Header.Get("x-cache") != "HIT" {
				t.Errorf("got %d %v %s", after.StatusCode, after.Header, after.body)
			}

			checkGrowth(t, growth())

			recover()
			if got := g.get(t, cold); got.StatusCode != 200 || got.object(t)["date"] != "2012-06-12" {
				t.Errorf("after the fault: got %d %s", got.StatusCode, got.body)
			}
		})
	}
}

// oldArchive returns an archive with a latest fixing that is two months old, as after restoring a backup.
func oldArchive(t *testing.T) (dir, day string) {
	t.Helper()
	at := time.Now().AddDate(0, -2, 0)
	for at.Weekday() == time.Saturday || at.Weekday() == time.Sunday {
		at = at.AddDate(0, 0, -1)
	}

	day = at.Format(time.DateOnly)
	text := fmt.Sprintf("rodata fixings 1: RON per unit, as published by the National Bank of Romania\nyear %d\n"+
		"known %s %[2]s\n%[2]s %[2]sT11:02:31Z EUR=5.0905 USD=4.3557\n",
		at.Year(), day)
	text += fmt.Sprintf("crc32 %08x\n", crc32.ChecksumIEEE([]byte(text)))
	dir = t.TempDir()
	testkit.NoError(t, os.Mkdir(filepath.Join(dir, "bnr"), 0o700))
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "bnr", fmt.Sprintf("fixings-%d.txt", at.Year())), []byte(text),
		0o600))

	return dir, day
}

// Under every fault of the central bank, the latest stored fixing is served and marked as old, and the status reports
// the fault.
func TestOldFixingUnderFaultsLong(t *testing.T) {
	long.Only(t, "waits for seconds")
	for _, f := range injected(t) {
		t.Run(f.name, func(t *testing.T) {
			dir, day := oldArchive(t)
			g := start(t, func(g *gateway) {
				g.app()["data_dir"] = dir
				g.upstream("bnr")["timeout"] = faultTimeout.String()
				if f.url != nil {
					g.upstream("bnr")["url"] = f.url(t)
					return
				}

				g.registries.BNR.Always(f.spoil)
			})
			for range 2 { // the first call waits for the bank, the next does not
				began := time.Now()
				got := g.get(t, "/v1/fx-rates?currency=EUR")
				if took := time.Since(began); took > within(t, faultAnswer) {
					t.Errorf("the answer took %s", took)
				}
				if rates := got.object(t); rates["date"] != day || got.Header.Get("x-cache") != "HIT" {
					t.Errorf("got %v %v", rates, got.Header)
				}
				if age, _ := strconv.Atoi(got.Header.Get("Age")); age < 50*24*3600 ||
					!strings.Contains(got.Header.Get("Cache-Status"), "stale") {
					t.Errorf("not marked as old: %v", got.Header)
				}
			}

			if source := g.source(t, "bnr"); source["state"] == "ok" || source["asOf"] != day ||
				source["missedPublications"].(float64) < 30 {
				t.Errorf("the status says %v", source)
			}
		})
	}
}

// TestSlowRegistryLong looks up companies that are not stored while the tax authority is slow, with the default limits.
// Each answer arrives as soon as the tax authority has answered.
func TestSlowRegistryLong(t *testing.T) {
	long.Only(t, "waits for seconds")
	g := start(t)
	for i, takes := range []time.Duration{time.Second, 4 * time.Second, 6500 * time.Millisecond} {
		g.registries.ANAF.Always(standin.Delay(takes))
		began := time.Now()
		got := g.get(t, companies(t)[i])
		took := time.Since(began)
		if got.StatusCode != http.StatusOK || took < takes || took > takes+700*time.Millisecond {
			t.Errorf("the tax authority takes %s: got %d after %s", takes, got.StatusCode, took)
		}
	}
}
