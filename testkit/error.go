package testkit

import "testing"

// NoError ends the test if an error occurred.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
