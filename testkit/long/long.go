// Package long lets tests run at full length: with more kills, faults, reloads or random inputs, with long waits,
// and with strict limits on elapsed time. They do so if RODATA_TEST_LONG is set. Otherwise they are shortened or
// skipped, because other tests compete for the processors, perhaps with the race detector.
//
// The names of these tests end in Long. By this suffix, .ci/run selects the tests that it repeats at full length.
package long

import (
	"os"
	"strings"
	"testing"
)

// Full reports whether the test runs at full length. It fails a test whose name does not end in Long.
func Full(t testing.TB) bool {
	t.Helper()
	if name, _, _ := strings.Cut(t.Name(), "/"); !strings.HasSuffix(name, "Long") {
		t.Fatalf("%s depends on RODATA_TEST_LONG, so its name must end in Long", name)
	}

	return os.Getenv("RODATA_TEST_LONG") != ""
}

// Only skips the test unless it runs at full length, and logs the reason.
func Only(t testing.TB, reason string) {
	t.Helper()
	if !Full(t) {
		t.Skip(reason + ": RODATA_TEST_LONG is not set")
	}
}

// Length returns the length of the test.
func Length(t testing.TB, short, full int) int {
	t.Helper()
	if Full(t) {
		return full
	}
	return short
}
