package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// Validating a data directory leaves nothing behind, also if the directory does not exist yet.
func TestDataDirIsNotTouched(t *testing.T) {
	parent := t.TempDir()
	for _, dir := range []string{parent, filepath.Join(parent, "a", "data")} {
		testkit.NoError(t, checkWritable(dir))
	}

	left, err := os.ReadDir(parent)
	testkit.NoError(t, err)
	testkit.Equal(t, len(left), 0, "files left behind")
}
