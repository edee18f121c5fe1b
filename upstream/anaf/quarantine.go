package anaf

import (
	"maps"
	"time"

	"github.com/rodata/rodata/api"
)

// quarantineFor is how long a number that spoilt a batch is asked about alone.
const quarantineFor = 10 * time.Minute

// quarantine is the numbers that the register was seen not to bear, with the
// time until which each is kept apart. At one call a second it stays small.
type quarantine map[api.CUI]time.Time

func (q quarantine) add(cui api.CUI) {
	now := time.Now()
	maps.DeleteFunc(q, func(_ api.CUI, until time.Time) bool { return now.After(until) })
	q[cui] = now.Add(quarantineFor)
}

func (q quarantine) has(cui api.CUI) bool { return time.Now().Before(q[cui]) }
