package main

import (
	"strings"
	"testing"
)

const h2loadReport = `
finished in 1.00s, 14605.00 req/s, 528.34KB/s
requests: 14605 total, 14645 started, 14605 done, 14605 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 14615 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 528.34KB (541017) total, 85.93KB (87994) headers (space savings 95.29%), 185.42KB (189865) data
`

func TestAnswered(t *testing.T) {
	if n, err := answered([]byte(h2loadReport)); n != 14605 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}

	for _, c := range []struct{ old, changed string }{
		{"14615 2xx, 0 3xx, 0 4xx", "14604 2xx, 0 3xx, 1 4xx"},
		{"0 failed", "1 failed"},
		{"0 errored", "1 errored"},
		{"0 timeout", "1 timeout"},
		{"14605", "0"},
		{"requests:", "calls:"},
	} {
		if n, err := answered([]byte(strings.ReplaceAll(h2loadReport, c.old, c.changed))); err == nil {
			t.Errorf("%s: no error, %d requests", c.changed, n)
		}
	}
}
