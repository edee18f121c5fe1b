package testkit

import (
	"flag"
	"os"
	"strings"
	"testing"
)

// Update reports whether golden files are written anew instead of compared: go test -update.
func Update() bool { return *update }

var update = flag.Bool("update", false, "write the golden files anew")

// Golden compares a text with a golden file, and reports the first line that differs.
func Golden(t testing.TB, path, got string) {
	t.Helper()
	if Update() {
		NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}

	golden, err := os.ReadFile(path)
	NoError(t, err)
	if got == string(golden) {
		return
	}

	lines, want := strings.Split(got, "\n"), strings.Split(string(golden), "\n")
	n := 0
	for n < min(len(lines), len(want))-1 && lines[n] == want[n] {
		n++
	}

	t.Errorf("line %d is\n%s\nand in %s\n%s\nto accept the change, run go test with -update", n+1, lines[n], path, want[n])
}
