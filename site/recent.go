package site

import (
	"sync"
	"time"

	"github.com/rodata/rodata/api/company"
)

// recentProfiles caches profiles with their parts for a few seconds. The key is the tax id with the entity tag and the
// freshness of the profile without parts. Further views of the same company then load only the profile without parts.
// The parts, balance sheets and insolvency, are large and change at most once a month.
type recentProfiles struct {
	mu   sync.Mutex
	kept map[string]recentProfile
}

type recentProfile struct {
	profile *company.Company
	used    string // the inputs that the page depends on, as in visit.used
	at      time.Time
}

const (
	// recentFor is the maximum age of the parts.
	recentFor = 10 * time.Second
	// maxRecent is the maximum number of cached profiles. A profile with five balance sheets has about 20 KB.
	maxRecent = 256
)

// get returns the recent profile with a key, and reports whether there is one.
func (p *recentProfiles) get(key string) (recentProfile, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.kept[key]
	return known, ok && time.Since(known.at) < recentFor
}

// keep adds a profile to the cache. If the cache is full, it drops all other profiles; those in use are soon loaded
// again.
func (p *recentProfiles) keep(key string, profile *company.Company, used string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil || len(p.kept) >= maxRecent {
		p.kept = make(map[string]recentProfile)
	}

	p.kept[key] = recentProfile{profile, used, time.Now()}
}
