package company

import (
	"sync/atomic"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/upstream/anaf"
)

// pastProfile is the tax authority's part of a profile whose statuses are those of a day in
// the past, with the whole profile, which is reused while the company's identity and the
// trade register's release stay the same.
type pastProfile struct {
	*taxProfile
	day   api.Date
	whole atomic.Pointer[identified]
}

// identified is a profile and the part that its identity is from.
type identified struct {
	*profile
	identity *taxProfile
}

// pastProfileOf is derived once for each stored record.
func pastProfileOf(found *cache.Found[*anaf.Record], day api.Date) *pastProfile {
	return found.Memo(func(record *anaf.Record) any {
		return &pastProfile{taxProfile: newTaxProfile(record, found.RetrievedAt), day: day}
	}).(*pastProfile)
}

// joined is the profile with the trade register's data. The identity and the periods, of
// which a record always tells today's, are those of the newest record.
func (p *pastProfile) joined(r *Register, cui api.CUI) (*profile, error) {
	if p.err != nil {
		return nil, p.err
	}
	identity, release := p.taxProfile, r.trade.DataThrough()
	if newest, ok := r.records.Peek(cui); ok && newest.RetrievedAt.After(p.retrievedAt) {
		if t := taxProfileOf(&newest); t.err == nil {
			identity = t
		}
	}
	if known := p.whole.Load(); known != nil && known.identity == identity && known.release == release {
		return known.profile, nil
	}

	company, e := saidBy(p.company).on(identity.company, p.day, api.FromRegister), r.entry(cui)
	company.Record = p.company.Record
	if e != nil {
		e.join(company)
	}
	source := taxSource(p.retrievedAt)
	source.AsOf = &p.day
	known, err := newProfile(company, source, e)
	if err != nil {
		return nil, err
	}

	known.release = release
	p.whole.Store(&identified{known, identity})
	return known, nil
}
