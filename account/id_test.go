package account

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

func TestIDsSortByTheirTime(t *testing.T) {
	shape := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	var ids []string
	for range 10_000 {
		before := time.Now().UnixMilli()
		id := NewID()
		ms, err := strconv.ParseInt(strings.ReplaceAll(id[:13], "-", ""), 16, 64)
		// Within one millisecond, ids are consecutive and may run slightly ahead of the clock.
		if !shape.MatchString(id) || err != nil || ms < before || ms > time.Now().UnixMilli()+10 {
			t.Fatalf("%s, made between %x and %x", id, before, time.Now().UnixMilli())
		}

		ids = append(ids, id)
	}

	if !slices.IsSorted(ids) {
		t.Error("the ids are not sorted by creation")
	}
	testkit.Equal(t, len(slices.Compact(ids)), 10_000, "different ids")
}
