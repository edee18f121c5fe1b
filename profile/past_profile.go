package profile

import (
	"sync/atomic"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
)

// pastProfile is the tax authority's part of a profile as of a past day. It memoizes the whole profile as long as the
// company's identity and the trade register's release stay the same.
type pastProfile struct {
	*taxProfile
	day   ro.Date
	whole atomic.Pointer[identifiedProfile]
}

// identifiedProfile is a profile, and the part that has its identity.
type identifiedProfile struct {
	*profile
	identity *taxProfile
}

// pastProfileOf returns the past profile of a stored record. It is derived only once.
func pastProfileOf(found *cache.Found[*anaf.Record], day ro.Date) *pastProfile {
	return found.Memo(func(record *anaf.Record) any {
		return &pastProfile{taxProfile: newTaxProfile(record, found.RetrievedAt), day: day}
	}).(*pastProfile)
}

// join returns the profile with the trade register's data. The identity and the periods come from the newest record,
// because every record has the current ones, no matter which day was requested.
func (p *pastProfile) join(r *Register, cui ro.CUI) (*profile, error) {
	if p.err != nil {
		return nil, p.err
	}

	known, release := p.whole.Load(), r.trade.DataThrough()
	identity := p.identity(r, cui, known)
	if known != nil && known.identity == identity && known.release == release {
		return known.profile, nil
	}

	company, e := statuses(p.company.Statuses()).applyTo(identity.company, p.day, company.FromRegister), r.entry(cui)
	company.Record = p.company.Record
	if e != nil {
		e.join(company)
	}

	source := taxSource(p.retrievedAt)
	source.AsOf = &p.day
	made, err := newProfile(company, source, e)
	if err != nil {
		return nil, err
	}

	made.release, made.identityAt = release, identity.retrievedAt
	p.whole.Store(&identifiedProfile{made, identity})
	return made, nil
}

// identity returns the newest stored record, given the previously memoized profile. A record that is newer than the
// profile's is in memory.
func (p *pastProfile) identity(r *Register, cui ro.CUI, known *identifiedProfile) *taxProfile {
	newest, peek := p.taxProfile, r.today.Peek
	if known != nil {
		newest, peek = known.identity, r.today.PeekMemory
	}

	found, ok := peek(cui)
	if !ok || !found.RetrievedAt.After(newest.retrievedAt) {
		return newest
	}
	if t := taxProfileOf(&found); t.err == nil {
		return t
	}

	return newest
}
