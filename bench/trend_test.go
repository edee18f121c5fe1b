package main

import (
	"testing"
	"time"
)

func TestTrend(t *testing.T) {
	for name, c := range map[string]struct {
		lines  int
		change func(i int, l *line)
		fails  bool
	}{
		"steady":                     {lines: 16, change: func(int, *line) {}},
		"too few lines":              {lines: 6, change: func(int, *line) {}, fails: true},
		"warming up":                 {lines: 16, change: func(i int, l *line) { l.resident += 50_000 * min(i, 2) }},
		"memory that comes and goes": {lines: 16, change: func(i int, l *line) { l.resident += 20_000 * (i % 4 / 3) }},
		"memory that grows": {lines: 16, change: func(i int, l *line) {
			l.resident += 1_000 * i
		}, fails: true},
		"goroutines that stay behind": {lines: 16, change: func(i int, l *line) { l.goroutines += 4 * i }, fails: true},
		"descriptors that stay open": {lines: 16, change: func(i int, l *line) {
			l.descriptors += 2 * i
		}, fails: true},
		"a counter that begins anew": {lines: 16, change: func(i int, l *line) { l.answered -= 8000 * (i / 9) },
			fails: true},
		"a few misses": {lines: 16, change: func(i int, l *line) { l.missed += i }},
		"a cache that was lost once": {lines: 16, change: func(i int, l *line) {
			l.missed += 100 * (i / 9)
		}, fails: true},
		"a cache that fills at the end": {lines: 16, change: func(i int, l *line) { l.missed += 100 * (i / 15) },
			fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			var seen trend
			for i := range c.lines {
				l := line{
					usage:   usage{resident: 100_000, descriptors: 40, goroutines: 50, answered: 1000 * i},
					latency: make([]time.Duration, 1000),
				}
				c.change(i, &l)
				seen.add(l)
			}

			if err := seen.verdict(); (err != nil) != c.fails {
				t.Error(err)
			}
		})
	}
}

func TestLineIsReadFromThePageOfMetrics(t *testing.T) {
	page := []byte("# HELP a b\nrodata_requests_total{operation=\"a\"} 3\n" +
		"rodata_requests_total{operation=\"b\"} 1.5e+06\nrodata_requests_totals 9\n")
	if n := total(page, "rodata_requests_total{"); n != 1_500_003 {
		t.Errorf("the sum is %d", n)
	}
}
