package vatcollection

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream"
)

func stored(t *testing.T) (*table, string) {
	t.Helper()
	held := tableOf(t, "1#20200101##20191228#20191227#I", "2#20200101#20210301#20210310#20210305#D",
		"3#20220101##20220101#20220101#I")
	held.day, held.retrieved = ro.NewDate(2026, time.November, 22), time.Date(2026, 11, 22, 4, 5, 6, 0, time.UTC)
	held.validators = upstream.Validators{ETag: `"a1"`, Modified: "Sun, 22 Nov 2026 01:00:00 GMT"}
	path := tablePath(filepath.Join(t.TempDir(), "anaf"))
	testkit.NoError(t, held.save(path))

	return held, path
}

func TestStore(t *testing.T) {
	held, path := stored(t)
	read, err := loadTable(path)
	testkit.NoError(t, err)
	if read.day != held.day || !read.retrieved.Equal(held.retrieved) || read.validators != held.validators ||
		!slices.Equal(read.rows, held.rows) {
		t.Errorf("stored %+v, read %+v", held, read)
	}
}

func TestDamagedStore(t *testing.T) {
	_, path := stored(t)
	whole, err := os.ReadFile(path)
	testkit.NoError(t, err)

	for name, damage := range map[string]func([]byte) []byte{
		"cut":          func(b []byte) []byte { return b[:len(b)-1] },
		"a byte":       func(b []byte) []byte { b[len(b)-20]++; return b },
		"longer":       func(b []byte) []byte { return append(b, 0) },
		"empty":        func([]byte) []byte { return nil },
		"not a header": func(b []byte) []byte { b[0] = 'x'; return b },
	} {
		t.Run(name, func(t *testing.T) {
			testkit.NoError(t, os.WriteFile(path, damage(bytes.Clone(whole)), 0o600))
			if held, err := loadTable(path); held != nil || err == nil {
				t.Errorf("read %+v, %v", held, err)
			}
			if _, err := os.Stat(path + ".damaged"); err != nil {
				t.Error(err)
			}
			if held, err := loadTable(path); held != nil || err != nil {
				t.Errorf("then read %+v, %v", held, err)
			}
		})
	}
}

// TestStoreOfAnotherFormat verifies that a later version's file is fetched again, and not reported as damaged.
func TestStoreOfAnotherFormat(t *testing.T) {
	path := tablePath(t.TempDir())
	testkit.NoError(t, os.WriteFile(path, []byte(`{"format":2,"rows":7}`+"\nwhatever"), 0o600))
	if held, err := loadTable(path); held != nil || err != nil {
		t.Errorf("read %+v, %v", held, err)
	}
}
