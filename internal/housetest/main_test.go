package housetest

import (
	"fmt"
	"os"
	"testing"
)

// root is the root of the repository, relative to this package.
const root = "../.."

// TestMain runs all tests in the root of the repository, and removes the binary, which several tests share, after the
// last one.
func TestMain(m *testing.M) {
	if err := os.Chdir(root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}
