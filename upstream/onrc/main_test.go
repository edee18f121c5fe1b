package onrc

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/traderegister"
)

// loadedRegisters holds directories with registers from which many tests start, by the loaded release.
var loadedRegisters struct {
	sync.Mutex
	root string
	dirs map[string]string
}

// The tests load many registers of a few companies each. Four parts instead of 64 are enough for these. TestScale needs
// 64, as the program does: with a quarter of a whole register in memory, it would take twice as much.
func TestMain(m *testing.M) {
	if os.Getenv("RODATA_TEST_LONG") == "" && os.Getenv("RODATA_TEST_FIRMS") == "" {
		partCount = 4
	}

	root, err := os.MkdirTemp("", "registers-*")
	if err != nil {
		panic(err)
	}

	loadedRegisters.root, loadedRegisters.dirs = root, map[string]string{}
	code := m.Run()
	os.RemoveAll(root)
	os.Exit(code)
}

// loaded returns a separate directory for the test with a loaded register of invented firms.
func loaded(t *testing.T, release string, firms int, clean bool) string {
	t.Helper()
	all := &loadedRegisters
	all.Lock()
	defer all.Unlock()
	key := fmt.Sprint(release, firms, clean)
	if all.dirs[key] == "" {
		r := traderegister.Release{Dir: filepath.Join(all.root, key, release), Clean: clean}
		testkit.NoError(t, r.Write(traderegister.Firms(firms, 1)))

		dir := filepath.Join(all.root, key, "loaded")
		mustLoad(t, Options{From: r.Dir, Dir: dir})
		all.dirs[key] = dir
	}

	dir := t.TempDir()
	testkit.NoError(t, os.CopyFS(dir, os.DirFS(all.dirs[key])))

	return dir
}
