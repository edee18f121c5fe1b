package site

import (
	"sync"
	"time"

	"github.com/rodata/rodata/api"
)

// recentProfiles keeps profiles with their parts for a moment, by tax id, and entity tag and freshness of the profile
// alone. Views of the same company then need the profile only: balance sheets and insolvency change monthly at most, and are large.
type recentProfiles struct {
	mu   sync.Mutex
	kept map[string]recentProfile
}

type recentProfile struct {
	document *api.Document
	used     string // what the page depends on, as in visit.used
	at       time.Time
}

const (
	// recentFor is how much older than the profile its parts may be.
	recentFor = 10 * time.Second
	// mostRecent bounds the memory: profiles with five balance sheets have about 20 KB.
	mostRecent = 256
)

// get returns the recent profile with a key, and reports whether there is one.
func (p *recentProfiles) get(key string) (recentProfile, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.kept[key]
	return known, ok && time.Since(known.at) < recentFor
}

// keep keeps a profile. When there are too many, it forgets the others, which are soon asked for again.
func (p *recentProfiles) keep(key string, document *api.Document, used string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil || len(p.kept) >= mostRecent {
		p.kept = make(map[string]recentProfile)
	}
	p.kept[key] = recentProfile{document, used, time.Now()}
}
