package statements

import (
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/testkit/long"
)

// TestLargeFileLong loads the statements of as many small companies as there are in a year. It verifies the bounds of
// memory and disk: 1.2 GB for 14 million statements of all years are 85 bytes of each.
func TestLargeFileLong(t *testing.T) {
	const companies, maxMemory, maxBytes = 800_000, 64 << 20, 85 * 800_000
	long.Only(t, "takes the memory and time of a whole file")

	dir, key := t.TempDir(), Key{2024, company.SmallForm}
	began, before := time.Now(), memory()
	var peak uint64
	b, err := NewBuilder(dir)
	testkit.NoError(t, err)
	defer b.Close()

	read := 0
	dropped, err := Read(invented.Statements(1, companies), mustLegend(t, key, general...),
		func(s *Statement) error {
			if read++; read%10_000 == 0 {
				peak = max(peak, memory())
			}
			return b.Add(s)
		})
	testkit.NoError(t, errors.Join(err, b.Complete(File{Key: key}), b.Commit()))

	peak = max(peak, memory()) - before + companies*entrySize // which the runtime does not manage
	took := time.Since(began)
	info, err := os.Stat(Path(dir, key))
	testkit.NoError(t, err)
	t.Logf("%d statements in %s, %d MiB more memory, %d bytes on disk", read, took, peak>>20, info.Size())
	if read != companies || dropped > 0 || peak > maxMemory || info.Size() > maxBytes {
		t.Errorf("read %d, dropped %d", read, dropped)
	}

	s := mustStore(t, dir)
	for n := 1; n <= companies; n += 7919 {
		if found, err := s.Of(invented.CUI(n)); err != nil || len(found) != 1 {
			t.Errorf("company %d has %d statements, %v", n, len(found), err)
		}
	}

	readLargePeers(t, s, key.Year)
}

// readLargePeers reads peers twice: from the file, and from memory. The largest division takes the most memory.
func readLargePeers(t *testing.T, s *Store, year int) {
	t.Helper()
	const maxMemory = 64 << 20
	before := memory()
	for _, code := range []string{"1000", "4711", "47"} {
		var took [2]time.Duration
		n := 0
		for i := range took {
			began := time.Now()
			p, err := s.Peers(t.Context(), year, code)
			testkit.NoError(t, err)
			took[i], n = time.Since(began), len(p.Turnover)
		}

		t.Logf("%d peers of %s in %s, then in %s", n, code, took[0], took[1])
	}
	if more := memory() - min(memory(), before); more > maxMemory {
		t.Errorf("peers take %d MiB more memory", more>>20)
	}
}

// memory returns the memory that the process holds, garbage included.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}
