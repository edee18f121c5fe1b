package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The program under measurement is the one beside this module.
func TestProductFolder(t *testing.T) {
	folder, err := productFolder(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	got, err := os.Stat(filepath.Join(folder, "cmd", "rodata"))
	if err != nil {
		t.Fatal(err)
	}

	if want, err := os.Stat("../cmd/rodata"); err != nil || !os.SameFile(got, want) {
		t.Errorf("the program is in %s, %v", folder, err)
	}
}
