package search

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// BenchmarkBuild builds the index of RODATA_TEST_FIRMS firms, and reports the peak memory of the process and the size
// of the files.
func BenchmarkBuild(b *testing.B) {
	n := size(b)
	dir := ""
	for b.Loop() {
		dir = filepath.Join(b.TempDir(), "segment")
		testkit.NoError(b, Build(context.Background(), dir, release, invented(n), BuildOptions{}))
	}

	files, err := os.ReadDir(dir)
	testkit.NoError(b, err)

	total := int64(0)
	for _, file := range files {
		info, err := file.Info()
		testkit.NoError(b, err)

		total += info.Size()
	}

	b.ReportMetric(float64(total)/(1<<20), "disk-MiB")
	b.ReportMetric(memory(b, "VmHWM"), "peak-MiB")
}
