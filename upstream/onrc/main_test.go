package onrc

import (
	"os"
	"testing"
)

// The tests load some two hundred registers of a few companies each: four parts join them as 64 do.
func TestMain(m *testing.M) {
	if os.Getenv("RODATA_TEST_LONG") == "" {
		partCount = 4
	}
	os.Exit(m.Run())
}
