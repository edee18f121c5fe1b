package watch

import (
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
)

func TestNextDigest(t *testing.T) {
	for _, c := range []struct {
		name        string
		kind        monitoring.Digest
		after, want string
	}{
		{"before eight", monitoring.DailyDigest, "2026-11-22T05:59:59Z", "2026-11-22T06:00:00Z"},
		{"at eight", monitoring.DailyDigest, "2026-11-22T06:00:00Z", "2026-11-23T06:00:00Z"},
		{"the day with 23 hours", monitoring.DailyDigest, "2026-03-28T06:00:00Z", "2026-03-29T05:00:00Z"},
		{"the day with 25 hours", monitoring.DailyDigest, "2026-10-24T05:00:00Z", "2026-10-25T06:00:00Z"},
		{"late in the evening, when it is tomorrow in Bucharest", monitoring.DailyDigest, "2026-11-22T23:00:00Z",
			"2026-11-23T06:00:00Z"},
		{"the end of a year", monitoring.DailyDigest, "2026-12-31T12:00:00Z", "2027-01-01T06:00:00Z"},
		{"a Sunday", monitoring.WeeklyDigest, "2026-11-22T12:00:00Z", "2026-11-23T06:00:00Z"},
		{"a Monday at eight", monitoring.WeeklyDigest, "2026-11-23T06:00:00Z", "2026-11-30T06:00:00Z"},
		{"across the change of the clock", monitoring.WeeklyDigest, "2026-10-19T05:00:00Z", "2026-10-26T06:00:00Z"},
	} {
		after, _ := time.Parse(time.RFC3339, c.after)
		got := nextDigest(c.kind, after)
		if got.UTC().Format(time.RFC3339) != c.want {
			t.Errorf("%s: %s", c.name, got.UTC())
		}
		if again := nextDigest(c.kind, digestStart(c.kind, got)); !again.Equal(got) {
			t.Errorf("%s: the digest after the one before is %s", c.name, again)
		}
	}

	if at := nextDigest(monitoring.NoDigest, time.Now()); !at.IsZero() {
		t.Errorf("a digest of no kind is due at %s", at)
	}
}
