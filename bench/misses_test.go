package main

import (
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/standin"
)

func TestMissesAreJudged(t *testing.T) {
	plan := schedule{rate: 90, duration: 10 * time.Second}
	good := standin.Counts{Requests: 10, LargestBatch: 100}
	for name, c := range map[string]struct {
		status  int
		latency time.Duration
		asked   standin.Counts
		fails   bool
	}{
		"as promised":               {404, 2 * time.Second, good, false},
		"not answered":              {503, time.Second, good, true},
		"answered late":             {404, 3 * time.Second, good, true},
		"asked too often":           {404, time.Second, standin.Counts{Requests: 14, LargestBatch: 100}, true},
		"asked for too many a time": {404, time.Second, standin.Counts{Requests: 10, LargestBatch: 101}, true},
	} {
		m := new(misses)
		m.record(m.company(), c.status, nil, c.latency)
		if err := m.verdict(plan, c.asked); (err != nil) != c.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMissesAreOfNewCompanies(t *testing.T) {
	m, seen := new(misses), make(map[ro.CUI]bool)
	for range 10_000 {
		cui := m.company()
		if seen[cui] || cui/100_000_000 != 99 || cui/100_000 == 99000 {
			t.Fatalf("%s was requested before, or the stand-in knows it", cui)
		}

		seen[cui] = true
	}
}
