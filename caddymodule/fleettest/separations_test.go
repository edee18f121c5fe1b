package fleettest

import (
	"fmt"
	"testing"
	"time"
)

// An edge that starts without Redis grants its share of a burst, as does an edge that loses Redis.
func TestSeparations(t *testing.T) {
	for name, c := range map[string]struct {
		before, during []string // messages of edge 0, before the load and during it
		switches       int
		partly         bool
	}{
		"restarted with Redis":            {[]string{here}, []string{here}, 0, false},
		"restarted without Redis":         {[]string{here}, []string{alone, here}, 1, true},
		"lost Redis":                      {[]string{here}, []string{away, here}, 1, true},
		"killed and restarted without it": {[]string{here}, []string{away, alone, here}, 2, true},
		"without it from the beginning":   {[]string{here, away}, []string{here}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := &edge{}
			for _, message := range c.before {
				fmt.Fprintln(&e.printed, message)
			}

			l := &load{fleet: &fleet{edges: []*edge{e, {index: 1}, {index: 2}}}, began: time.Now()}
			for _, message := range c.during {
				fmt.Fprintln(&e.printed, message)
			}

			if s := l.separations(); s.switches != c.switches || s.wholly != 0 || s.partly > 0 != c.partly {
				t.Errorf("got %s, want %d times that an edge lost it", s, c.switches)
			}
		})
	}
}
