package housetest

import (
	"os"
	"testing"
)

// root is the root of the repository, relative to this package. Every test changes to it: if TestMain did, the go
// command would not see which files the tests read, and would repeat old results.
const root = "../.."

// TestMain removes the binary, which several tests share, after the last one.
func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}
