package testkit

import "testing"

// NoError ends the test if an error occurred.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Must returns the value of a function that cannot fail for the arguments that a test has written down.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
