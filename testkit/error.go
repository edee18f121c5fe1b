package testkit

import (
	"io"
	"testing"
)

// NoError ends the test if an error occurred. What says in the format of fmt.Sprintf what failed.
func NoError(t testing.TB, err error, what ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s%v", label(what), err)
	}
}

// Must returns the value of a call that does not fail. If it fails, so do the tests of the package.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// CloseAfter closes something after the test, which must not fail.
func CloseAfter(t testing.TB, c io.Closer) {
	t.Helper()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
