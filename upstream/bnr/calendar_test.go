package bnr

import (
	"testing"

	"github.com/rodata/rodata/ro"
)

func TestExpectedBefore(t *testing.T) {
	if got := expectedBefore(date("2026-04-14")); got != date("2026-04-09") {
		t.Errorf("before 2026-04-14 comes %s", got)
	}
	if n := countExpected(date("2026-04-09"), date("2026-04-14")); n != 1 {
		t.Errorf("%d days expected from after Thursday before Easter to the Tuesday after it, want 1", n)
	}
	if n := countExpected(0, ro.Date(0)); n != 0 {
		t.Errorf("%d days expected before the archive begins", n)
	}
}
