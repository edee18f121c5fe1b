package web

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		name, header string
		least, most  time.Duration
	}{
		{"seconds", "7", 7 * time.Second, 7 * time.Second},
		{"a date", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat), 58 * time.Second, time.Minute},
		{"a past date", "Mon, 02 Jan 2006 15:04:05 GMT", 0, 0},
		{"absent", "", 0, 0},
		{"nonsense", "-5", 0, 0},
		{"far too long", "999999", 5 * time.Minute, 5 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := RetryAfter(http.Header{"Retry-After": {c.header}}, 5*time.Minute); got < c.least || got > c.most {
				t.Errorf("%q: %s", c.header, got)
			}
		})
	}
}
