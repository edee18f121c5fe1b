package watch

import (
	"testing"
	"time"
)

func TestMonthsAreInUTC(t *testing.T) {
	east := time.FixedZone("", 3*60*60)
	for at, want := range map[time.Time]Month{
		time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC): 202611,
		time.Date(2027, 1, 1, 2, 59, 59, 0, east):     202612,
		time.Date(2027, 1, 1, 3, 0, 0, 0, east):       202701,
	} {
		if got := MonthOf(at); got != want {
			t.Errorf("the month of %s is %d, want %d", at, got, want)
		}
	}
}
