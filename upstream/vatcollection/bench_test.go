package vatcollection

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

// million returns the text of a file of a million lines about half a million companies.
func million(b *testing.B) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for id := range 500_000 {
		cui := invented.Complete(random.IntN(99_999_999) + 100)
		start := ro.NewDate(2013, time.January, 1) + ro.Date(random.IntN(4000))
		end := start + ro.Date(random.IntN(1000))
		compact := func(d ro.Date) string { return d.UTC().Format("20060102") }
		fmt.Fprintf(&text, "%d#%d#%s##%s#%s#I\n", 2*id, cui, compact(start), compact(start-3), compact(start-4))
		fmt.Fprintf(&text, "%d#%d#%s#%s#%s#%s#D\n", 2*id+1, cui, compact(start), compact(end), compact(end+6),
			compact(end+5))
	}

	return archiveOf(b, "istoric.txt", text.String())
}

// BenchmarkRead reads the archive of a million lines.
func BenchmarkRead(b *testing.B) {
	archive := million(b)
	for b.Loop() {
		rows, err := readArchive(archive)
		if err != nil || len(newTable(rows).rows) < 999_000 {
			b.Fatal(len(rows), err)
		}
	}

	b.ReportMetric(float64(len(archive))/1e6, "MB/archive")
}

// BenchmarkLoad loads the stored register of a million lines, and reports its memory.
func BenchmarkLoad(b *testing.B) {
	rows, err := readArchive(million(b))
	testkit.NoError(b, err)

	path := tablePath(b.TempDir())
	stored := newTable(rows)
	stored.day = ro.NewDate(2026, time.November, 22)
	testkit.NoError(b, stored.save(path))

	rows, stored = nil, nil

	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var held *table
	for b.Loop() {
		if held, err = loadTable(path); err != nil {
			b.Fatal(err)
		}
	}

	b.ReportMetric(float64(heap()-before)/1e6, "MB/kept")
	runtime.KeepAlive(held)
}

func BenchmarkPeriods(b *testing.B) {
	rows, err := readArchive(million(b))
	testkit.NoError(b, err)

	held := newTable(rows)
	cui := invented.Complete(int(held.rows[len(held.rows)/2].company()))
	b.ReportAllocs()
	for b.Loop() {
		if len(periodsOf(held.rowsOf(cui))) == 0 {
			b.Fatal(cui)
		}
	}
}
