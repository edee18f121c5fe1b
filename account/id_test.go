package account

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestIDsSortByTheirTime(t *testing.T) {
	shape := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	synctest.Test(t, func(t *testing.T) {
		var ids []string
		for range 100 {
			id := NewID()
			ms, err := strconv.ParseInt(strings.ReplaceAll(id[:13], "-", ""), 16, 64)
			if !shape.MatchString(id) || err != nil || ms != time.Now().UnixMilli() {
				t.Fatalf("%s at %x", id, time.Now().UnixMilli())
			}
			ids = append(ids, id)
			<-time.After(time.Millisecond)
		}
		if !slices.IsSorted(ids) {
			t.Errorf("not sorted: %v", ids)
		}
	})
}

func TestIDsOfOneMomentDiffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // time stands still
		seen := make(map[string]bool)
		for range 1000 {
			seen[NewID()] = true
		}
		if len(seen) != 1000 {
			t.Errorf("%d ids are alike", 1000-len(seen))
		}
	})
}
