package fleettest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// product builds the unmodified program.
func product(t *testing.T) string { return build(t, "rodata", nil) }

// clockVariable is the environment variable with the duration by which the clock of a program built by
// productWithClock is ahead.
const clockVariable = "RODATA_TEST_CLOCK"

// productWithClock builds the program with a standard library in which the
// wall clock follows clockVariable. Timers are not affected, as when a clock is set.
func productWithClock(t *testing.T) string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	testkit.NoError(t, err)

	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(source)
	testkit.NoError(t, err)

	const read, imports = "\tsec, nsec, mono := runtimeNow()\n", "import (\n"
	if strings.Count(string(text), read) != 1 {
		t.Fatalf("this version of Go reads the clock differently: see %s", source)
	}

	changed := strings.Replace(string(text), read, read+"\tsec += testOffset\n", 1)
	changed = strings.Replace(changed, imports, imports+"\t\"syscall\"\n", 1) + `
var testOffset = func() int64 {
	text, _ := syscall.Getenv("` + clockVariable + `")
	d, _ := ParseDuration(text)
	return int64(d / Second)
}()
`
	return build(t, "rodata-clock", map[string]string{source: changed})
}

// nextRelease builds a program with one more migration, which adds a column and an index, as a real release may do.
func nextRelease(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("..", "..", "account", "store", "migrations"))
	testkit.NoError(t, err)

	return build(t, "rodata-next", map[string]string{filepath.Join(folder, "9001_next.sql"): `-- +goose Up
ALTER TABLE charges ADD COLUMN note TEXT;
ALTER TABLE api_keys ADD COLUMN color TEXT NOT NULL DEFAULT '';
CREATE INDEX charges_by_key ON charges (key_id);
`})
}

// build builds the program once, with some source files replaced, and returns its path.
func build(t *testing.T, name string, replaced map[string]string) string {
	t.Helper()
	path := filepath.Join(scratch, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}

	args := []string{"build", "-o", path}
	if replaced != nil {
		args = append(args, "-overlay", overlay(t, replaced))
	}

	output, err := exec.CommandContext(t.Context(), "go", append(args, "../../cmd/rodata")...).CombinedOutput()
	if err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, output)
	}

	return path
}

// overlay writes the files, and a file that describes them to the go command (https://pkg.go.dev/cmd/go, -overlay).
func overlay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	for path, text := range files {
		replace[path] = filepath.Join(dir, filepath.Base(path))
		testkit.NoError(t, os.WriteFile(replace[path], []byte(text), 0o600))
	}

	list, err := json.Marshal(map[string]any{"Replace": replace})
	testkit.NoError(t, err)

	path := filepath.Join(dir, "overlay.json")
	testkit.NoError(t, os.WriteFile(path, list, 0o600))

	return path
}
