package onrc

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/traderegister"
)

// The bounds of a load of 4.2 million companies on two processors, from local
// files.
const (
	longestLoad  = 6 * time.Minute
	mostMemory   = 2 << 30
	mostDisk     = 4 << 30
	longestFirst = time.Second
)

// TestScale loads a register of RODATA_TEST_FIRMS companies and reports the cost. With 4200000 companies, it also
// checks the bounds that the service promises.
func TestScale(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("RODATA_TEST_FIRMS"))
	if err != nil {
		t.Skip("RODATA_TEST_FIRMS does not say how many companies to load")
	}

	from, dir := filepath.Join(t.TempDir(), "firme-02-09-2026"), t.TempDir()
	release := traderegister.Release{Dir: from}
	testkit.NoError(t, release.Write(traderegister.Firms(n, 1)))

	var mostUsed int64
	var sampled time.Time
	step, stepped := "", time.Now()
	o := Options{From: from, Dir: dir, Progress: func(p Progress) {
		if p.Step != step {
			t.Logf("%6.1f s: %s", time.Since(stepped).Seconds(), p.Step)
			step = p.Step
		}
		if time.Since(sampled) > time.Second {
			mostUsed, sampled = max(mostUsed, diskUse(dir)), time.Now()
		}
	}}
	began := time.Now()
	s := mustLoad(t, o)
	took, memory, disk := time.Since(began), peakMemory(t), diskUse(dir)
	began = time.Now()
	err = mustOpen(t, dir).Read(func(x *search.Index, _ ro.Date) error {
		_, err := x.Search(t.Context(), search.Query{Text: "construct", Limit: 25})
		return err
	})
	first := time.Since(began)
	t.Logf("%d companies in %.1f s, %d MiB of memory at most, %d MiB on disk, %d MiB at most while loading, first "+
		"search after %s",
		s.Companies, took.Seconds(), memory>>20, disk>>20, mostUsed>>20, first)
	if err != nil || took > longestLoad || memory > mostMemory || disk > mostDisk || mostUsed > mostDisk ||
		first > longestFirst {
		t.Errorf("the load exceeds its bounds: %v", err)
	}
}

// diskUse returns the total size of the files of a directory.
func diskUse(dir string) (bytes int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				bytes += info.Size()
			}
		}

		return nil
	})
	return bytes
}

// peakMemory returns the peak memory of this process in bytes. It is 0 if the system does not report it.
func peakMemory(t *testing.T) int64 {
	t.Helper()
	body, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}

	_, rest, _ := bytes.Cut(body, []byte("VmHWM:"))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	kilobytes, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	testkit.NoError(t, err)

	return kilobytes << 10
}
